//! Eight points of interception; every verdict is `allow`, `deny` or `transform`, and a missing one counts as a denial, so
//! each point is answered. Whether a verdict is enforced or only recorded is the host's mode: sprag's answer is the same.

use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Agenthooks,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 22,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    // A denial with `approval` may be lifted by whoever the host asks.
    can_ask: true,
    encode,
    is_host: |raw, _| {
        raw.get("spec").and_then(Value::as_str).is_some_and(|spec| spec.starts_with("agent-hooks/"))
    },
};

/// What each point reads from the answer.
static ROWS: [Row; 8] = [
    Row::observe(E::SessionStart, "agent_startup").waits_for(E::UserPromptSubmit),
    Row::observe(E::UserPromptSubmit, "input").stop(StopWay::Verb).context(),
    Row::observe(E::BeforeModel, "pre_model_call").stop(StopWay::Verb),
    Row::observe(E::AfterModel, "post_model_call").stop(StopWay::Verb),
    Row::observe(E::PreToolUse, "pre_tool_call").stop(StopWay::Verb).rewrite().waits_for(E::PostToolUse),
    Row::observe(E::PostToolUse, "post_tool_call").context().output(),
    // A denial would throw the answer away instead of going on with the work.
    Row::observe(E::Stop, "output").waits_for(E::UserPromptSubmit),
    Row::observe(E::SessionEnd, "agent_shutdown").patience(1),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    let inner = |raw: &Map<String, Value>, object: &str, field: &str| raw.get(object)?.get(field).cloned();
    let mut put = |object: &str, field: &str, canonical: &str| {
        if let Some(value) = inner(raw, object, field) {
            raw.entry(canonical).or_insert(value);
        }
    };
    put("session", "id", "session_id");
    put("input", "content", "prompt");
    put("output", "content", "last_assistant_message");
    put("summary", "reason", "reason");
    for (own, canonical) in [("id", "tool_use_id"), ("name", "tool_name"), ("args", "tool_input")] {
        put("tool_call", own, canonical);
    }
    let spaces = raw.get("extensions").and_then(Value::as_object).into_iter().flat_map(Map::values);
    let cwd = spaces.filter_map(|space| space.get("cwd")).find(|cwd| cwd.is_string()).cloned();
    if let Some(cwd) = cwd {
        raw.entry("cwd").or_insert(cwd);
    }
    if let Some(prompt) = raw.get("prompt").filter(|prompt| !prompt.is_string()).map(Value::to_string) {
        raw.insert("prompt".to_owned(), prompt.into());
    }
    if kind != E::PostToolUse {
        return;
    }
    match inner(raw, "tool_result", "value") {
        Some(Value::String(text)) => fields::set_result(raw, &text),
        Some(value) => drop(raw.insert("tool_response".to_owned(), value)),
        None => {}
    }
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    let point = raw.remove("hook_event_name").unwrap_or_default();
    raw.insert("interception_point".to_owned(), point);
    raw.insert("spec".to_owned(), "agent-hooks/0.1".into());
    let session = raw.remove("session_id").unwrap_or_default();
    raw.insert("session".to_owned(), json!({ "id": session }));
    if kind.has_tool() {
        let (name, args) = (raw.remove("tool_name"), raw.remove("tool_input"));
        raw.insert("tool_call".to_owned(), json!({"id": "call", "name": name, "args": args}));
    }
    if let Some(response) = raw.remove("tool_response") {
        let value = crate::agents::shared::result_text(&response);
        raw.insert("tool_result".to_owned(), json!({"value": value, "is_error": false}));
    }
    if let Some(prompt) = raw.remove("prompt").filter(|_| kind == E::UserPromptSubmit) {
        raw.insert("input".to_owned(), json!({"content": prompt, "role": "user"}));
    }
    Ok(())
}

