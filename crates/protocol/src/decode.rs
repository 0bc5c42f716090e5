//! Bytes from an agent to an [`Event`]. Tolerant of everything but text that is no JSON object.

use crate::agents::AgentId;
use crate::agents::spec::Kept;
use crate::dialect::Dialect;
use crate::dialects;
use crate::event::Event;
use crate::kind::EventKind;
use crate::reduce;
use crate::tool::ToolCall;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::hash::Hasher as _;

/// Payloads over this many bytes are not parsed.
pub const MAX_PAYLOAD: usize = 16 * 1024 * 1024;

/// Why a payload is no event.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DecodeError {
    /// Nothing on standard input.
    #[error("the payload is empty")]
    Empty,
    /// Not UTF-8.
    #[error("the payload is not UTF-8 (from byte {0})")]
    NotUtf8(usize),
    /// Not JSON.
    #[error("the payload is not JSON: {0}")]
    NotJson(String),
    /// JSON, but no object.
    #[error("the payload is JSON but not an object")]
    NotObject,
    /// Larger than [`MAX_PAYLOAD`].
    #[error("the payload has more than {MAX_PAYLOAD} bytes and was not parsed")]
    TooLarge,
}

/// Reads an environment variable; the caller owns the environment.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Decodes a payload. `agent` is what the registration says; `None` detects the host.
pub fn decode(bytes: &[u8], agent: Option<AgentId>, env: Env<'_>) -> Result<Event, DecodeError> {
    let (raw, beyond_limits) = parse(bytes)?;
    let dialect = match agent {
        Some(agent) => dialects::caller(agent, &raw, env),
        None => dialects::detect(&raw, env),
    };
    let event = Event { beyond_limits, ..read(raw, dialect) };
    Ok(if event.transcript_path.is_none() { with_transcript(event, env) } else { event })
}

/// The event with the transcript that its agent keeps without naming it, where a turn or a session ends.
fn with_transcript(mut event: Event, env: Env<'_>) -> Event {
    use EventKind::{PreCompact, SessionEnd, Stop};
    if matches!(event.kind, Stop | SessionEnd | PreCompact) {
        let transcript = &event.agent.spec().transcript;
        if !matches!(transcript.kept, Kept::Named) {
            event.transcript_path =
                transcript.of_session(&env("HOME").unwrap_or_default(), &event.session_id);
        }
    }
    event
}

/// The payload as a JSON object; what is beyond the limits of the parser is left out.
pub fn parse_object(bytes: &[u8]) -> Result<Map<String, Value>, DecodeError> {
    parse(bytes).map(|(object, _)| object)
}

/// The payload as a JSON object, and whether a part of it is beyond the limits and was left out.
fn parse(bytes: &[u8]) -> Result<(Map<String, Value>, bool), DecodeError> {
    if bytes.len() > MAX_PAYLOAD {
        return Err(DecodeError::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|e| DecodeError::NotUtf8(e.valid_up_to()))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(DecodeError::Empty);
    }
    let (value, beyond_limits) = match serde_json::from_str::<Value>(text) {
        Ok(value) => (value, false),
        Err(first) => repaired(text).ok_or_else(|| DecodeError::NotJson(first.to_string()))?,
    };
    match value {
        Value::Object(map) => Ok((map, beyond_limits)),
        _ => Err(DecodeError::NotObject),
    }
}

/// A text that is JSON to the agents and not to the parser: cut surrogates are replaced, and what is nested too deeply or
/// is too large a number is left out. `None` when it is no JSON.
#[cold]
fn repaired(text: &str) -> Option<(Value, bool)> {
    let text = without_lone_surrogates(text);
    if let Ok(value) = serde_json::from_str(&text) {
        return Some((value, false));
    }
    let reduced = reduce::reduce(&text)?;
    Some((serde_json::from_str(&reduced).ok()?, true))
}

