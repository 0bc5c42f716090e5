//! Claude Code's event names. It reads a denial, and the plain text that goes with a prompt.

use super::tools::TABLE;
use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, ContextWay, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Kimi,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 7,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    can_ask: false,
    encode,
    is_host: |raw, _| {
        raw.get("client_type").and_then(Value::as_str).is_some_and(|client| client.starts_with("kimi"))
    },
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 14] = [
    row(E::SessionStart).waits_for(E::UserPromptSubmit),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit).stop(StopWay::Permission).context(),
    row(E::PreToolUse).stop(StopWay::Permission).waits_for(E::UserPromptSubmit),
    row(E::PermissionRequest),
    row(E::PostToolUse).waits_for(E::UserPromptSubmit),
    row(E::PostToolUseFailure).waits_for(E::UserPromptSubmit),
    row(E::Notification),
    row(E::SubagentStart),
    row(E::SubagentStop),
    row(E::Stop).stop(StopWay::Permission).waits_for(E::UserPromptSubmit),
    row(E::StopFailure),
    row(E::Interrupt),
    row(E::PreCompact).waits_for(E::UserPromptSubmit),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    // A prompt is a list of parts.
    if let Some(parts) = raw.get("prompt").and_then(Value::as_array) {
        let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
        let prompt = texts.join("\n");
        raw.insert("prompt".to_owned(), prompt.into());
    }
    if !kind.has_tool() {
        return;
    }
    fields::copy(raw, "tool_call_id", "tool_use_id");
    fields::to_canonical(&TABLE, raw);
    if let Some(text) = raw.get("tool_output").and_then(Value::as_str).map(str::to_owned) {
        fields::set_result(raw, &text);
    }
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    raw.entry("client_type").or_insert_with(|| "kimi_code_cli".into());
    if !kind.has_tool() {
        return Ok(());
    }
    fields::from_canonical(&TABLE, raw)?;
    if let Some(response) = raw.remove("tool_response") {
        raw.insert("tool_output".to_owned(), crate::agents::shared::result_text(&response).into());
    }
    Ok(())
}

fn encode(row: &Row, _event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    let stops = verdict.decision.stops() || verdict.decision == Decision::Ask;
    if verdict.rewrite.is_some() {
        answer.lost.push(Lost::Rewrite);
    }
    if verdict.output.is_some() {
        answer.lost.push(Lost::Output);
    }
    match row.stop {
        StopWay::Permission if stops => {
            answer.specific("permissionDecision", "deny");
            answer.specific("permissionDecisionReason", reason(verdict));
            return answer.finish(row.native);
        }
        _ if verdict.decision.stops() => answer.lost.push(Lost::Block),
        StopWay::Permission if verdict.decision == Decision::Allow => answer.lost.push(Lost::Allow),
        _ => {}
    }
    match verdict.context.as_deref().filter(|text| !text.trim().is_empty()) {
        Some(text) if row.context == ContextWay::Specific => {
            Encoded { stdout: Some(text.to_owned()), refusal: None, lost: answer.lost }
        }
        Some(_) => {
            answer.lost.push(Lost::Context);
            Encoded { stdout: None, refusal: None, lost: answer.lost }
        }
        None => answer.finish(row.native),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use serde_json::json;

    fn event(name: &str) -> Event {
        let payload = json!({"hook_event_name": name, "session_id": "s", "cwd": "/", "client_type": "kimi_code_cli",
            "prompt": [{"type": "text", "text": "hi"}], "tool_name": "Read", "tool_input": {"path": "/a"},
            "tool_output": "text"});
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    #[test]
    fn a_prompt_is_text_and_its_context_plain() {
        let prompt = event("UserPromptSubmit");
        assert_eq!((prompt.agent, prompt.raw["prompt"].as_str()), (AgentId::Kimi, Some("hi")));
        let verdict = Verdict { context: Some("note".into()), ..Verdict::default() };
        assert_eq!(DIALECT.answer(&prompt, &verdict).stdout.as_deref(), Some("note"));
        assert_eq!(DIALECT.answer(&event("SessionStart"), &verdict).lost, [Lost::Context]);
    }

    #[test]
    fn every_stop_is_a_denial() {
        let verdict = Verdict { decision: Decision::Block, reason: Some("no".into()), ..Verdict::default() };
        for name in ["UserPromptSubmit", "PreToolUse", "Stop"] {
            let told: Value =
                serde_json::from_str(&DIALECT.answer(&event(name), &verdict).stdout.unwrap()).unwrap();
            assert_eq!(told["hookSpecificOutput"]["permissionDecisionReason"], "no", "{name}");
        }
        assert_eq!(DIALECT.answer(&event("PostToolUse"), &verdict).lost, [Lost::Block]);
        let read = event("PostToolUse");
        assert_eq!(read.tool.as_ref().unwrap().paths[0].path, "/a");
        assert_eq!(read.tool_response().unwrap(), "text");
    }
}
