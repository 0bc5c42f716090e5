//! Payloads without the event's name: it is known by the fields. Before a tool and at the end of a turn it wants an answer.

use super::tools::TABLE;
use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Antigravity,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 19,
    event_aliases: &[],
    // It is sent before each request to the model; the first of a turn is the prompt's.
    is_event: |kind, raw| {
        kind != E::UserPromptSubmit || raw.get("invocationNum").and_then(Value::as_u64).unwrap_or(0) == 0
    },
    to_canonical,
    from_canonical,
    can_ask: true,
    encode,
    is_host: |raw, _| raw.contains_key("conversationId") && raw.contains_key("workspacePaths"),
};

/// What each event reads from the answer.
static ROWS: [Row; 5] = [
    Row::observe(E::SessionStart, "SessionStart").waits_for(E::UserPromptSubmit),
    Row::observe(E::UserPromptSubmit, "PreInvocation").context(),
    Row::observe(E::PreToolUse, "PreToolUse").stop(StopWay::Verb).waits_for(E::UserPromptSubmit),
    Row::observe(E::PostToolUse, "PostToolUse").waits_for(E::UserPromptSubmit),
    Row::observe(E::Stop, "Stop").stop(StopWay::Verb).waits_for(E::UserPromptSubmit),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    fields::copy(raw, "conversationId", "session_id");
    let root = raw.get("workspacePaths").and_then(|roots| roots.get(0)).cloned();
    if let Some(root) = root.filter(|_| !raw.contains_key("cwd")) {
        raw.insert("cwd".to_owned(), root);
    }
    fields::copy(raw, "userPrompt", "prompt");
    if kind == E::Stop {
        let again = raw.get("executionNum").and_then(Value::as_u64).unwrap_or(0) > 0;
        raw.entry("stop_hook_active").or_insert(again.into());
    }
    if !kind.has_tool() {
        return;
    }
    if let Some(Value::Object(call)) = raw.get("toolCall").cloned() {
        for (own, canonical) in [("name", "tool_name"), ("args", "tool_input")] {
            if let Some(value) = call.get(own) {
                raw.entry(canonical).or_insert_with(|| value.clone());
            }
        }
    }
    fields::to_canonical(&TABLE, raw);
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    if let Some(session) = raw.remove("session_id") {
        raw.insert("conversationId".to_owned(), session);
    }
    if !kind.has_tool() {
        return Ok(());
    }
    fields::from_canonical(&TABLE, raw)?;
    let (name, args) = (raw.remove("tool_name"), raw.remove("tool_input"));
    raw.insert("toolCall".to_owned(), json!({"name": name, "args": args}));
    Ok(())
}

fn encode(row: &Row, _event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    match (row.kind, verdict.decision) {
        (E::PreToolUse, Decision::Deny | Decision::Block) => answer.top("decision", "deny"),
        // `ask` would be answered from what was allowed before.
        (E::PreToolUse, Decision::Ask) => answer.top("decision", "force_ask"),
        // Silence may count as a denial; its own questions to the user stay.
        (E::PreToolUse, _) => answer.top("decision", "allow"),
        (E::Stop, Decision::Deny | Decision::Block) => answer.top("decision", "continue"),
        (E::Stop, _) => answer.top("decision", "stop"),
        (_, Decision::Deny | Decision::Block) => answer.lost.push(Lost::Block),
        _ => {}
    }
    if row.stop == StopWay::Verb && (verdict.decision.stops() || verdict.decision == Decision::Ask) {
        answer.top("reason", reason(verdict));
    }
    match &verdict.context {
        Some(text) if row.kind == E::UserPromptSubmit => {
            answer.top("injectSteps", json!([{ "ephemeralMessage": text }]));
        }
        Some(_) => answer.lost.push(Lost::Context),
        None => {}
    }
    if verdict.rewrite.is_some() && !verdict.decision.stops() {
        answer.lost.push(Lost::Rewrite);
    }
    if verdict.output.is_some() {
        answer.lost.push(Lost::Output);
    }
    answer.finish(row.native)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;

    fn event(more: &Value) -> Event {
        let mut payload = json!({"conversationId": "c", "workspacePaths": ["/w"], "transcriptPath": "/t",
            "artifactDirectoryPath": "/x", "modelName": "gemini-3-pro"});
        payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    fn told(event: &Event, verdict: &Verdict) -> Value {
        serde_json::from_str(DIALECT.answer(event, verdict).stdout.as_deref().unwrap_or("null")).unwrap()
    }

    #[test]
    fn a_call_is_known_by_its_fields_and_always_answered() {
        let call = json!({"toolCall": {"name": "run_command", "args": {"CommandLine": "rm -rf /", "Cwd": "/w"}},
            "stepIdx": 1});
        let shell = event(&call);
        assert_eq!(
            (shell.agent, shell.kind, shell.cwd.as_str()),
            (AgentId::Antigravity, E::PreToolUse, "/w")
        );
        assert_eq!(shell.tool.as_ref().unwrap().command.as_deref(), Some("rm -rf /"));
        let verdict = |decision| Verdict { decision, reason: Some("no".into()), ..Verdict::default() };
        assert_eq!(told(&shell, &verdict(Decision::Deny)), json!({"decision": "deny", "reason": "no"}));
        assert_eq!(told(&shell, &verdict(Decision::Ask)), json!({"decision": "force_ask", "reason": "no"}));
        assert_eq!(told(&shell, &Verdict::default()), json!({"decision": "allow"}));
        let after = event(&json!({"toolCall": {"name": "view_file", "args": {"AbsolutePath": "/w/a"}},
            "stepIdx": 1, "error": ""}));
        assert_eq!((after.kind, after.tool.unwrap().paths[0].path.as_str()), (E::PostToolUse, "/w/a"));
    }

    #[test]
    fn the_first_request_of_a_turn_is_the_prompts_and_a_stop_is_answered() {
        let first = event(&json!({"invocationNum": 0, "initialNumSteps": 0}));
        assert_eq!(first.kind, E::UserPromptSubmit);
        let verdict = Verdict { context: Some("note".into()), ..Verdict::default() };
        assert_eq!(told(&first, &verdict), json!({"injectSteps": [{"ephemeralMessage": "note"}]}));
        assert_eq!(event(&json!({"invocationNum": 3})).kind, E::Unknown);
        let stop = event(&json!({"fullyIdle": true, "executionNum": 1, "terminationReason": "model_stop"}));
        assert!(stop.kind == E::Stop && stop.flag("stop_hook_active"));
        assert_eq!(told(&stop, &Verdict::default()), json!({"decision": "stop"}));
    }
}
