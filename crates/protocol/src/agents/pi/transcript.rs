//! JSON lines: a header, then entries with messages.

use crate::agents::AgentId;
use crate::agents::spec::TranscriptFormat;
use crate::transcript::{
    Call, CallResult, Facts, Record, RecordKind, Role, Usage, count, joined, stopped_by_sprag, text, time,
};
use serde_json::Value;

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[],
    is_own: |value| {
        let kind = text(value, "type").unwrap_or_default();
        kind == "session" && value.get("version").is_some_and(Value::is_number)
            || kind == "message"
                && value.get("message").is_some_and(|message| message.get("timestamp").is_some())
    },
    read: |value, facts| read(value, facts).into_iter().collect(),
    whole_document: false,
};

fn read(value: &Value, facts: &mut Facts) -> Option<Record> {
    facts.agent.get_or_insert(AgentId::Pi);
    let time = time(value);
    facts.see_time(time);
    let mut record =
        Record { time, uuid: text(value, "id").unwrap_or_default().to_owned(), ..Record::default() };
    match text(value, "type")? {
        "session" => {
            Facts::first(&mut facts.session_id, text(value, "id"));
            Facts::first(&mut facts.cwd, text(value, "cwd"));
            return None;
        }
        "compaction" => {
            record.role = Role::System;
            record.kind = RecordKind::CompactBoundary;
            return Some(record);
        }
        "message" => {}
        _ => return None,
    }
    let message = value.get("message")?;
    let content = message.get("content")?;
    let said = joined(content, |block| text(block, "type") == Some("text"));
    match text(message, "role")? {
        "user" => record.text = said,
        "assistant" => {
            record.role = Role::Assistant;
            record.text = said;
            Facts::latest(&mut facts.model, text(message, "model"));
            let blocks = content.as_array().into_iter().flatten();
            for call in blocks.filter(|block| text(block, "type") == Some("toolCall")) {
                let input = call.get("arguments").cloned().unwrap_or_default();
                let id = text(call, "id").unwrap_or_default();
                record.calls.push(Call::new(AgentId::Pi, id, text(call, "name").unwrap_or_default(), input));
            }
            record.usage = message.get("usage").map(|usage| Usage {
                answer: record.uuid.clone(),
                input: count(usage, "input"),
                output: count(usage, "output"),
                cache_read: count(usage, "cacheRead"),
                cache_write: count(usage, "cacheWrite"),
                window: None,
            });
        }
        "toolResult" => record.results.push(CallResult {
            id: text(message, "toolCallId").unwrap_or_default().to_owned(),
            refused: stopped_by_sprag(&said),
            text: said,
            error: message.get("isError").and_then(Value::as_bool).unwrap_or(false),
        }),
        _ => return None,
    }
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_and_its_result() {
        let mut facts = Facts::default();
        let mut read = |message: Value| {
            let line = json!({"type": "message", "id": "i", "timestamp": "2026-11-18T02:12:39.217Z", "message": message});
            assert!((FORMAT.is_own)(&line));
            (FORMAT.read)(&line, &mut facts).remove(0)
        };
        let call = read(json!({"role": "assistant", "timestamp": 1, "model": "m",
            "content": [{"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls"}}]}));
        assert_eq!(call.calls[0].tool.command.as_deref(), Some("ls"));
        let result = read(json!({"role": "toolResult", "timestamp": 1, "toolCallId": "c", "isError": true,
            "content": [{"type": "text", "text": "no"}]}));
        assert_eq!((result.results[0].text.as_str(), result.results[0].error), ("no", true));
    }
}
