//! One document for each session, as the model's API has the messages.

use crate::agents::spec::TranscriptFormat;
use crate::agents::{AgentId, is_machine_made};
use crate::transcript::{
    Call, CallResult, Facts, Record, RecordKind, Role, Usage, count, joined, stopped_by_sprag, text,
};
use serde_json::Value;
use sprag_time::Stamp;

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[],
    is_own: |value| {
        value.get("sessionId").is_some() && value.get("origin").is_some() && value.get("messages").is_some()
    },
    read,
    whole_document: true,
};

fn read(value: &Value, facts: &mut Facts) -> Vec<Record> {
    facts.agent.get_or_insert(AgentId::Cline);
    Facts::first(&mut facts.session_id, text(value, "sessionId"));
    let messages = value.get("messages").and_then(Value::as_array).into_iter().flatten();
    messages.filter_map(|message| one(message, facts)).collect()
}

fn one(message: &Value, facts: &mut Facts) -> Option<Record> {
    let millis = message.get("ts").and_then(Value::as_u64);
    let time = millis.and_then(|ms| ms.checked_mul(1_000)).map(Stamp);
    facts.see_time(time);
    let uuid = text(message, "id").unwrap_or_default();
    let mut record = Record { time, uuid: uuid.to_owned(), ..Record::default() };
    let content = message.get("content")?;
    record.text = own_words(&joined(content, |block| text(block, "type") == Some("text")));
    if is_machine_made(&record.text) {
        record.kind = RecordKind::Meta;
    }
    if text(message, "role")? == "assistant" {
        record.role = Role::Assistant;
        Facts::latest(&mut facts.model, message.get("modelInfo").and_then(|model| text(model, "id")));
        record.usage = message.get("metrics").map(|metrics| Usage {
            answer: uuid.to_owned(),
            input: count(metrics, "inputTokens"),
            output: count(metrics, "outputTokens"),
            cache_read: count(metrics, "cacheReadTokens"),
            cache_write: count(metrics, "cacheWriteTokens"),
            window: None,
        });
    }
    for block in content.as_array().into_iter().flatten() {
        let id = |key: &str| text(block, key).unwrap_or_default();
        match text(block, "type") {
            Some("tool_use") => {
                let input = block.get("input").cloned().unwrap_or_default();
                record.calls.push(Call::new(AgentId::Cline, id("id"), id("name"), input));
            }
            Some("tool_result") => {
                let shown = block.get("content").map(shown).unwrap_or_default();
                record.results.push(CallResult {
                    id: id("tool_use_id").to_owned(),
                    refused: stopped_by_sprag(&shown),
                    text: shown,
                    error: block.get("is_error").and_then(Value::as_bool).unwrap_or(false),
                });
            }
            _ => {}
        }
    }
    Some(record)
}

/// A prompt without the element around it.
fn own_words(said: &str) -> String {
    let inner = said.strip_prefix("<user_input").and_then(|rest| rest.split_once('>'));
    inner.map_or(said, |(_, rest)| rest.trim_end().trim_end_matches("</user_input>")).to_owned()
}

/// What the calls of one tool gave, as text.
fn shown(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(results) => {
            let text = |result: &Value| match result.get("result").or_else(|| result.get("error")) {
                Some(Value::String(text)) => text.clone(),
                _ => text(result, "text").map_or_else(|| result.to_string(), str::to_owned),
            };
            results.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}
