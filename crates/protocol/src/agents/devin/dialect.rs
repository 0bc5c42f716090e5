//! Claude Code's names of events and its answers, with Devin's tools.

use super::tools::TABLE;
use crate::agents::{AgentId, encode_canonical, fields};
use crate::dialect::{Dialect, Encoded, Row, StopWay};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::Verdict;
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Devin,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 15,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical: |kind, raw| if kind.has_tool() { fields::from_canonical(&TABLE, raw) } else { Ok(()) },
    can_ask: true,
    encode,
    is_host: |_, env| env("DEVIN_PROJECT_DIR").is_some(),
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 8] = [
    row(E::SessionStart).context(),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit).stop(StopWay::Decision).context(),
    row(E::PreToolUse).stop(StopWay::Permission).rewrite().waits_for(E::PostToolUse),
    row(E::PermissionRequest).stop(StopWay::Behavior),
    row(E::PostToolUse).stop(StopWay::Decision).context(),
    row(E::Stop).stop(StopWay::Decision).waits_for(E::UserPromptSubmit),
    Row::observe(E::PostCompact, "PostCompaction").waits_for(E::UserPromptSubmit),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    if !kind.has_tool() {
        return;
    }
    fields::to_canonical(&TABLE, raw);
    if let Some(text) = raw.get("tool_response").and_then(Value::as_str).map(str::to_owned) {
        fields::set_result(raw, &text);
    }
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    let native = event.tool.as_ref().map_or("", |tool| tool.native_name.as_str());
    let mut verdict = verdict.clone();
    verdict.rewrite = verdict.rewrite.map(|input| fields::native_input(&TABLE, native, &input));
    encode_canonical(row, event, &verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use crate::dialect::Lost;
    use crate::verdict::Decision;
    use serde_json::json;

    fn event(more: &Value) -> Event {
        let mut payload = json!({"session_id": "s", "cwd": "/w"});
        payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        decode(payload.to_string().as_bytes(), Some(AgentId::Devin), &|_| None).unwrap()
    }

    #[test]
    fn its_shell_is_one_and_a_denial_is_in_the_canonical_spelling() {
        let shell = event(&json!({"hook_event_name": "PreToolUse", "tool_name": "exec",
            "tool_input": {"command": "rm -rf /"}}));
        assert_eq!(shell.tool.as_ref().unwrap().command.as_deref(), Some("rm -rf /"));
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        let told: Value = serde_json::from_str(&DIALECT.answer(&shell, &deny).stdout.unwrap()).unwrap();
        assert_eq!(told["hookSpecificOutput"]["permissionDecisionReason"], "no");
    }

    #[test]
    fn an_output_stays_and_a_compaction_is_seen_afterwards() {
        let read = event(&json!({"hook_event_name": "PostToolUse", "tool_name": "read",
            "tool_input": {"path": "/w/a"}, "tool_response": "text"}));
        assert_eq!(read.tool.as_ref().unwrap().paths[0].path, "/w/a");
        let verdict = Verdict { output: Some(json!("x")), ..Verdict::default() };
        assert_eq!(DIALECT.answer(&read, &verdict).lost, [Lost::Output]);
        assert_eq!(event(&json!({"hook_event_name": "PostCompaction"})).kind, E::PostCompact);
    }

    #[test]
    fn it_is_known_behind_the_canonical_file() {
        let payload = br#"{"hook_event_name":"PreToolUse","tool_name":"exec","tool_input":{"command":"ls"}}"#;
        let env = |name: &str| (name == "DEVIN_PROJECT_DIR").then(|| "/w".to_owned());
        assert_eq!(decode(payload, Some(AgentId::Claude), &env).unwrap().agent, AgentId::Devin);
    }
}
