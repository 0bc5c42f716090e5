//! JSON lines: an event with its `data`.

use crate::agents::AgentId;
use crate::agents::spec::TranscriptFormat;
use crate::transcript::{
    Call, CallResult, Facts, Record, RecordKind, Role, Usage, count, stopped_by_sprag, text, time,
};
use serde_json::Value;

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[r#"{"type":"system.message"#, r#"{"type":"hook."#],
    is_own: |value| value.get("parentId").is_some() && value.get("data").is_some_and(Value::is_object),
    read: |value, facts| read(value, facts).into_iter().collect(),
    whole_document: false,
};

fn read(value: &Value, facts: &mut Facts) -> Option<Record> {
    facts.agent.get_or_insert(AgentId::Copilot);
    let time = time(value);
    facts.see_time(time);
    let data = value.get("data")?;
    let mut record =
        Record { time, uuid: text(value, "id").unwrap_or_default().to_owned(), ..Record::default() };
    match text(value, "type")? {
        "session.start" => {
            Facts::first(&mut facts.session_id, text(data, "sessionId"));
            Facts::latest(&mut facts.version, text(data, "copilotVersion"));
            let context = data.get("context")?;
            Facts::first(&mut facts.cwd, text(context, "cwd"));
            Facts::latest(&mut facts.branch, text(context, "branch"));
            return None;
        }
        "user.message" => text(data, "content")?.clone_into(&mut record.text),
        "assistant.message" => {
            record.role = Role::Assistant;
            Facts::latest(&mut facts.model, text(data, "model"));
            text(data, "content").unwrap_or_default().clone_into(&mut record.text);
            for call in data.get("toolRequests").and_then(Value::as_array).into_iter().flatten() {
                let id = text(call, "toolCallId").unwrap_or_default();
                let input = call.get("arguments").cloned().unwrap_or_default();
                record.calls.push(Call::new(
                    AgentId::Copilot,
                    id,
                    text(call, "name").unwrap_or_default(),
                    input,
                ));
            }
        }
        "tool.execution_complete" => record.results.push(result(data)),
        "session.usage_record" => {
            let usage = data.get("usage")?;
            record.role = Role::Assistant;
            record.usage = Some(Usage {
                answer: record.uuid.clone(),
                input: count(usage, "inputTokens").saturating_sub(count(usage, "cacheReadTokens")),
                output: count(usage, "outputTokens"),
                cache_read: count(usage, "cacheReadTokens"),
                cache_write: count(usage, "cacheWriteTokens"),
                window: usage.get("maxPromptTokens").and_then(Value::as_u64),
            });
        }
        "session.compaction_complete" => {
            record.role = Role::System;
            record.kind = RecordKind::CompactBoundary;
        }
        _ => return None,
    }
    Some(record)
}

fn result(data: &Value) -> CallResult {
    let said = data.get("result").and_then(|result| text(result, "content"));
    let failed = data.get("error").and_then(|error| text(error, "message"));
    let code = data.get("shellExecution").and_then(|shell| shell.get("exitCode")).and_then(Value::as_i64);
    CallResult {
        refused: said.or(failed).is_some_and(stopped_by_sprag),
        id: text(data, "toolCallId").unwrap_or_default().to_owned(),
        text: said.or(failed).unwrap_or_default().to_owned(),
        error: data.get("success").and_then(Value::as_bool) == Some(false)
            || code.is_some_and(|code| code != 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_prompt_a_call_and_its_result() {
        let line = |kind: &str, data: Value| json!({"type": kind, "data": data, "id": "i", "timestamp": "2026-11-18T01:09:54.976Z", "parentId": null});
        let mut facts = Facts::default();
        let start = line(
            "session.start",
            json!({"sessionId": "s", "copilotVersion": "1.0.102",
            "context": {"cwd": "/p", "branch": "main"}}),
        );
        assert!((FORMAT.is_own)(&start) && (FORMAT.read)(&start, &mut facts).is_empty());
        assert_eq!((facts.session_id.as_str(), facts.cwd.as_str()), ("s", "/p"));
        let call = line(
            "assistant.message",
            json!({"content": "", "model": "m",
            "toolRequests": [{"toolCallId": "c", "name": "bash", "arguments": {"command": "ls"}}]}),
        );
        let records = (FORMAT.read)(&call, &mut facts);
        assert_eq!(records[0].calls[0].tool.command.as_deref(), Some("ls"));
        let failed = line(
            "tool.execution_complete",
            json!({"toolCallId": "c", "success": true,
            "shellExecution": {"exitCode": 2}, "result": {"content": "oops"}}),
        );
        let records = (FORMAT.read)(&failed, &mut facts);
        assert_eq!((records[0].results[0].text.as_str(), records[0].results[0].error), ("oops", true));
    }
}
