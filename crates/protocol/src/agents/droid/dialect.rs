//! Claude Code's events and answers; of the latter, no text before a tool, no replaced output and no block after one.

use super::tools::TABLE;
use crate::agents::{AgentId, encode_canonical, fields, shared};
use crate::dialect::{Dialect, Encoded, Lost, Row, StopWay};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::Verdict;
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Droid,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 6,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical: |kind, raw| if kind.has_tool() { fields::from_canonical(&TABLE, raw) } else { Ok(()) },
    can_ask: true,
    encode,
    is_host: |raw, env| {
        env("DROID_PROJECT_DIR").is_some()
            || raw
                .get("transcript_path")
                .and_then(Value::as_str)
                .is_some_and(|path| path.contains("/.factory/"))
    },
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 9] = [
    row(E::SessionStart).context(),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit).stop(StopWay::Decision).context(),
    row(E::PreToolUse).stop(StopWay::Permission).rewrite().waits_for(E::PostToolUse),
    row(E::PostToolUse).context(),
    row(E::Notification),
    row(E::SubagentStop).stop(StopWay::Decision),
    row(E::Stop).stop(StopWay::Decision).waits_for(E::UserPromptSubmit),
    row(E::PreCompact).waits_for(E::UserPromptSubmit),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    if !kind.has_tool() {
        return;
    }
    fields::to_canonical(&TABLE, raw);
    if let Some(text) = raw.get("tool_response").and_then(Value::as_str).map(str::to_owned) {
        let text = text.strip_suffix("[Process exited with code 0]").map_or(text.as_str(), str::trim_end);
        let text = text.to_owned();
        fields::set_result(raw, &text);
    }
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    let native = event.tool.as_ref().map_or("", |tool| tool.native_name.as_str());
    let mut verdict = verdict.clone();
    verdict.rewrite = verdict.rewrite.map(|input| fields::native_input(&TABLE, native, &input));
    let output = verdict.output.take().is_some();
    if row.kind == E::PostToolUse {
        shared::keep_result(&mut verdict);
    }
    let mut encoded = encode_canonical(row, event, &verdict);
    encoded.lost.extend(output.then_some(Lost::Output));
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use crate::verdict::Decision;
    use serde_json::json;

    #[test]
    fn a_block_after_a_tool_is_a_note_and_a_replaced_output_is_lost() {
        let payload = json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/",
            "transcript_path": "/h/.factory/sessions/p/s.jsonl", "tool_name": "Execute",
            "tool_input": {"command": "ls"}, "tool_response": "out\n\n\n[Process exited with code 0]"});
        let event = decode(payload.to_string().as_bytes(), None, &|_| None).unwrap();
        assert_eq!(event.agent, AgentId::Droid);
        assert_eq!(event.tool_response().unwrap()["stdout"], "out");
        let verdict = Verdict {
            decision: Decision::Block,
            reason: Some("look".into()),
            output: Some(json!("[gone]")),
            ..Verdict::default()
        };
        let encoded = DIALECT.answer(&event, &verdict);
        let specific = json!({"hookEventName": "PostToolUse", "additionalContext": "look"});
        let told: Value = serde_json::from_str(&encoded.stdout.unwrap()).unwrap();
        assert_eq!((told, encoded.lost), (json!({"hookSpecificOutput": specific}), vec![Lost::Output]));
    }
}