/// Half of a surrogate pair is legal in JavaScript's JSON (a cut emoji in a tool result) and illegal in
/// Rust's strings. Without this, such a text would let its tool call pass by every guard.
fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let unit = |at: usize| -> Option<u32> {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(hex, 16).ok()
    };
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += offset;
        let Some(code) = unit(at) else {
            // An escape of two characters; `\\u` must not be read as the start of `\u`.
            let next = text.get(at + 1..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            at += 1 + next;
            continue;
        };
        let pair =
            (0xD800..0xDC00).contains(&code) && unit(at + 6).is_some_and(|c| (0xDC00..0xE000).contains(&c));
        if (0xD800..0xE000).contains(&code) && !pair {
            let out = out.get_or_insert_with(String::new);
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push_str("\\ufffd");
            copied = at + 6;
        }
        at += if pair { 12 } else { 6 };
    }
    match out {
        Some(mut out) => {
            out.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
        None => Cow::Borrowed(text),
    }
}

/// Reads an event off a payload in `dialect`'s spelling.
pub fn read(mut raw: Map<String, Value>, dialect: &Dialect) -> Event {
    let native_name = event_name(&raw);
    let kind = Some(dialect.kind_of(&native_name))
        .filter(|kind| (dialect.is_event)(*kind, &raw))
        .unwrap_or(EventKind::Unknown);
    let native_tool = bounded(native_tool(&raw));
    raw.insert(
        "hook_event_name".to_owned(),
        Value::from(if kind == EventKind::Unknown { native_name.as_str() } else { kind.name() }),
    );
    if !raw.get("transcript_path").is_some_and(Value::is_string)
        && let Some(path) =
            raw.get("transcriptPath").or_else(|| raw.get("input")).and_then(Value::as_str).map(str::to_owned)
    {
        raw.insert("transcript_path".to_owned(), Value::from(path));
    }
    (dialect.to_canonical)(kind, &mut raw);
    bound_fields(&mut raw);
    let tool = if kind.has_tool() {
        let name = bounded(raw.get("tool_name").and_then(Value::as_str).unwrap_or_default());
        Some(ToolCall::new(&name, &native_tool, raw.get("tool_input").unwrap_or(&Value::Null)))
    } else {
        None
    };
    let text = |field: &str| raw.get(field).and_then(Value::as_str).map(str::to_owned);
    let name = |field: &str| raw.get(field).and_then(Value::as_str).map(bounded);
    Event {
        agent: dialect.agent,
        kind,
        native_name: bounded(&native_name),
        session_id: name("session_id").unwrap_or_default(),
        cwd: text("cwd").unwrap_or_default(),
        transcript_path: text("transcript_path"),
        agent_id: name("agent_id"),
        agent_type: name("agent_type"),
        tool,
        raw,
        beyond_limits: false,
    }
}

/// Bounds the fields of a payload that hooks keep and that are an id, a word or a path. Fields of free text stay.
fn bound_fields(raw: &mut Map<String, Value>) {
    /// What Windows takes at most; other systems take less.
    const MAX_PATH_BYTES: usize = 32 << 10;
    raw.retain(|key, value| {
        let Value::String(text) = value else { return true };
        if text.len() <= MAX_NAME_BYTES {
            return true;
        }
        match key.as_str() {
            // No such folder or file can be there; without the field sprag uses what it knows.
            "cwd" | "transcript_path" | "agent_transcript_path" | "workspace_dir" => {
                return text.len() <= MAX_PATH_BYTES;
            }
            "session_id" | "tool_name" | "tool_use_id" | "agent_id" | "agent_type" | "agent_name"
            | "hook_event_name" | "source" | "session_type" | "reason" | "trigger" | "model" | "to_model"
            | "from_model" | "permission_mode" | "prompt_id" | "notification_type" | "task_id"
            | "teammate_name" | "team_name" | "parent_session_id" | "error_type" | "version" => {
                *text = bounded(text);
            }
            _ => {}
        }
        true
    });
}

/// No agent's ids or names come near it.
const MAX_NAME_BYTES: usize = 512;

