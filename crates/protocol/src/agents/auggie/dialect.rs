//! Claude Code's answers; the decision of a stop and of a result is inside of the event's part.

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
    agent: AgentId::Auggie,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 21,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    can_ask: false,
    encode,
    is_host: |raw, env| {
        env("AUGMENT_HOOK_EVENT").is_some()
            || raw.contains_key("conversation_id")
                && raw.contains_key("workspace_roots")
                && !raw.contains_key("cursor_version")
    },
};

/// What each event reads from the answer.
static ROWS: [Row; 7] = [
    // It takes a text there, and none reaches the model in a run for one prompt.
    Row::observe(E::SessionStart, "SessionStart").waits_for(E::PostToolUse),
    Row::observe(E::SessionEnd, "SessionEnd").patience(1),
    Row::observe(E::UserPromptSubmit, "PromptSubmit").waits_for(E::PostToolUse),
    Row::observe(E::PreToolUse, "PreToolUse").stop(StopWay::Permission).rewrite().waits_for(E::PostToolUse),
    Row::observe(E::PostToolUse, "PostToolUse").stop(StopWay::Decision).context(),
    Row::observe(E::Notification, "Notification"),
    Row::observe(E::Stop, "Stop").stop(StopWay::Decision).waits_for(E::PostToolUse),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    fields::copy(raw, "conversation_id", "session_id");
    let root = raw.get("workspace_roots").and_then(|roots| roots.get(0)).cloned();
    if let Some(root) = root.filter(|_| !raw.contains_key("cwd")) {
        raw.insert("cwd".to_owned(), root);
    }
    if kind == E::UserPromptSubmit {
        fields::copy(raw, "user_prompt", "prompt");
    }
    let exchange = raw.get("_exchange").and_then(|stopped| stopped.get("exchange"));
    if let Some(said) = exchange.and_then(|exchange| exchange.get("response_text")).cloned() {
        raw.entry("last_assistant_message").or_insert(said);
    }
    if !kind.has_tool() {
        return;
    }
    fields::to_canonical(&TABLE, raw);
    // Before a call the result is a word for nothing.
    if kind == E::PostToolUse
        && let Some(text) = raw.get("tool_output").and_then(Value::as_str).map(plain)
    {
        fields::set_result(raw, &text);
    }
}

/// A shell's output without the frame around it; a failure keeps its code.
fn plain(text: &str) -> String {
    let between =
        |open: &str, close: &str| Some(text.split_once(open)?.1.rsplit_once(close)?.0.trim_matches('\n'));
    match (between("<return-code>", "</return-code>"), between("<output>", "</output>")) {
        (Some("0"), Some(output)) => output.to_owned(),
        (Some(code), Some(output)) => format!("{output}\nexit code {code}"),
        _ => text.to_owned(),
    }
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    if let Some(session) = raw.remove("session_id") {
        raw.insert("conversation_id".to_owned(), session);
    }
    if let Some(cwd) = raw.remove("cwd") {
        raw.insert("workspace_roots".to_owned(), json!([cwd]));
    }
    if kind == E::UserPromptSubmit
        && let Some(prompt) = raw.remove("prompt")
    {
        raw.insert("user_prompt".to_owned(), prompt);
    }
    if !kind.has_tool() {
        return Ok(());
    }
    fields::from_canonical(&TABLE, raw)?;
    if let Some(response) = raw.remove("tool_response") {
        raw.insert("tool_output".to_owned(), crate::agents::shared::result_text(&response).into());
    }
    Ok(())
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    let stops = verdict.decision.stops() || verdict.decision == Decision::Ask;
    match row.stop {
        StopWay::Permission if stops => {
            answer.specific("permissionDecision", "deny");
            answer.specific("permissionDecisionReason", reason(verdict));
        }
        StopWay::Permission if verdict.decision == Decision::Allow => {
            answer.specific("permissionDecision", "allow");
        }
        StopWay::Decision if verdict.decision.stops() => {
            answer.specific("decision", "block");
            answer.specific("reason", reason(verdict));
        }
        _ if verdict.decision.stops() => answer.lost.push(Lost::Block),
        _ => {}
    }
    if let Some(input) = verdict.rewrite.as_ref().filter(|_| !stops) {
        let native = event.tool.as_ref().map_or("", |tool| tool.native_name.as_str());
        answer.specific("updatedInput", fields::native_input(&TABLE, native, input));
    }
    match &verdict.context {
        Some(text) if row.context == ContextWay::Specific => {
            answer.specific("additionalContext", text.as_str());
        }
        Some(_) => answer.lost.push(Lost::Context),
        None => {}
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

    fn event(name: &str, more: &Value) -> Event {
        let mut payload = json!({"hook_event_name": name, "conversation_id": "c", "workspace_roots": ["/w"]});
        payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    fn told(event: &Event, verdict: &Verdict) -> Value {
        serde_json::from_str(DIALECT.answer(event, verdict).stdout.as_deref().unwrap_or("null")).unwrap()
    }

    #[test]
    fn a_call_and_its_result() {
        let input = json!({"command": "ls", "wait": true});
        let before = event(
            "PreToolUse",
            &json!({"tool_name": "launch-process", "tool_input": input,
            "tool_output": "[undefined]", "tool_error": null, "is_mcp_tool": false}),
        );
        assert_eq!((before.agent, before.cwd.as_str()), (AgentId::Auggie, "/w"));
        assert_eq!(before.tool.as_ref().unwrap().command.as_deref(), Some("ls"));
        assert_eq!(before.tool_response(), None);
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        assert_eq!(told(&before, &deny)["hookSpecificOutput"]["permissionDecisionReason"], "no");
        let framed = "Here are the results.\n<return-code>\n0\n</return-code>\n<output>\na b\n\n</output>";
        let after = event(
            "PostToolUse",
            &json!({"tool_name": "launch-process", "tool_input": input, "tool_output": framed}),
        );
        assert_eq!(after.tool_response().unwrap()["stdout"], "a b");
        assert!(plain(&framed.replace("\n0\n", "\n3\n")).ends_with("exit code 3"));
    }

    #[test]
    fn the_decision_of_a_stop_is_in_the_events_part() {
        let stop = event(
            "Stop",
            &json!({"agent_stop_cause": "end_turn",
            "_exchange": {"exchange": {"response_text": "done"}}}),
        );
        assert_eq!(stop.text("last_assistant_message"), Some("done"));
        let block = Verdict { decision: Decision::Block, reason: Some("more".into()), ..Verdict::default() };
        assert_eq!(
            told(&stop, &block),
            json!({"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "more"}})
        );
    }
}
