//! JSON lines: steps of the agent's loop.

use crate::agents::spec::TranscriptFormat;
use crate::agents::{AgentId, is_machine_made};
use crate::transcript::{
    Call, CallResult, Facts, Record, RecordKind, Role, Usage, count, joined, stopped_by_sprag, text,
};
use serde_json::Value;
use sprag_time::Stamp;

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[r#"{"type":"llm."#, r#"{"type":"profile.bind"#],
    is_own: |value| {
        let kind = text(value, "type").unwrap_or_default();
        kind == "metadata" && value.get("protocol_version").is_some() || kind.starts_with("context.append_")
    },
    read: |value, facts| read(value, facts).into_iter().collect(),
    whole_document: false,
};

fn read(value: &Value, facts: &mut Facts) -> Option<Record> {
    facts.agent.get_or_insert(AgentId::Kimi);
    let time = value.get("time").and_then(Value::as_u64).and_then(|ms| ms.checked_mul(1_000)).map(Stamp);
    facts.see_time(time);
    let mut record = Record { time, ..Record::default() };
    match text(value, "type")? {
        "context.append_message" => {
            let message = value.get("message")?;
            record.text = joined(message.get("content")?, |part| part.get("text").is_some());
            text(message, "id").unwrap_or_default().clone_into(&mut record.uuid);
            if is_machine_made(&record.text) {
                record.kind = RecordKind::Meta;
            }
        }
        "context.append_loop_event" => step(value.get("event")?, &mut record)?,
        "usage.record" => {
            let usage = value.get("usage")?;
            Facts::latest(&mut facts.model, text(value, "model"));
            record.role = Role::Assistant;
            record.usage = Some(Usage {
                answer: time.map(|time| time.0.to_string()).unwrap_or_default(),
                input: count(usage, "inputOther"),
                output: count(usage, "output"),
                cache_read: count(usage, "inputCacheRead"),
                cache_write: count(usage, "inputCacheCreation"),
                window: None,
            });
        }
        _ => return None,
    }
    Some(record)
}

fn step(event: &Value, record: &mut Record) -> Option<()> {
    record.role = Role::Assistant;
    text(event, "uuid").unwrap_or_default().clone_into(&mut record.uuid);
    let id = text(event, "toolCallId").unwrap_or_default();
    match text(event, "type")? {
        "content.part" => event.get("part").and_then(|part| text(part, "text"))?.clone_into(&mut record.text),
        "tool.call" => {
            let input = event.get("args").cloned().unwrap_or_default();
            record.calls.push(Call::new(AgentId::Kimi, id, text(event, "name").unwrap_or_default(), input));
        }
        "tool.result" => {
            let result = event.get("result")?;
            record.role = Role::User;
            let output = result.get("output").map(|output| joined(output, |_| true)).unwrap_or_default();
            let error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
            record.results.push(CallResult {
                id: id.to_owned(),
                refused: stopped_by_sprag(&output),
                text: output,
                error,
            });
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_prompt_a_call_and_its_result() {
        let mut facts = Facts::default();
        let mut read = |value: Value| {
            assert!((FORMAT.is_own)(&value));
            (FORMAT.read)(&value, &mut facts).remove(0)
        };
        let prompt = read(json!({"type": "context.append_message", "time": 1_794_964_342_735_u64,
            "message": {"role": "user", "content": [{"type": "text", "text": "hi"}]}}));
        assert!(prompt.is_said());
        let event = |event: Value| json!({"type": "context.append_loop_event", "event": event, "time": 1});
        let call = read(event(json!({"type": "tool.call", "toolCallId": "c", "name": "Bash",
            "args": {"command": "ls"}})));
        assert_eq!(call.calls[0].tool.command.as_deref(), Some("ls"));
        let result = read(event(json!({"type": "tool.result", "toolCallId": "c",
            "result": {"output": "no", "isError": true}})));
        assert!(result.results[0].error);
    }
}