/// An id or a name as it is kept: every journal line and state file repeats it, so one of megabytes must not be kept whole.
/// Two long ones that differ stay different.
fn bounded(name: &str) -> String {
    if name.len() <= MAX_NAME_BYTES {
        return name.to_owned();
    }
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(name.as_bytes());
    let end = (0..=MAX_NAME_BYTES / 2).rev().find(|at| name.is_char_boundary(*at)).unwrap_or_default();
    format!("{}…{:016x}", name.get(..end).unwrap_or_default(), hasher.finish())
}

/// The tool as the agent names it. Some have it elsewhere.
fn native_tool(raw: &Map<String, Value>) -> &str {
    let elsewhere = || {
        let call = raw.get("tool_call").or_else(|| raw.get("tool_result")).or_else(|| raw.get("toolCall"))?;
        call.get("name").or_else(|| raw.get("toolName"))
    };
    raw.get("tool_name").or_else(elsewhere).and_then(Value::as_str).unwrap_or_default()
}

/// The event's name; a payload that only has a tool is a tool event.
fn event_name(raw: &Map<String, Value>) -> String {
    if let Some(name) = raw.get("hook_event_name").and_then(Value::as_str) {
        return name.to_owned();
    }
    // Other agents' names of the field; a dialect knows the values.
    let other = ["hookName", "agent_action_name", "interception_point", "event"]
        .iter()
        .find_map(|key| raw.get(*key)?.as_str());
    if let Some(name) = other {
        return name.to_owned();
    }
    let has = |field: &str| raw.get(field).is_some_and(|v| !v.is_null());
    match (has("tool_name"), has("tool_response")) {
        (true, true) => EventKind::PostToolUse.name().to_owned(),
        (true, false) => EventKind::PreToolUse.name().to_owned(),
        _ => unnamed(raw).to_owned(),
    }
}

