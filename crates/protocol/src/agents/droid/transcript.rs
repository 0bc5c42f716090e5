//! JSON lines: messages like Claude Code's below `message`.

use crate::agents::spec::TranscriptFormat;
use crate::agents::{AgentId, is_machine_made};
use crate::transcript::{
    Call, CallResult, Facts, Record, RecordKind, Role, joined, stopped_by_sprag, text, time,
};
use serde_json::Value;

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[],
    is_own: |value| {
        let kind = text(value, "type").unwrap_or_default();
        let message = value.get("message").filter(|_| kind == "message");
        // Pi's messages have a time of their own.
        message.is_some_and(|message| message.get("timestamp").is_none())
            || kind == "session_start" && value.get("hostId").is_some()
    },
    read: |value, facts| read(value, facts).into_iter().collect(),
    whole_document: false,
};

fn read(value: &Value, facts: &mut Facts) -> Option<Record> {
    facts.agent.get_or_insert(AgentId::Droid);
    if text(value, "type") == Some("session_start") {
        Facts::first(&mut facts.session_id, text(value, "id"));
        Facts::first(&mut facts.cwd, text(value, "cwd"));
        return None;
    }
    let time = time(value);
    facts.see_time(time);
    let message = value.get("message")?;
    let content = message.get("content")?;
    let blocks = |kind: &'static str| {
        let all = content.as_array().into_iter().flatten();
        all.filter(move |block| text(block, "type") == Some(kind))
    };
    let mut record = Record {
        time,
        uuid: text(value, "id").unwrap_or_default().to_owned(),
        text: joined(content, |block| text(block, "type") == Some("text")),
        ..Record::default()
    };
    if text(message, "role") == Some("assistant") {
        record.role = Role::Assistant;
        Facts::latest(&mut facts.model, text(message, "modelId"));
    } else if text(message, "visibility") == Some("user_only") || is_machine_made(&record.text) {
        record.kind = RecordKind::Meta;
    }
    for call in blocks("tool_use") {
        let input = call.get("input").cloned().unwrap_or_default();
        let id = text(call, "id").unwrap_or_default();
        record.calls.push(Call::new(AgentId::Droid, id, text(call, "name").unwrap_or_default(), input));
    }
    for result in blocks("tool_result") {
        let text_of = result.get("content").map(|content| joined(content, |_| true)).unwrap_or_default();
        let code =
            text_of.rsplit_once("[Process exited with code ").map(|(_, code)| code.trim_end_matches(']'));
        let error = result.get("is_error").and_then(Value::as_bool).unwrap_or(false);
        record.results.push(CallResult {
            refused: stopped_by_sprag(&text_of),
            id: text(result, "tool_use_id").unwrap_or_default().to_owned(),
            error: error || code.is_some_and(|code| code != "0"),
            text: text_of,
        });
    }
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_and_a_failed_result() {
        let mut facts = Facts::default();
        let line = |role: &str, block: Value| {
            json!({"type": "message", "id": "i", "timestamp": "2026-11-18T01:14:11.770Z",
                "message": {"role": role, "content": [block]}})
        };
        let call = line(
            "assistant",
            json!({"type": "tool_use", "id": "c", "name": "Execute",
            "input": {"command": "ls"}}),
        );
        assert!((FORMAT.is_own)(&call));
        assert_eq!((FORMAT.read)(&call, &mut facts)[0].calls[0].tool.command.as_deref(), Some("ls"));
        let result = line(
            "user",
            json!({"type": "tool_result", "tool_use_id": "c", "is_error": false,
            "content": "no\n\n\n[Process exited with code 2]"}),
        );
        assert!((FORMAT.read)(&result, &mut facts)[0].results[0].error);
        let reminder = line("user", json!({"type": "text", "text": "<system-reminder>\nx"}));
        assert_eq!((FORMAT.read)(&reminder, &mut facts)[0].kind, RecordKind::Meta);
    }
}