/// Where a text of the target is, and the text.
fn text_of(row: &Row, event: &Event) -> Option<(&'static str, String)> {
    let (object, field, path) = match row.kind {
        E::UserPromptSubmit => ("input", "content", "$target.content"),
        E::PostToolUse => ("tool_result", "value", "$target"),
        _ => return None,
    };
    Some((path, event.raw.get(object)?.get(field)?.as_str()?.to_owned()))
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    let mut warnings: Vec<String> = verdict.message.iter().chain(&verdict.stop).cloned().collect();
    let mut transform = None;
    let denies = row.stop == StopWay::Verb && (verdict.decision.stops() || verdict.decision == Decision::Ask);
    // What is to be told: the context, and a block that does not throw away what was done.
    let mut told: Vec<String> = Vec::new();
    if verdict.decision.stops() && !denies {
        if row.kind == E::PostToolUse {
            told.push(reason(verdict).to_owned());
        } else {
            warnings.push(reason(verdict).to_owned());
            answer.lost.push(Lost::Block);
        }
    }
    told.extend(verdict.context.clone());
    if !denies {
        if let Some(input) = verdict.rewrite.as_ref().filter(|_| row.rewrite) {
            transform = Some(("$target", input.clone()));
        }
        let shown = verdict.output.as_ref().filter(|_| row.output).map(crate::agents::shared::result_text);
        let place = text_of(row, event).map(|(path, text)| (path, shown.clone().unwrap_or(text)));
        match place {
            Some((path, text)) if shown.is_some() || !told.is_empty() => {
                let parts: Vec<String> = std::iter::once(text).chain(told.drain(..)).collect();
                transform = Some((path, parts.join("\n\n").into()));
            }
            None if shown.is_some() => transform = shown.map(|text| ("$target", text.into())),
            _ => {}
        }
    }
    if !told.is_empty() {
        answer.lost.push(Lost::Context);
    }
    let word = if denies {
        "deny"
    } else if transform.is_some() {
        "transform"
    } else {
        "allow"
    };
    answer.top("decision", word);
    if denies {
        answer.top("reason", "sprag");
        answer.top("message", reason(verdict));
        if verdict.decision == Decision::Ask {
            answer.top("approval", json!({}));
        }
    }
    if let Some((path, value)) = transform {
        answer.top("transform", json!({"path": path, "value": value}));
    }
    if !warnings.is_empty() {
        let warnings: Vec<Value> =
            warnings.into_iter().map(|message| json!({"reason": "sprag", "message": message})).collect();
        answer.top("warnings", warnings);
    }
    answer.finish(row.native)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;

    /// The contexts of the contract's text, one for each point.
    fn contexts() -> Vec<(&'static str, E, Value)> {
        let call = json!({"id": "t1", "name": "run_shell", "args": {"command": "rm -rf /"}});
        vec![
            ("agent_startup", E::SessionStart, json!({"agent_init": {"tools_registered": ["run_shell"]}})),
            ("input", E::UserPromptSubmit, json!({"input": {"content": "hi", "role": "user"}})),
            (
                "pre_model_call",
                E::BeforeModel,
                json!({"model": {"id": "m"}, "messages": [{"role": "user", "content": "hi"}]}),
            ),
            (
                "post_model_call",
                E::AfterModel,
                json!({"model": {"id": "m"},
                "response": {"content": "x", "tool_calls": [], "finish_reason": "stop"}}),
            ),
            ("pre_tool_call", E::PreToolUse, json!({"tool_call": call.clone()})),
            (
                "post_tool_call",
                E::PostToolUse,
                json!({"tool_call": call, "tool_result": {"value": "out", "is_error": false}}),
            ),
            ("output", E::Stop, json!({"output": {"content": "done"}})),
            ("agent_shutdown", E::SessionEnd, json!({"summary": {"reason": "completed"}})),
        ]
    }

    fn event(point: &str, more: &Value) -> Event {
        let mut context = json!({"spec": "agent-hooks/0.1", "interception_point": point,
            "timestamp": "2026-06-19T14:03:11.123Z", "sequence": 0, "target": null,
            "agent": {"id": "a", "framework": "langchain"}, "session": {"id": "s"},
            "extensions": {"host": {"cwd": "/w"}}});
        context.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        decode(context.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    fn told(event: &Event, verdict: &Verdict) -> Value {
        let answer = DIALECT.answer(event, verdict);
        let told: Value = serde_json::from_str(&answer.stdout.unwrap()).unwrap();
        check(event, &told);
        told
    }

    /// The rules for verdicts (section 5), which make a host deny whatever breaks them.
    fn check(event: &Event, told: &Value) {
        let decision = told["decision"].as_str().unwrap();
        assert!(["allow", "deny", "transform"].contains(&decision), "{told}");
        assert_eq!(told.get("transform").is_some(), decision == "transform", "{told}");
        assert!(told.get("approval").is_none() || decision == "deny", "{told}");
        assert!(!told["reason"].as_str().unwrap_or_default().starts_with("host_error:"), "{told}");
        assert!(told.get("warnings").is_none_or(|all| all.as_array().unwrap().iter().all(Value::is_object)));
        if decision == "transform" {
            assert!(told["transform"]["path"].as_str().unwrap().starts_with("$target"), "{told}");
            assert!(!matches!(event.kind, E::SessionStart | E::SessionEnd), "{told}");
        }
    }

    #[test]
    fn every_point_is_read_and_always_answered() {
        let verdicts = [
            Verdict::default(),
            Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() },
            Verdict { decision: Decision::Ask, reason: Some("may I".into()), ..Verdict::default() },
            Verdict { context: Some("note".into()), message: Some("look".into()), ..Verdict::default() },
            Verdict {
                rewrite: Some(json!({"command": "ls"})),
                output: Some(json!("x")),
                ..Verdict::default()
            },
        ];
        for (point, kind, more) in contexts() {
            let event = event(point, &more);
            assert_eq!(
                (event.agent, event.kind, event.session_id.as_str()),
                (AgentId::Agenthooks, kind, "s")
            );
            assert_eq!(event.cwd, "/w");
            for verdict in &verdicts {
                told(&event, verdict);
            }
            assert_eq!(told(&event, &verdicts[0]), json!({"decision": "allow"}), "{point}");
            let denied = told(&event, &verdicts[1])["decision"] == "deny";
            let stoppable =
                matches!(kind, E::UserPromptSubmit | E::BeforeModel | E::AfterModel | E::PreToolUse);
            assert_eq!(denied, stoppable, "{point}");
        }
    }

    #[test]
    fn a_call_is_denied_asked_about_and_transformed() {
        let (point, _, more) = contexts().remove(4);
        let call = event(point, &more);
        assert_eq!(
            call.tool.as_ref().unwrap().command.as_deref(),
            Some("rm -rf /"),
            "a shell of unknown name"
        );
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        assert_eq!(told(&call, &deny), json!({"decision": "deny", "reason": "sprag", "message": "no"}));
        let ask = Verdict { decision: Decision::Ask, reason: Some("may I".into()), ..Verdict::default() };
        assert_eq!(told(&call, &ask)["approval"], json!({}));
        let rewrite = Verdict { rewrite: Some(json!({"command": "ls"})), ..Verdict::default() };
        assert_eq!(
            told(&call, &rewrite)["transform"],
            json!({"path": "$target", "value": {"command": "ls"}})
        );
    }

    #[test]
    fn text_is_added_to_what_the_model_gets() {
        let verdict = Verdict { context: Some("note".into()), ..Verdict::default() };
        let all = contexts();
        let prompt = event("input", &all[1].2);
        assert_eq!(
            told(&prompt, &verdict)["transform"],
            json!({"path": "$target.content", "value": "hi\n\nnote"})
        );
        let result = event("post_tool_call", &all[5].2);
        assert_eq!(told(&result, &verdict)["transform"], json!({"path": "$target", "value": "out\n\nnote"}));
        let hidden = Verdict { output: Some(json!("[gone]")), ..Verdict::default() };
        assert_eq!(told(&result, &hidden)["transform"]["value"], "[gone]");
        // A result that is no text cannot take one.
        let rows = json!({"tool_call": {"id": "t", "name": "query", "args": {}},
            "tool_result": {"value": {"rows": [1]}, "is_error": false}});
        let answer = DIALECT.answer(&event("post_tool_call", &rows), &verdict);
        assert_eq!(
            (answer.lost, answer.stdout.as_deref()),
            (vec![Lost::Context], Some(r#"{"decision":"allow"}"#))
        );
    }

    /// Enforcing is the host's part: in `evaluate_only` it records the same verdict.
    #[test]
    fn the_mode_of_the_host_changes_nothing() {
        let (point, _, mut more) = contexts().remove(4);
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        let enforced = told(&event(point, &more), &deny);
        more["extensions"] = json!({"host": {"cwd": "/w", "mode": "evaluate_only"}});
        assert_eq!(told(&event(point, &more), &deny), enforced);
    }
}
