//! Event names and answers of its own: a block before a tool, and context with the first request of a turn.

use super::tools::TABLE;
use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, ContextWay, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Hermes,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 11,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    can_ask: false,
    encode,
    is_host: |raw, _| {
        let event = raw.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        ROWS.iter().any(|row| row.native == event)
    },
};

const fn row(kind: E, native: &'static str) -> Row {
    Row::observe(kind, native)
}

/// What each event reads from the answer.
static ROWS: [Row; 8] = [
    row(E::SessionStart, "on_session_start").waits_for(E::UserPromptSubmit),
    row(E::SessionEnd, "on_session_finalize").patience(1),
    row(E::UserPromptSubmit, "pre_llm_call").context(),
    row(E::PreToolUse, "pre_tool_call").stop(StopWay::Verb).waits_for(E::UserPromptSubmit),
    row(E::PostToolUse, "post_tool_call").waits_for(E::UserPromptSubmit),
    row(E::SubagentStart, "subagent_start"),
    row(E::SubagentStop, "subagent_stop"),
    // Before a turn ends in which code was edited.
    row(E::Stop, "pre_verify").stop(StopWay::Verb).waits_for(E::UserPromptSubmit),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    let extra = raw.get("extra").cloned().unwrap_or_default();
    for (from, to) in [("user_message", "prompt"), ("tool_call_id", "tool_use_id")] {
        if let Some(value) = extra.get(from) {
            raw.entry(to).or_insert_with(|| value.clone());
        }
    }
    // It sends these with every event.
    if !kind.has_tool() {
        for empty in ["tool_name", "tool_input"] {
            if raw.get(empty).is_some_and(Value::is_null) {
                raw.remove(empty);
            }
        }
        return;
    }
    fields::to_canonical(&TABLE, raw);
    if let Some(result) = extra.get("result").and_then(Value::as_str) {
        let inner: Option<Value> = serde_json::from_str(result).ok();
        let text = inner.as_ref().and_then(|inner| inner.get("output")?.as_str()).unwrap_or(result);
        fields::set_result(raw, text);
    }
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    if !kind.has_tool() {
        return Ok(());
    }
    fields::from_canonical(&TABLE, raw)?;
    if let Some(response) = raw.remove("tool_response") {
        let text = crate::agents::shared::result_text(&response);
        raw.insert("extra".to_owned(), json!({ "result": text }));
    }
    Ok(())
}

fn encode(row: &Row, _event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    let stops = verdict.decision.stops() || verdict.decision == Decision::Ask;
    match row.stop {
        StopWay::Verb if stops => {
            answer.top("decision", "block");
            answer.top("reason", reason(verdict));
        }
        _ if verdict.decision.stops() => answer.lost.push(Lost::Block),
        _ => {}
    }
    if verdict.rewrite.is_some() {
        answer.lost.push(Lost::Rewrite);
    }
    if verdict.output.is_some() {
        answer.lost.push(Lost::Output);
    }
    match &verdict.context {
        Some(text) if row.context == ContextWay::Specific => answer.top("context", text.as_str()),
        Some(_) => answer.lost.push(Lost::Context),
        None => {}
    }
    answer.finish(row.native)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;

    fn event(payload: &Value) -> Event {
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    #[test]
    fn a_call_a_result_and_a_prompt() {
        let call = event(&json!({"hook_event_name": "pre_tool_call", "tool_name": "terminal",
            "tool_input": {"command": "ls"}, "session_id": "s", "cwd": "/", "extra": {"tool_call_id": "c"}}));
        assert_eq!(
            (call.agent, call.tool.as_ref().unwrap().command.as_deref()),
            (AgentId::Hermes, Some("ls"))
        );
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        let told = DIALECT.answer(&call, &deny).stdout.unwrap();
        assert_eq!(told, r#"{"decision":"block","reason":"no"}"#);
        let after =
            event(&json!({"hook_event_name": "post_tool_call", "tool_name": "terminal", "tool_input": {},
            "session_id": "s", "cwd": "/", "extra": {"result": "{\"output\": \"out\", \"exit_code\": 0}"}}));
        assert_eq!(after.tool_response().unwrap()["stdout"], "out");
        let prompt = event(&json!({"hook_event_name": "pre_llm_call", "tool_name": null, "tool_input": null,
            "session_id": "s", "cwd": "/", "extra": {"user_message": "hi"}}));
        assert_eq!((prompt.kind, prompt.raw["prompt"].as_str()), (E::UserPromptSubmit, Some("hi")));
        let note = Verdict { context: Some("note".into()), ..Verdict::default() };
        assert_eq!(DIALECT.answer(&prompt, &note).stdout.unwrap(), r#"{"context":"note"}"#);
    }
}
