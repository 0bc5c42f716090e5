//! Claude Code's events and answers. Text reaches its model only around tool calls.

use super::tools::TABLE;
use crate::agents::{AgentId, encode_canonical, fields};
use crate::dialect::{Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::Verdict;
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Grok,
    rows: &ROWS,
    // It cuts at 10,000 characters.
    context_limit: 9_800,
    detection_order: 5,
    // It sends one more Stop when it exits.
    event_aliases: &[],
    is_event: |kind, raw| kind != E::Stop || raw.get("reason").and_then(Value::as_str) != Some("shutdown"),
    to_canonical,
    from_canonical: |kind, raw| if kind.has_tool() { fields::from_canonical(&TABLE, raw) } else { Ok(()) },
    can_ask: true,
    encode,
    is_host: |raw, env| {
        env("GROK_HOOK_EVENT").is_some()
            || raw.contains_key("hookEventName") && raw.contains_key("workspaceRoot")
            || raw.get("transcript_path").and_then(Value::as_str).is_some_and(|path| path.contains("/.grok/"))
    },
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 15] = [
    row(E::SessionStart).waits_for(E::PreToolUse),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit).stop(StopWay::Decision).waits_for(E::PreToolUse),
    row(E::PreToolUse).stop(StopWay::Permission).context().rewrite(),
    row(E::PermissionDenied),
    row(E::PostToolUse).stop(StopWay::Decision).context().output(),
    row(E::PostToolUseFailure).context(),
    row(E::Notification),
    row(E::SubagentStart).waits_for(E::PreToolUse),
    row(E::SubagentStop).stop(StopWay::Decision),
    row(E::Stop).stop(StopWay::Decision).waits_for(E::PreToolUse),
    row(E::StopFailure),
    Row::observe(E::Interrupt, "StopCancelled"),
    row(E::PreCompact).waits_for(E::PreToolUse),
    row(E::PostCompact),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    if kind == E::Stop {
        fields::copy(raw, "stopHookActive", "stop_hook_active");
        fields::copy(raw, "lastAssistantMessage", "last_assistant_message");
    }
    if !kind.has_tool() {
        return;
    }
    fields::to_canonical(&TABLE, raw);
    if let Some(text) = raw.get("toolResult").and_then(shown).map(str::to_owned) {
        fields::set_result(raw, &text);
    }
}

/// What the model sees of a result.
fn shown(result: &Value) -> Option<&str> {
    let inner = result.as_object()?.values().find(|value| value.is_object());
    ["output_for_prompt", "tool_output_for_prompt", "raw_output", "content"]
        .iter()
        .find_map(|key| result.get(key).or_else(|| inner?.get(key))?.as_str())
}

/// A result with another text in the place of what the model sees; `None` for a shape that is not known.
fn replaced(result: &Value, text: &str) -> Option<Value> {
    const TEXTS: [&str; 6] = [
        "output_for_prompt",
        "tool_output_for_prompt",
        "tool_output_for_prompt_concise",
        "content",
        "content_concise",
        "raw_output",
    ];
    fn put(fields: &mut Map<String, Value>, text: &str) -> bool {
        let mut done = false;
        for (key, value) in fields.iter_mut() {
            if TEXTS.contains(&key.as_str()) && value.is_string() {
                *value = Value::from(text);
                done = true;
            } else if key == "output" && value.is_array() {
                *value = text.as_bytes().iter().copied().map(Value::from).collect();
            }
        }
        done
    }
    let mut result = result.clone();
    let fields = result.as_object_mut()?;
    let mut done = put(fields, text);
    for inner in fields.values_mut().filter_map(Value::as_object_mut) {
        done |= put(inner, text);
    }
    done.then_some(result)
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    let native = event.tool.as_ref().map_or("", |tool| tool.native_name.as_str());
    let mut verdict = verdict.clone();
    verdict.rewrite = verdict.rewrite.map(|input| fields::native_input(&TABLE, native, &input));
    // It drops the text that comes with a denial.
    if row.kind == E::PreToolUse
        && verdict.decision.stops()
        && let Some(context) = verdict.context.take()
    {
        verdict.reason = Some(format!("{}\n\n{context}", reason(&verdict)));
    }
    let mut lost = None;
    if let Some(output) = verdict.output.take_if(|_| row.output) {
        // The tool's own shape is the only one that is taken.
        let text = crate::agents::shared::result_text(&output);
        match event.raw.get("toolResult").and_then(|result| replaced(result, &text)) {
            Some(own) => verdict.output = Some(own),
            None if native.starts_with("mcp") || native == "use_tool" => verdict.output = Some(output),
            None => lost = Some(Lost::Output),
        }
    }
    let mut encoded = encode_canonical(row, event, &verdict);
    encoded.lost.extend(lost);
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use serde_json::json;

    fn event(name: &str, more: &Value) -> Event {
        let mut payload = json!({"hookEventName": "x", "workspaceRoot": "/", "hook_event_name": name,
            "session_id": "s", "cwd": "/"});
        for (key, value) in more.as_object().unwrap() {
            payload.as_object_mut().unwrap().insert(key.clone(), value.clone());
        }
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    #[test]
    fn an_output_is_replaced_in_the_shape_of_the_tool() {
        let result =
            json!({"type": "Bash", "output": [200], "output_for_prompt": "exit: 0\no", "exit_code": 0});
        let event = event(
            "PostToolUse",
            &json!({"tool_name": "run_terminal_command",
            "tool_input": {"command": "x"}, "toolResult": result, "tool_response": result}),
        );
        assert_eq!(
            (event.agent, event.tool_response().unwrap()["stdout"].as_str()),
            (AgentId::Grok, Some("exit: 0\no"))
        );
        let verdict = Verdict { output: Some(json!("[gone]")), ..Verdict::default() };
        let encoded: Value = serde_json::from_str(&DIALECT.answer(&event, &verdict).stdout.unwrap()).unwrap();
        let own = &encoded["hookSpecificOutput"]["updatedToolOutput"];
        assert_eq!((&own["type"], &own["output_for_prompt"]), (&json!("Bash"), &json!("[gone]")));
        assert!(!encoded.to_string().contains("200"));
    }

    #[test]
    fn the_stop_at_its_exit_is_none() {
        assert_eq!(event("Stop", &json!({"reason": "end_turn"})).kind, E::Stop);
        assert_eq!(event("Stop", &json!({"reason": "shutdown"})).kind, E::Unknown);
    }

    #[test]
    fn text_outside_of_tool_calls_is_lost_for_now() {
        let verdict = Verdict { context: Some("note".into()), ..Verdict::default() };
        let encoded = DIALECT.answer(&event("UserPromptSubmit", &json!({"prompt": "x"})), &verdict);
        assert_eq!((encoded.stdout, encoded.lost), (None, vec![Lost::Context]));
    }
}
