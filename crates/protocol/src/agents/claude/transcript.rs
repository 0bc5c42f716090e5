//! JSON lines: `message` holds role and content; everything else beside it is about the session.

use crate::agents::spec::TranscriptFormat;
use crate::agents::{AgentId, is_machine_made};
use crate::transcript::{
    Call, CallResult, Facts, Record, RecordKind, Role, Usage, count, joined, stopped_by_sprag, text, time,
};
use serde_json::Value;

/// Records of no interest that hold most of a transcript's bytes: they are not even parsed.
const SKIPPED: &[&str] = &[
    r#"{"type":"api-request"#,
    r#"{"type":"file-history"#,
    r#"{"type":"cost-state"#,
    r#"{"type":"tools-used"#,
    r#"{"type":"atis-latch"#,
    r#"{"type":"content-replacement"#,
];

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: SKIPPED,
    // The format that remains when a line is in no other agent's.
    is_own: |_| false,
    read: |value, facts| read(value, facts).into_iter().collect(),
    whole_document: false,
};

/// Reads one line's object.
fn read(value: &Value, facts: &mut Facts) -> Option<Record> {
    facts.agent.get_or_insert(AgentId::Claude);
    let kind = text(value, "type")?;
    if kind == "permission-mode" {
        // Only a session with a person at a terminal writes these.
        facts.headless.get_or_insert(false);
        return None;
    }
    if !matches!(kind, "user" | "assistant" | "system") {
        return None;
    }
    Facts::first(&mut facts.session_id, text(value, "sessionId"));
    Facts::first(&mut facts.cwd, text(value, "cwd"));
    Facts::latest(&mut facts.branch, text(value, "gitBranch"));
    Facts::latest(&mut facts.version, text(value, "version"));
    if let Some(entry) = text(value, "entrypoint") {
        facts.headless.get_or_insert(entry.starts_with("sdk"));
    }
    let time = time(value);
    facts.see_time(time);
    let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or(false);
    let mut record = Record {
        sidechain: flag("isSidechain") || text(value, "teamName").is_some(),
        time,
        uuid: text(value, "uuid").unwrap_or_default().to_owned(),
        ..Record::default()
    };
    match kind {
        "system" => {
            record.role = Role::System;
            if text(value, "subtype") != Some("compact_boundary") {
                return None;
            }
            record.kind = RecordKind::CompactBoundary;
        }
        "user" => {
            record.role = Role::User;
            let content = value.get("message").and_then(|message| message.get("content"))?;
            record.text = joined(content, |block| text(block, "type") == Some("text"));
            record.results = results(content);
            record.kind = if flag("isCompactSummary") {
                RecordKind::CompactSummary
            } else if flag("isMeta") || is_machine_made(&record.text) {
                RecordKind::Meta
            } else {
                RecordKind::Message
            };
        }
        _ => {
            record.role = Role::Assistant;
            let message = value.get("message")?;
            let content = message.get("content")?;
            record.text = joined(content, |block| text(block, "type") == Some("text"));
            record.calls = calls(content);
            if flag("isApiErrorMessage") {
                record.kind = RecordKind::Failure;
            } else {
                Facts::latest(&mut facts.model, text(message, "model").filter(|m| *m != "<synthetic>"));
                record.usage = usage(value, message);
            }
        }
    }
    Some(record)
}

fn calls(content: &Value) -> Vec<Call> {
    let blocks = content.as_array().into_iter().flatten();
    blocks
        .filter(|block| text(block, "type") == Some("tool_use"))
        .map(|block| {
            let input = block.get("input").cloned().unwrap_or_default();
            Call::new(
                AgentId::Claude,
                text(block, "id").unwrap_or_default(),
                text(block, "name").unwrap_or_default(),
                input,
            )
        })
        .collect()
}

fn results(content: &Value) -> Vec<CallResult> {
    let blocks = content.as_array().into_iter().flatten();
    blocks
        .filter(|block| text(block, "type") == Some("tool_result"))
        .map(|block| {
            let said = block.get("content").map(|content| joined(content, |_| true)).unwrap_or_default();
            let error = block.get("is_error").and_then(Value::as_bool).unwrap_or(false);
            CallResult {
                id: text(block, "tool_use_id").unwrap_or_default().to_owned(),
                refused: error && is_refusal(&said),
                text: said,
                error,
            }
        })
        .collect()
}

/// What stands in place of a result when a call was not run.
fn is_refusal(said: &str) -> bool {
    const STARTS: [&str; 4] =
        ["The user doesn't want to ", "[Request interrupted by user", "Permission to use ", "PreToolUse:"];
    STARTS.iter().any(|start| said.trim_start().starts_with(start)) || stopped_by_sprag(said)
}

fn usage(value: &Value, message: &Value) -> Option<Usage> {
    let usage = message.get("usage").filter(|usage| usage.is_object())?;
    let answer = format!(
        "{}/{}",
        text(message, "id").unwrap_or_default(),
        text(value, "requestId").unwrap_or_default()
    );
    Some(Usage {
        answer,
        input: count(usage, "input_tokens"),
        output: count(usage, "output_tokens"),
        cache_read: count(usage, "cache_read_input_tokens"),
        cache_write: count(usage, "cache_creation_input_tokens"),
        window: None,
    })
}
