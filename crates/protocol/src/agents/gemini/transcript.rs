//! Chat files: a line about the session, then messages; a message is written again when it has grown.

use super::dialect::own_words;
use crate::agents::spec::TranscriptFormat;
use crate::agents::{AgentId, is_machine_made};
use crate::transcript::{
    Call, CallResult, Facts, Record, RecordKind, Role, Usage, count, joined, text, time,
};
use serde_json::Value;

pub(super) const FORMAT: TranscriptFormat =
    TranscriptFormat { skipped: &[], is_own, read, whole_document: true };

/// True for a line in this format.
fn is_own(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    has("projectHash")
        || has("$set")
        || has("$rewindTo")
        || (has("id") && !has("message") && !has("uuid") && text(value, "type").is_some())
}

/// Reads one line's object.
fn read(value: &Value, facts: &mut Facts) -> Vec<Record> {
    facts.agent.get_or_insert(AgentId::Gemini);
    if value.get("projectHash").is_some() {
        Facts::first(&mut facts.session_id, text(value, "sessionId"));
        let started = text(value, "startTime").and_then(sprag_time::Stamp::parse);
        facts.see_time(started);
    }
    let messages = value.get("messages").or_else(|| value.get("$set").and_then(|set| set.get("messages")));
    match messages.and_then(Value::as_array) {
        Some(messages) => messages.iter().filter_map(|message| one(message, facts)).collect(),
        None => one(value, facts).into_iter().collect(),
    }
}

fn one(message: &Value, facts: &mut Facts) -> Option<Record> {
    let (role, kind) = match text(message, "type")? {
        "user" => (Role::User, RecordKind::Message),
        "gemini" => (Role::Assistant, RecordKind::Message),
        "error" => (Role::Assistant, RecordKind::Failure),
        "info" | "warning" => (Role::System, RecordKind::Meta),
        _ => return None,
    };
    let time = time(message);
    facts.see_time(time);
    let mut record = Record {
        kind,
        role,
        time,
        uuid: text(message, "id").unwrap_or_default().to_owned(),
        text: message
            .get("content")
            .map(|content| joined(content, |part| part.get("text").is_some()))
            .unwrap_or_default(),
        ..Record::default()
    };
    if role == Role::User {
        record.text = own_words(&record.text).to_owned();
        if is_machine_made(&record.text) {
            record.kind = RecordKind::Meta;
            Facts::first(&mut facts.cwd, workspace(&record.text));
        }
    }
    if role == Role::Assistant {
        Facts::latest(&mut facts.model, text(message, "model"));
    }
    for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
        let id = text(call, "id").unwrap_or_default();
        let input = call.get("args").cloned().unwrap_or_default();
        record.calls.push(Call::new(AgentId::Gemini, id, text(call, "name").unwrap_or_default(), input));
        record.results.extend(result(id, call));
    }
    record.usage = message.get("tokens").filter(|tokens| tokens.is_object()).map(|tokens| {
        let cached = count(tokens, "cached");
        Usage {
            answer: record.uuid.clone(),
            input: count(tokens, "input").saturating_sub(cached),
            output: count(tokens, "output") + count(tokens, "thoughts"),
            cache_read: cached,
            cache_write: 0,
            window: None,
        }
    });
    Some(record)
}

/// The folder that the agent's own words at the session's start name.
fn workspace(said: &str) -> Option<&str> {
    let (_, after) =
        said.split_once("Workspace Directories").or_else(|| said.split_once("working in the"))?;
    let mut words = after.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ')']));
    words.find(|word| word.starts_with('/'))
}

fn result(id: &str, call: &Value) -> Option<CallResult> {
    let status = text(call, "status")?;
    let parts = call.get("result").and_then(Value::as_array).into_iter().flatten();
    let response = parts.filter_map(|part| part.get("functionResponse")?.get("response")).next_back();
    let shown = response
        .and_then(|response| text(response, "output").or_else(|| text(response, "error")))
        .unwrap_or_default();
    let failed = |line: &str| line.strip_prefix("Exit Code: ").is_some_and(|code| code.trim() != "0");
    let error = matches!(status, "error" | "cancelled") || shown.lines().any(failed);
    Some(CallResult { id: id.to_owned(), text: shown.to_owned(), error, refused: status == "cancelled" })
}
