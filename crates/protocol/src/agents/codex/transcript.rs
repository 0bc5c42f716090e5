//! Rollouts: every line has a `type` and a `payload`. What the model got and gave are `response_item`s;
//! the events beside them say the same once more.

use crate::agents::spec::TranscriptFormat;
use crate::agents::{AgentId, is_machine_made};
use crate::transcript::{
    Call, CallResult, Facts, Limit, Record, RecordKind, Role, Usage, count, joined, text, time,
};
use serde_json::{Value, json};

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[],
    is_own: |value| value.get("payload").is_some(),
    read: |value, facts| read(value, facts).into_iter().collect(),
    whole_document: false,
};

/// Reads one line's object.
fn read(value: &Value, facts: &mut Facts) -> Option<Record> {
    facts.agent.get_or_insert(AgentId::Codex);
    let payload = value.get("payload")?;
    let time = time(value);
    facts.see_time(time);
    let record = Record { time, ..Record::default() };
    match text(value, "type")? {
        "session_meta" => {
            about(payload, facts);
            None
        }
        "turn_context" => {
            Facts::latest(&mut facts.model, text(payload, "model"));
            None
        }
        "compacted" => Some(Record { kind: RecordKind::CompactBoundary, role: Role::System, ..record }),
        "event_msg" if text(payload, "type") == Some("token_count") => {
            let told = limits(payload);
            if !told.is_empty() {
                facts.limits = told;
            }
            Some(Record { role: Role::Assistant, usage: usage(payload), ..record })
        }
        "response_item" => item(payload, record),
        _ => None,
    }
}

fn about(meta: &Value, facts: &mut Facts) {
    Facts::first(&mut facts.session_id, text(meta, "id").or_else(|| text(meta, "session_id")));
    Facts::first(&mut facts.cwd, text(meta, "cwd"));
    Facts::latest(&mut facts.version, text(meta, "cli_version"));
    Facts::latest(&mut facts.branch, meta.get("git").and_then(|git| text(git, "branch")));
    if let Some(source) = text(meta, "source") {
        facts.headless.get_or_insert(source == "exec" || source == "mcp");
    }
}

fn item(payload: &Value, mut record: Record) -> Option<Record> {
    text(payload, "id").unwrap_or_default().clone_into(&mut record.uuid);
    let call_id = text(payload, "call_id").unwrap_or_default();
    match text(payload, "type")? {
        "message" => {
            record.role = match text(payload, "role")? {
                "assistant" => Role::Assistant,
                "user" => Role::User,
                _ => return None,
            };
            record.text = joined(payload.get("content")?, |block| block.get("text").is_some());
            if record.role == Role::User && !is_from_the_user(payload, &record.text) {
                record.kind = RecordKind::Meta;
            }
        }
        "function_call" => {
            let arguments = text(payload, "arguments").unwrap_or_default();
            let input = serde_json::from_str(arguments).unwrap_or_else(|_| json!({ "input": arguments }));
            record.calls.push(call(call_id, text(payload, "name").unwrap_or_default(), input));
        }
        "custom_tool_call" => {
            let name = text(payload, "name").unwrap_or_default();
            // A patch as its hooks get it.
            let key = if name == "apply_patch" { "command" } else { "input" };
            let input = json!({ key: text(payload, "input").unwrap_or_default() });
            record.calls.push(call(call_id, name, input));
        }
        "local_shell_call" => {
            let input = payload.get("action").cloned().unwrap_or_default();
            record.calls.push(call(call_id, "local_shell", input));
        }
        "function_call_output" | "custom_tool_call_output" => record.results.push(result(call_id, payload)),
        _ => return None,
    }
    if !record.calls.is_empty() {
        record.role = Role::Assistant;
    }
    Some(record)
}

/// The agent's own instructions come under the user's name too.
fn is_from_the_user(payload: &Value, said: &str) -> bool {
    let passed = payload.get("internal_chat_message_metadata_passthrough");
    if let Some(kinds) = passed.and_then(|about| about.get("content_item_kinds")).and_then(Value::as_array) {
        return kinds.iter().any(|kind| kind.as_str().is_some_and(|kind| kind.starts_with("user.")));
    }
    !is_machine_made(said)
}

/// The shell has several names here, and a patch may go through it.
fn call(id: &str, name: &str, input: Value) -> Call {
    let command = match name {
        "exec_command" => text(&input, "cmd").map(str::to_owned),
        "shell" | "local_shell" | "container.exec" => match input.get("command") {
            Some(Value::String(command)) => Some(command.clone()),
            // `["bash", "-lc", "…"]`: the last word is what runs.
            Some(Value::Array(words)) => words.last().and_then(Value::as_str).map(str::to_owned),
            _ => None,
        },
        _ => None,
    };
    let Some(command) = command else { return Call::new(AgentId::Codex, id, name, input) };
    let patch = command.trim_start().starts_with("apply_patch");
    let name = if patch { "apply_patch" } else { "Bash" };
    Call::new(AgentId::Codex, id, name, json!({ "command": command }))
}

fn result(id: &str, payload: &Value) -> CallResult {
    let output = payload.get("output").unwrap_or(&Value::Null);
    // Older ones are an object, some as text.
    let parsed = output.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let object = parsed.as_ref().filter(|value| value.is_object()).or(Some(output));
    let inner = object.and_then(|value| text(value, "output").or_else(|| text(value, "content")));
    let shown = inner.map_or_else(|| joined(output, |_| true), str::to_owned);
    let metadata = object.and_then(|value| value.get("metadata"));
    let code = metadata.and_then(|metadata| metadata.get("exit_code")).and_then(Value::as_i64);
    let said = |line: &str| line.strip_prefix("Process exited with code ").map(|code| code.trim() != "0");
    let error = code.map(|code| code != 0).or_else(|| shown.lines().take(8).find_map(said));
    let refused = shown.lines().take(2).any(|line| line.contains("rejected by user"));
    CallResult { id: id.to_owned(), text: shown, error: error.unwrap_or(false), refused }
}

/// The account's limits beside a count of tokens.
fn limits(payload: &Value) -> Vec<Limit> {
    let told = |key: &str| {
        let window = payload.get("rate_limits")?.get(key)?;
        let name = match count(window, "window_minutes") {
            0 => key.to_owned(),
            minutes if minutes % 1_440 == 0 => format!("{}-day", minutes / 1_440),
            minutes if minutes % 60 == 0 => format!("{}-hour", minutes / 60),
            minutes => format!("{minutes}-minute"),
        };
        Limit::read(name, window.get("used_percent")?, window.get("resets_at"))
    };
    ["primary", "secondary"].into_iter().filter_map(told).collect()
}

fn usage(payload: &Value) -> Option<Usage> {
    let info = payload.get("info")?;
    let last = info.get("last_token_usage")?;
    let total = info.get("total_token_usage").unwrap_or(&Value::Null);
    let cached = count(last, "cached_input_tokens");
    Some(Usage {
        // The count is repeated while nothing new was asked; the running total tells one answer from the next.
        answer: format!("total-{}", count(total, "total_tokens")),
        input: count(last, "input_tokens").saturating_sub(cached),
        output: count(last, "output_tokens"),
        cache_read: cached,
        cache_write: count(last, "cache_write_input_tokens"),
        window: info.get("model_context_window").and_then(Value::as_u64),
    })
}
