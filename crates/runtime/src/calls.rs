//! When two tool calls are the same call and two results the same result, whatever the order of keys, the
//! wording, the clock and the process numbers. Shared by the hooks that look for repetitions.

use serde_json::Value;
use sprag_base::id::short_hash;
use sprag_protocol::Event;

/// A hash that fits into a line of a record; 64 bits are plenty for what one session does.
pub fn short(text: &str) -> String {
    let mut hash = short_hash(text.as_bytes());
    hash.truncate(16);
    hash
}

/// The call's identity: the tool and its input, whatever the order of its keys. What the model says about
/// the call (`description`) does not make it another one.
pub fn call_of(event: &Event) -> String {
    call_without(event, &["description"])
}

/// The same without some of the input's own keys.
pub fn call_without(event: &Event, left_out: &[&str]) -> String {
    let mut text = event.tool.as_ref().map(|tool| tool.name.clone()).unwrap_or_default();
    canonical(event.tool_input().unwrap_or(&Value::Null), left_out, 0, &mut text);
    short(&text)
}

fn canonical(value: &Value, left_out: &[&str], depth: usize, out: &mut String) {
    match value {
        Value::Object(map) if depth < 64 => {
            let kept = |key: &&String| depth > 0 || !left_out.contains(&key.as_str());
            let mut keys: Vec<_> = map.iter().filter(|(key, _)| kept(key)).collect();
            keys.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (key, value) in keys {
                out.push_str(key);
                out.push('=');
                canonical(value, left_out, depth + 1, out);
                out.push(';');
            }
            out.push('}');
        }
        Value::Array(items) if depth < 64 => {
            out.push('[');
            for item in items {
                canonical(item, left_out, depth + 1, out);
                out.push(',');
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// The id that joins a call and its result; agents without one are joined by the call itself.
pub fn id_of(event: &Event) -> String {
    match event.text("tool_use_id") {
        Some(id) if !id.is_empty() => short(id),
        _ => format!("n{}", call_of(event)),
    }
}

/// Who acts: a subagent, or the session itself.
pub fn agent_of(event: &Event) -> String {
    event.agent_id.as_deref().map_or_else(|| "main".to_owned(), short)
}

/// The result's identity: what the tool gave, without what differs from run to run and is no news.
pub fn result_of(event: &Event) -> String {
    let mut text = String::new();
    match (event.tool_response(), event.text("error")) {
        (Some(response), _) => steady_value(response, 0, &mut text),
        (None, Some(error)) => steady(error, &mut text),
        (None, None) => {}
    }
    short(&text)
}

/// Keys whose number is a timing.
const TIMINGS: [&str; 5] =
    ["durationMs", "duration_ms", "durationSeconds", "totalDurationMs", "duration_seconds"];

fn steady_value(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(map) if depth < 64 => {
            out.push('{');
            for (key, value) in map.iter().filter(|(key, _)| !TIMINGS.contains(&key.as_str())) {
                out.push_str(key);
                out.push('=');
                steady_value(value, depth + 1, out);
                out.push(';');
            }
            out.push('}');
        }
        Value::Array(items) if depth < 64 => {
            out.push('[');
            for item in items {
                steady_value(item, depth + 1, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::String(text) => steady(text, out),
        other => out.push_str(&other.to_string()),
    }
}

/// What agents themselves put into a result and what differs in every run, up to the end of the line.
const STAMPS: [&str; 4] = ["Process Group PGID: ", "Background PIDs: ", "Chunk ID: ", "Wall time: "];

/// Copies a text without clock times, dates, durations and process numbers: `finished in 0.02s` and
/// `finished in 0.31s` say the same. Numbers that count something stay.
pub fn steady(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut copied = 0;
    let mut at = 0;
    let mut cut = |from: usize, to: usize, copied: &mut usize| {
        out.push_str(text.get(*copied..from).unwrap_or_default());
        out.push('#');
        *copied = to;
    };
    while let Some(byte) = bytes.get(at) {
        let boundary = at == 0
            || bytes.get(at - 1).is_some_and(|b| !b.is_ascii_alphanumeric() && !matches!(b, b':' | b'.'));
        if boundary && byte.is_ascii_digit() {
            let rest = bytes.get(at..).unwrap_or_default();
            if let Some(len) = timestamp(rest).or_else(|| duration(rest)) {
                cut(at, at + len, &mut copied);
                at += len;
                continue;
            }
            at += digits(rest);
        } else if boundary && byte.is_ascii_uppercase() {
            let rest = text.get(at..).unwrap_or_default();
            match STAMPS.iter().find(|stamp| rest.starts_with(**stamp)) {
                Some(stamp) => {
                    let len = rest.find('\n').unwrap_or(rest.len());
                    cut(at + stamp.len(), at + len, &mut copied);
                    at += len.max(1);
                }
                None => at += 1,
            }
        } else {
            at += 1;
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// The length of `2026-11-15`, `2026-11-15T09:02:59.120Z` or `09:02:59` at the start.
fn timestamp(bytes: &[u8]) -> Option<usize> {
    let clock = |from: usize| -> Option<usize> {
        let part = |at: usize| digits(bytes.get(at..)?.get(..2)?).checked_sub(2);
        let colon = |at: usize| bytes.get(at).filter(|b| **b == b':').map(|_| ());
        part(from)?;
        colon(from + 2)?;
        part(from + 3)?;
        colon(from + 5)?;
        part(from + 6)?;
        let mut end = from + 8;
        if bytes.get(end) == Some(&b'.') {
            end += 1 + digits(bytes.get(end + 1..).unwrap_or_default());
        }
        Some(end + usize::from(bytes.get(end) == Some(&b'Z')))
    };
    if digits(bytes) == 4 && bytes.get(4) == Some(&b'-') {
        let day = digits(bytes.get(5..)?.get(..2)?) == 2
            && bytes.get(7) == Some(&b'-')
            && digits(bytes.get(8..)?.get(..2)?) == 2;
        let ends = |at: usize| !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        if !day {
            return None;
        }
        return match bytes.get(10) {
            Some(b'T' | b' ') => clock(11).or_else(|| ends(10).then_some(10)),
            _ => ends(10).then_some(10),
        };
    }
    clock(0)
}

/// Units of time, longest first. Short ones stand right behind the number.
const UNITS: [&str; 15] = [
    "milliseconds", "seconds", "minutes", "second", "minute", "hours", "hour", "secs", "mins", "sec", "min",
    "ms", "s", "m", "h",
];

/// The length of `0.02s`, `3m20s`, `2d` or `12 seconds` at the start.
fn duration(bytes: &[u8]) -> Option<usize> {
    let mut end = 0;
    loop {
        let rest = bytes.get(end..).unwrap_or_default();
        let mut number = digits(rest);
        if number == 0 {
            break;
        }
        if rest.get(number) == Some(&b'.') {
            number += 1 + digits(rest.get(number + 1..).unwrap_or_default());
        }
        let after = rest.get(number..).unwrap_or_default();
        let blank = usize::from(after.first() == Some(&b' '));
        let unit_text = after.get(blank..).unwrap_or_default();
        let unit =
            UNITS.iter().chain(["us", "ns", "d"].iter()).filter(|unit| blank == 0 || unit.len() > 1).find(
                |unit| {
                    unit_text.starts_with(unit.as_bytes())
                    // `3m20s` goes on with a digit; `5mb` is no time.
                    && !unit_text.get(unit.len()).is_some_and(u8::is_ascii_alphabetic)
                },
            );
        match unit {
            Some(unit) => end += number + blank + unit.len(),
            None => break,
        }
    }
    (end > 0).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use sprag_protocol::{AgentId, decode, recordings};

    fn event(value: &Value) -> Event {
        decode::decode(value.to_string().as_bytes(), Some(AgentId::Claude), &|_| None).unwrap()
    }

    /// The reference's 32-bit hash and its dropped nested keys made different calls look alike.
    #[test]
    fn calls_are_told_apart_by_every_key_and_by_nothing_else() {
        let call = |input: Value| {
            call_of(&event(
                &json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__x__y", "tool_input": input}),
            ))
        };
        assert_eq!(
            call(json!({"a": 1, "b": {"c": 2, "d": 3}})),
            call(json!({"b": {"d": 3, "c": 2}, "a": 1}))
        );
        assert_ne!(call(json!({"a": {"b": 1}})), call(json!({"a": {"b": 2}})));
        assert_eq!(call(json!({"a": 1, "description": "x"})), call(json!({"a": 1, "description": "y"})));
        assert_ne!(call(json!({"a": {"description": "x"}})), call(json!({"a": {"description": "y"}})));
    }

    fn result(response: Value) -> String {
        result_of(&event(
            &json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": response}),
        ))
    }

    #[test]
    fn timings_in_a_result_are_no_change() {
        for (one, two) in [
            ("test result: FAILED. finished in 0.02s", "test result: FAILED. finished in 11.31s"),
            ("web-1  Running  3m20s", "web-1  Running  3m55s"),
            ("at 2026-11-15T09:02:59.120Z", "at 2026-11-15T09:03:01.7Z"),
            ("[09:02:59] waiting", "[09:03:04] waiting"),
            ("updated 12 seconds ago", "updated 40 seconds ago"),
        ] {
            assert_eq!(result(json!({"stdout": one})), result(json!({"stdout": two})), "{one}");
        }
        assert_eq!(
            result(json!({"filenames": [], "durationMs": 3})),
            result(json!({"filenames": [], "durationMs": 250}))
        );
    }

    #[test]
    fn what_counts_something_is_a_change() {
        for (one, two) in [
            ("3 of 40 done", "4 of 40 done"),
            ("src/a.rs:12:05: error", "src/a.rs:14:05: error"),
            ("12 passed", "13 passed"),
            ("5mb", "6mb"),
            ("v1.2.3", "v1.2.4"),
            ("port 8080", "port 8081"),
        ] {
            assert_ne!(result(json!({"stdout": one})), result(json!({"stdout": two})), "{one}");
        }
    }

    /// Gemini CLI names the process group in every result: each run of `ls` would be news.
    #[test]
    fn an_agents_own_process_numbers_are_no_change() {
        let recorded = recordings::get("gemini/AfterTool.run_shell_command").unwrap().text;
        let other = recorded.replace("PGID: 1574", "PGID: 99");
        assert_ne!(recorded, other);
        let read = |text: &str| decode::decode(text.as_bytes(), Some(AgentId::Gemini), &|_| None).unwrap();
        assert_eq!(result_of(&read(recorded)), result_of(&read(&other)));
        let failed = recorded.replace("Output: cart.py", "Output: none");
        assert_ne!(result_of(&read(recorded)), result_of(&read(&failed)));
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in "\\PC{0,80}|[0-9:.smhd TZ-]{0,60}") {
            let mut out = String::new();
            steady(&text, &mut out);
            prop_assert!(out.len() <= text.len() + 8);
        }
    }
}
