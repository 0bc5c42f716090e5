//! Chat files: JSON lines like Claude Code's around contents like Gemini's (`message.parts`).

use crate::agents::AgentId;
use crate::agents::spec::TranscriptFormat;
use crate::transcript::{
    Call, CallResult, Facts, Record, RecordKind, Role, Usage, count, joined, text, time,
};
use serde_json::Value;

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[],
    is_own,
    read: |value, facts| read(value, facts).into_iter().collect(),
    whole_document: false,
};

/// True for a line in this format.
fn is_own(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    let parts = value.get("message").and_then(|message| message.get("parts"));
    has("uuid") && (parts.is_some() || has("systemPayload") || has("toolCallResult"))
}

/// Reads one line's object.
fn read(value: &Value, facts: &mut Facts) -> Option<Record> {
    facts.agent.get_or_insert(AgentId::Qwen);
    Facts::first(&mut facts.session_id, text(value, "sessionId"));
    Facts::first(&mut facts.cwd, text(value, "cwd"));
    Facts::latest(&mut facts.branch, text(value, "gitBranch"));
    Facts::latest(&mut facts.version, text(value, "version"));
    let time = time(value);
    facts.see_time(time);
    let subtype = text(value, "subtype").unwrap_or_default();
    let (role, kind) = match text(value, "type")? {
        "user" if subtype.is_empty() || subtype == "mid_turn_user_message" => {
            (Role::User, RecordKind::Message)
        }
        // Notifications, schedules, goals.
        "user" => (Role::User, RecordKind::Meta),
        "tool_result" => (Role::User, RecordKind::Message),
        "assistant" => (Role::Assistant, RecordKind::Message),
        _ if subtype == "chat_compression" => (Role::System, RecordKind::CompactBoundary),
        _ => return None,
    };
    let mut record = Record {
        kind,
        role,
        time,
        sidechain: value.get("isSidechain").and_then(Value::as_bool).unwrap_or(false),
        uuid: text(value, "uuid").unwrap_or_default().to_owned(),
        ..Record::default()
    };
    let parts = value.get("message").and_then(|message| message.get("parts")).unwrap_or(&Value::Null);
    let thought = |part: &Value| part.get("thought").and_then(Value::as_bool) == Some(true);
    record.text = joined(parts, |part| part.get("text").is_some() && !thought(part));
    for part in parts.as_array().into_iter().flatten() {
        if let Some(call) = part.get("functionCall") {
            let input = call.get("args").cloned().unwrap_or_default();
            let name = text(call, "name").unwrap_or_default();
            record.calls.push(Call::new(AgentId::Qwen, text(call, "id").unwrap_or_default(), name, input));
        } else if let Some(response) = part.get("functionResponse") {
            record.results.push(result(response));
        }
    }
    if role == Role::Assistant {
        Facts::latest(&mut facts.model, text(value, "model"));
        record.usage = value.get("usageMetadata").map(|usage| usage_of(usage, &record.uuid, value));
    }
    Some(record)
}

fn result(response: &Value) -> CallResult {
    let body = response.get("response").unwrap_or(&Value::Null);
    let shown = text(body, "output").or_else(|| text(body, "error")).unwrap_or_default();
    let failed = |line: &str| line.strip_prefix("Exit Code: ").is_some_and(|code| code.trim() != "0");
    CallResult {
        id: text(response, "id").unwrap_or_default().to_owned(),
        text: shown.to_owned(),
        error: body.get("error").is_some() || shown.lines().any(failed),
        refused: shown.starts_with("[Operation Cancelled]"),
    }
}

fn usage_of(usage: &Value, answer: &str, value: &Value) -> Usage {
    let cached = count(usage, "cachedContentTokenCount");
    Usage {
        answer: answer.to_owned(),
        input: count(usage, "promptTokenCount").saturating_sub(cached),
        output: count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount"),
        cache_read: cached,
        cache_write: 0,
        window: value.get("contextWindowSize").and_then(Value::as_u64),
    }
}
