//! Claude Code's names of events. A block before a tool or at the end of a turn is read; text for the model is not.

use super::tools::TABLE;
use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Goose,
    rows: &ROWS,
    context_limit: 0,
    detection_order: 17,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    can_ask: false,
    encode,
    is_host: |raw, _| raw.contains_key("event") && raw.contains_key("matcher_context"),
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 7] = [
    row(E::SessionStart),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit),
    row(E::PreToolUse).stop(StopWay::Decision),
    row(E::PostToolUse),
    row(E::PostToolUseFailure),
    row(E::Stop).stop(StopWay::Decision),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    fields::copy(raw, "working_dir", "cwd");
    if kind == E::UserPromptSubmit {
        fields::copy(raw, "message", "prompt");
    }
    if !kind.has_tool() {
        return;
    }
    fields::copy(raw, "tool_call_id", "tool_use_id");
    fields::to_canonical(&TABLE, raw);
    // Tools of other extensions are tools of MCP servers.
    let name = raw.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    if !name.starts_with("mcp__") && name.contains("__") {
        let name = format!("mcp__{name}");
        raw.insert("tool_name".to_owned(), name.into());
    }
    if let Some(output) = raw.get("tool_output").cloned() {
        match output {
            Value::String(text) => fields::set_result(raw, &text),
            output => drop(raw.insert("tool_response".to_owned(), output)),
        }
    }
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    let native = raw.remove("hook_event_name").unwrap_or_default();
    raw.insert("event".to_owned(), native);
    raw.insert("matcher_context".to_owned(), Value::Null);
    if let Some(cwd) = raw.remove("cwd") {
        raw.insert("working_dir".to_owned(), cwd);
    }
    if kind == E::UserPromptSubmit
        && let Some(prompt) = raw.remove("prompt")
    {
        raw.insert("message".to_owned(), prompt);
    }
    if !kind.has_tool() {
        return Ok(());
    }
    if let Some(response) = raw.remove("tool_response") {
        raw.insert("tool_output".to_owned(), crate::agents::shared::result_text(&response).into());
    }
    let server = raw.get("tool_name").and_then(Value::as_str).and_then(|name| name.strip_prefix("mcp__"));
    if let Some(name) = server.map(str::to_owned) {
        raw.insert("tool_name".to_owned(), name.into());
        return Ok(());
    }
    fields::from_canonical(&TABLE, raw)
}

fn encode(row: &Row, _event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    let stops = verdict.decision.stops() || verdict.decision == Decision::Ask;
    match row.stop {
        StopWay::Decision if stops => {
            answer.top("decision", "block");
            answer.top("reason", reason(verdict));
        }
        _ if verdict.decision.stops() => answer.lost.push(Lost::Block),
        _ => {}
    }
    let cannot = [
        (verdict.rewrite.is_some() && !stops, Lost::Rewrite),
        (verdict.context.is_some(), Lost::Context),
        (verdict.output.is_some(), Lost::Output),
    ];
    answer.lost.extend(cannot.into_iter().filter(|(lost, _)| *lost).map(|(_, lost)| lost));
    answer.finish(row.native)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use serde_json::json;

    fn event(name: &str, more: &Value) -> Event {
        let mut payload =
            json!({"event": name, "session_id": "s", "matcher_context": null, "working_dir": "/w"});
        payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    #[test]
    fn its_tools_are_read_and_blocked() {
        let shell = event(
            "PreToolUse",
            &json!({"tool_name": "developer__shell", "tool_call_id": "t",
            "tool_input": {"command": "rm -rf /"}}),
        );
        assert_eq!((shell.agent, shell.cwd.as_str()), (AgentId::Goose, "/w"));
        assert_eq!(shell.tool.as_ref().unwrap().command.as_deref(), Some("rm -rf /"));
        assert_eq!(shell.text("tool_use_id"), Some("t"));
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        let told = DIALECT.answer(&shell, &deny).stdout.unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&told).unwrap(),
            json!({"decision": "block", "reason": "no"})
        );
        let edit = event(
            "PreToolUse",
            &json!({"tool_name": "developer__edit",
            "tool_input": {"path": "/w/a", "before": "x", "after": "y"}}),
        );
        assert_eq!(edit.tool.as_ref().unwrap().paths[0].path, "/w/a");
        let server = event("PreToolUse", &json!({"tool_name": "github__search", "tool_input": {}}));
        assert_eq!(server.tool.unwrap().name, "mcp__github__search");
    }

    #[test]
    fn what_passes_is_silence_and_text_is_lost() {
        let prompt = event("UserPromptSubmit", &json!({"message": "hi"}));
        assert_eq!(prompt.text("prompt"), Some("hi"));
        assert_eq!(DIALECT.answer(&prompt, &Verdict::default()).stdout, None);
        let verdict = Verdict { context: Some("note".into()), ..Verdict::default() };
        assert_eq!(DIALECT.answer(&prompt, &verdict).lost, [Lost::Context]);
    }
}
