//! JSON lines: updates of a session as the Agent Client Protocol spells them.

use crate::agents::spec::TranscriptFormat;
use crate::agents::{AgentId, is_machine_made};
use crate::transcript::{Call, CallResult, Facts, Record, RecordKind, Role, stopped_by_sprag, text};
use serde_json::Value;
use sprag_time::Stamp;

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[],
    is_own: |value| value.get("params").and_then(|params| params.get("update")).is_some(),
    read: |value, facts| read(value, facts).into_iter().collect(),
    whole_document: false,
};

fn read(value: &Value, facts: &mut Facts) -> Option<Record> {
    facts.agent.get_or_insert(AgentId::Grok);
    let params = value.get("params")?;
    Facts::first(&mut facts.session_id, text(params, "sessionId"));
    let time =
        value.get("timestamp").and_then(Value::as_u64).and_then(|s| s.checked_mul(1_000_000)).map(Stamp);
    facts.see_time(time);
    let update = params.get("update")?;
    let uuid = params.get("_meta").and_then(|meta| text(meta, "eventId")).unwrap_or_default().to_owned();
    let mut record = Record { time, uuid, ..Record::default() };
    let said = || update.get("content").and_then(|content| text(content, "text")).unwrap_or_default();
    match text(update, "sessionUpdate")? {
        "user_message_chunk" => {
            said().clone_into(&mut record.text);
            if is_machine_made(&record.text) {
                record.kind = RecordKind::Meta;
            }
        }
        "agent_message_chunk" => {
            record.role = Role::Assistant;
            said().clone_into(&mut record.text);
        }
        "tool_call" => {
            record.role = Role::Assistant;
            let id = text(update, "toolCallId").unwrap_or_default();
            let input = update.get("rawInput").cloned().unwrap_or_default();
            record.calls.push(Call::new(AgentId::Grok, id, text(update, "title").unwrap_or_default(), input));
        }
        "tool_call_update" => record.results.push(result(update)?),
        _ => return None,
    }
    Some(record)
}

fn result(update: &Value) -> Option<CallResult> {
    let status = text(update, "status").filter(|status| matches!(*status, "completed" | "failed"))?;
    let blocks = update.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| text(block.get("content")?, "text")).collect();
    let code = update.get("rawOutput").and_then(|output| output.get("exit_code")).and_then(Value::as_i64);
    let said = texts.join("\n");
    Some(CallResult {
        id: text(update, "toolCallId").unwrap_or_default().to_owned(),
        refused: stopped_by_sprag(&said),
        text: said,
        error: status == "failed" || code.is_some_and(|code| code != 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_and_its_result() {
        let line = |update: Value| {
            json!({"timestamp": 1_794_964_259, "method": "session/update",
                "params": {"sessionId": "s", "update": update}})
        };
        let mut facts = Facts::default();
        let call =
            line(json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "run_terminal_command",
            "rawInput": {"command": "ls"}}));
        assert!((FORMAT.is_own)(&call));
        assert_eq!((FORMAT.read)(&call, &mut facts)[0].calls[0].tool.command.as_deref(), Some("ls"));
        let done =
            line(json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "out"}}],
            "rawOutput": {"exit_code": 3}}));
        let result = &(FORMAT.read)(&done, &mut facts)[0].results[0];
        assert_eq!((result.text.as_str(), result.error), ("out", true));
        assert_eq!(facts.session_id, "s");
    }
}