/// The event of a payload that names neither event nor tool, by the fields that only it has.
#[cold]
fn unnamed(raw: &Map<String, Value>) -> &'static str {
    if raw.contains_key("error") && (raw.contains_key("toolCall") || raw.contains_key("stepIdx")) {
        "PostToolUse"
    } else if raw.contains_key("toolCall") {
        "PreToolUse"
    } else if raw.contains_key("terminationReason") || raw.contains_key("fullyIdle") {
        "Stop"
    } else if raw.contains_key("invocationNum") {
        "PreInvocation"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One session id of 10 MB left 213 MB of state.
    #[test]
    fn ids_and_names_are_bounded_and_stay_different() {
        let event = |id: &str| {
            let payload = serde_json::json!({"hook_event_name": "PreToolUse", "session_id": id, "tool_name": id,
                "tool_input": {}, "agent_id": id});
            decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
        };
        let (one, two) = (event(&"é".repeat(1_000_000)), event(&format!("{}x", "é".repeat(1_000_000))));
        assert!(one.session_id.len() <= 512 && one.agent_id.as_ref().unwrap().len() <= 512);
        assert_ne!(one.session_id, two.session_id);
        assert!(one.tool.as_ref().unwrap().name.len() <= 512);
        let id = "11111111-2222-4333-8444-555555555555";
        assert_eq!(event(id).session_id, id);
    }

    /// A directory of 10 MB left 49 MB of state, a source 20 MB.
    #[test]
    fn words_and_paths_that_hooks_keep_are_bounded_and_texts_are_not() {
        let long = "x".repeat(100_000);
        let payload = serde_json::json!({"hook_event_name": "SessionStart", "source": long, "model": long,
            "cwd": long, "transcript_path": long, "prompt": long, "tool_use_id": long});
        let event = decode(payload.to_string().as_bytes(), None, &|_| None).unwrap();
        for field in ["source", "model", "tool_use_id"] {
            assert!(event.text(field).is_some_and(|text| text.len() <= 512), "{field}");
        }
        assert_eq!(
            (event.cwd.as_str(), event.transcript_path.as_deref(), event.text("cwd")),
            ("", None, None)
        );
        assert_eq!(event.text("prompt").map(str::len), Some(100_000));
        let deep = format!("/{}", "folder/".repeat(500));
        let payload = serde_json::json!({"hook_event_name": "Stop", "cwd": deep});
        assert_eq!(decode(payload.to_string().as_bytes(), None, &|_| None).unwrap().cwd, deep);
    }

    fn claude(text: &str) -> Event {
        decode(text.as_bytes(), Some(AgentId::Claude), &|_| None).unwrap()
    }

    #[test]
    fn what_is_no_object_is_refused_by_name() {
        let fail = |bytes: &[u8]| decode(bytes, Some(AgentId::Claude), &|_| None).unwrap_err();
        assert_eq!(fail(b""), DecodeError::Empty);
        assert_eq!(fail(b" \n"), DecodeError::Empty);
        assert!(matches!(fail(b"{\"a\":"), DecodeError::NotJson(_)));
        assert_eq!(fail(b"[1]"), DecodeError::NotObject);
        assert_eq!(fail(b"{\"a\":\"\xff\"}"), DecodeError::NotUtf8(6));
        assert!(matches!(fail("[".repeat(5000).as_bytes()), DecodeError::NotJson(_)));
        let deep = format!("{{\"a\":{}", "[".repeat(5000));
        assert!(matches!(fail(deep.as_bytes()), DecodeError::NotJson(_)), "deep and cut off is no JSON");
        assert_eq!(fail(&vec![b' '; MAX_PAYLOAD + 1]), DecodeError::TooLarge);
    }

    #[test]
    fn a_payload_without_event_name_is_known_by_its_tool() {
        assert_eq!(claude(r#"{"tool_name":"Bash"}"#).kind, EventKind::PreToolUse);
        assert_eq!(claude(r#"{"tool_name":"Bash","tool_response":{}}"#).kind, EventKind::PostToolUse);
        assert_eq!(claude(r#"{"cwd":"/"}"#).kind, EventKind::Unknown);
    }

    #[test]
    fn older_names_of_the_transcript_are_accepted() {
        for field in ["transcript_path", "transcriptPath", "input"] {
            let event = claude(&format!(r#"{{"hook_event_name":"Stop","{field}":"/t.jsonl"}}"#));
            assert_eq!(event.transcript_path.as_deref(), Some("/t.jsonl"), "{field}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_does_not_hide_a_call() {
        let event = claude(
            r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm \ud83d x \\ud83d \ud83d\ude00"}}"#,
        );
        assert_eq!(event.tool.unwrap().command.as_deref(), Some("rm \u{fffd} x \\ud83d \u{1f600}"));
    }

    #[test]
    fn nested_arrays_do_not_hide_a_call() {
        for depth in [100, 126, 127, 128, 5_000, 1_000_000] {
            let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let event = claude(&format!(
                r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"x":{deep},"command":"rm -rf /"}}}}"#
            ));
            assert_eq!(event.beyond_limits, depth > 124, "{depth}");
            assert_eq!(event.tool.unwrap().command.as_deref(), Some("rm -rf /"), "{depth}");
        }
    }

    #[test]
    fn a_number_without_end_does_not_hide_a_call() {
        let event =
            claude(r#"{"tool_name":"Bash","tool_input":{"command":"rm -rf /","n":[1e999,-1E+400,3]}}"#);
        assert!(event.beyond_limits);
        assert_eq!(event.tool.unwrap().command.as_deref(), Some("rm -rf /"));
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(claude("\u{feff}{\"hook_event_name\":\"Stop\"}").kind, EventKind::Stop);
    }

    #[test]
    fn an_unknown_event_keeps_its_name() {
        let event = claude(r#"{"hook_event_name":"Tomorrow"}"#);
        assert_eq!((event.kind, event.native_name.as_str()), (EventKind::Unknown, "Tomorrow"));
    }
}
