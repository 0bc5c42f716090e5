//! tool-loop: the same call again and again, two calls in turn, or a longer cycle, without a change in results.
//! Warns, then denies; per agent; a denied call does not count towards the next denial.

use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Presets, Reply, Sees};
use sprag_engine::session::short_hash;
use sprag_engine::settings::{Kind, Setting, Tighten};
use sprag_protocol::{Event, EventKind};

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "tool-loop",
    family: Family::Guard,
    summary: "warns about, then denies tool calls that go round in a circle without a change in their results",
    sees: &[
        Sees { kind: EventKind::PreToolUse, matcher: "" },
        Sees { kind: EventKind::PostToolUse, matcher: "" },
        Sees { kind: EventKind::PostToolUseFailure, matcher: "" },
        Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
    ],
    presets: Presets("sxw"),
    settings: &[
        Setting::new("warn_at", Kind::Int { default: 8, min: 2 }, "identical calls before a warning")
            .tighten(Tighten::Lower),
        Setting::new("block_at", Kind::Int { default: 15, min: 3 }, "identical calls before a denial")
            .tighten(Tighten::Lower),
        Setting::new(
            "cycle_warn_at",
            Kind::Int { default: 6, min: 4 },
            "calls of one cycle before a warning",
        )
        .tighten(Tighten::Lower),
        Setting::new(
            "cycle_block_at",
            Kind::Int { default: 12, min: 6 },
            "calls of one cycle before a denial",
        )
        .tighten(Tighten::Lower),
        Setting::new(
            "longest_cycle",
            Kind::Int { default: 4, min: 2 },
            "the longest cycle that is looked for",
        ),
        Setting::new(
            "window",
            Kind::Int { default: 60, min: 20 },
            "how many of the last calls are looked at",
        ),
        Setting::new("ignore_tools", Kind::Texts(&[]), "tools that are never a loop"),
    ],
    timeout_ms: 1_000,
    run,
};

/// The session's record of calls.
pub const HISTORY: &str = "tool-calls";

/// The part of the record that was put aside when it grew.
pub const OLD_HISTORY: &str = "tool-calls.1";

/// One line of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// A call was let through: its id, who made it, what it was.
    Call { id: String, agent: String, call: String },
    /// A call was denied, so it never happened.
    Denied { id: String },
    /// A call's result.
    Result { id: String, result: String },
    /// The user spoke: a new beginning.
    Reset,
}

impl Line {
    fn text(&self) -> String {
        match self {
            Self::Call { id, agent, call } => format!("c {id} {agent} {call}"),
            Self::Denied { id } => format!("d {id}"),
            Self::Result { id, result } => format!("r {id} {result}"),
            Self::Reset => "u".to_owned(),
        }
    }

    /// A line that is torn or from another version is none.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let kind = words.next()?;
        let mut word = || words.next().filter(|word| !word.is_empty()).map(str::to_owned);
        match kind {
            "c" => Some(Self::Call { id: word()?, agent: word()?, call: word()? }),
            "d" => Some(Self::Denied { id: word()? }),
            "r" => Some(Self::Result { id: word()?, result: word()? }),
            "u" => Some(Self::Reset),
            _ => None,
        }
    }
}

/// A call that happened, with what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Happened {
    id: String,
    call: String,
    result: Option<String>,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.kind {
        EventKind::UserPromptSubmit => {
            // A machine-made turn (a schedule, a subagent's report) is no person who changes course.
            let machine = matches!(event.text("source"), Some(source) if source != "user" && source != "sdk");
            if !machine && cx.session.has(HISTORY) {
                cx.session.append(HISTORY, &Line::Reset.text())?;
            }
            Ok(Reply::pass())
        }
        EventKind::PostToolUse | EventKind::PostToolUseFailure => {
            let outcome = event.tool_response().map(ToString::to_string);
            let outcome = outcome.or_else(|| event.text("error").map(str::to_owned)).unwrap_or_default();
            let result = short(&without_durations(&outcome));
            cx.session.append(HISTORY, &Line::Result { id: id_of(event), result }.text())?;
            Ok(Reply::pass())
        }
        _ => before(event, cx),
    }
}

fn before(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    if cx.recheck || cx.settings.texts("ignore_tools").iter().any(|name| *name == tool.name) {
        return Ok(Reply::pass());
    }
    let (id, agent, call) = (id_of(event), agent_of(event), call_of(event));
    // Written before it is read: of parallel calls, each sees the others.
    cx.session
        .append(HISTORY, &Line::Call { id: id.clone(), agent: agent.clone(), call: call.clone() }.text())?;
    let recent = cx.session.read(HISTORY);
    put_aside(cx, recent.len())?;
    let text = cx.session.read(OLD_HISTORY) + &recent;
    let past = happened(&text, &agent, cx.settings.count("window"));
    let found = find(&past, &call, &Limits::of(cx));
    Ok(match found {
        None => Reply::pass(),
        Some(Found { level: Level::Warn, what }) => Reply::warn(
            "tool-loop",
            format!("{} ({what}). If nothing changed, try another way or say what is missing.", tool.name),
        ),
        Some(Found { level: Level::Block, what }) => {
            cx.session.append(HISTORY, &Line::Denied { id }.text())?;
            Reply::deny(format!(
                "{} was stopped: {what}. Do something different: read the last results again, change the \
                 arguments, use another tool, or tell the user what you are waiting for.",
                tool.name
            ))
        }
    })
}

/// The call's identity: the tool and its input, whatever the order of its keys. What the model says about
/// the call (`description`) does not make it another one.
fn call_of(event: &Event) -> String {
    let mut text = event.tool.as_ref().map(|tool| tool.name.clone()).unwrap_or_default();
    canonical(event.tool_input().unwrap_or(&serde_json::Value::Null), 0, &mut text);
    short(&text)
}

fn canonical(value: &serde_json::Value, depth: usize, out: &mut String) {
    match value {
        serde_json::Value::Object(map) if depth < 64 => {
            let mut keys: Vec<_> = map.iter().filter(|(key, _)| depth > 0 || *key != "description").collect();
            keys.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (key, value) in keys {
                out.push_str(key);
                out.push('=');
                canonical(value, depth + 1, out);
                out.push(';');
            }
            out.push('}');
        }
        serde_json::Value::Array(items) if depth < 64 => {
            out.push('[');
            for item in items {
                canonical(item, depth + 1, out);
                out.push(',');
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// Timings differ from run to run and are no news.
fn without_durations(result: &str) -> String {
    let mut out = result.to_owned();
    for key in ["\"durationMs\":", "\"duration_ms\":", "\"durationSeconds\":"] {
        while let Some(at) = out.find(key) {
            let digits = out
                .get(at + key.len()..)
                .map_or(0, |rest| rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count());
            out.replace_range(at..at + key.len() + digits, "");
        }
    }
    out
}

fn short(text: &str) -> String {
    let mut hash = short_hash(text.as_bytes());
    hash.truncate(20);
    hash
}

/// The id that joins a call and its result; agents without one are joined by the call itself.
fn id_of(event: &Event) -> String {
    match event.text("tool_use_id") {
        Some(id) if !id.is_empty() => short(id),
        _ => format!("n{}", call_of(event)),
    }
}

fn agent_of(event: &Event) -> String {
    event.agent_id.as_deref().map_or_else(|| "main".to_owned(), short)
}

/// The last calls of one agent since the user spoke, oldest first, the present one last.
fn happened(text: &str, agent: &str, window: usize) -> Vec<Happened> {
    let mut past: Vec<Happened> = Vec::new();
    for line in text.lines().filter_map(Line::parse) {
        match line {
            Line::Call { id, agent: who, call } if who == agent => {
                past.push(Happened { id, call, result: None });
            }
            Line::Call { .. } => {}
            Line::Denied { id } => {
                if let Some(at) = past.iter().rposition(|call| call.id == id) {
                    past.remove(at);
                }
            }
            Line::Result { id, result } => {
                if let Some(call) = past.iter_mut().rev().find(|call| call.id == id && call.result.is_none())
                {
                    call.result = Some(result);
                }
            }
            Line::Reset => past.clear(),
        }
    }
    let from = past.len().saturating_sub(window);
    past.split_off(from)
}

struct Limits {
    warn: usize,
    block: usize,
    cycle_warn: usize,
    cycle_block: usize,
    longest: usize,
}

impl Limits {
    fn of(cx: &Cx<'_>) -> Self {
        Self {
            warn: cx.settings.count("warn_at"),
            block: cx.settings.count("block_at"),
            cycle_warn: cx.settings.count("cycle_warn_at"),
            cycle_block: cx.settings.count("cycle_block_at"),
            longest: cx.settings.count("longest_cycle"),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Level {
    Warn,
    Block,
}

#[derive(Debug, PartialEq, Eq)]
struct Found {
    level: Level,
    what: String,
}

/// Looks for a loop that the last call belongs to. Pure.
fn find(past: &[Happened], call: &str, limits: &Limits) -> Option<Found> {
    let repeats = repeats(past, call);
    let level = |count: usize, warn: usize, block: usize| {
        if count >= block {
            Some(Level::Block)
        } else if count >= warn {
            Some(Level::Warn)
        } else {
            None
        }
    };
    let same = level(repeats, limits.warn, limits.block)
        .map(|level| Found { level, what: format!("the same call {repeats} times with the same result") });
    let turn = (2..=limits.longest)
        .filter_map(|len| {
            let calls = cycle(past, len);
            // A cycle of three or four needs as many rounds as a ping-pong before it is one.
            let scale = |limit: usize| limit * len / 2;
            let what = format!("{len} calls in turn, {calls} calls in all, with the same results");
            level(calls, scale(limits.cycle_warn), scale(limits.cycle_block))
                .map(|level| Found { level, what })
        })
        .max_by_key(|found| found.level == Level::Block);
    match (same, turn) {
        (Some(same), Some(turn)) if turn.level == Level::Block && same.level == Level::Warn => Some(turn),
        (Some(same), _) => Some(same),
        (None, turn) => turn,
    }
}

/// How often the call was made with the result it had last, the present one included. A poll whose result
/// changes begins anew with each change.
fn repeats(past: &[Happened], call: &str) -> usize {
    let (_, earlier) = past.split_last().map_or((None, past), |(last, rest)| (Some(last), rest));
    let mut result: Option<&str> = None;
    let mut count = 1;
    for known in earlier.iter().rev().filter(|known| known.call == call) {
        match (result, known.result.as_deref()) {
            (Some(last), Some(this)) if last != this => break,
            (None, Some(this)) => result = Some(this),
            _ => {}
        }
        count += 1;
    }
    count
}

/// The number of calls at the end that go round in a cycle of `len` different calls, with equal results.
fn cycle(past: &[Happened], len: usize) -> usize {
    let calls: Vec<&str> = past.iter().rev().map(|known| known.call.as_str()).collect();
    let results: Vec<Option<&str>> = past.iter().rev().map(|known| known.result.as_deref()).collect();
    let Some(round) = calls.get(..len) else { return 0 };
    // One call over and over is a repeat, not a cycle; a cycle of four may be two of two.
    if round.iter().enumerate().any(|(at, call)| round.iter().skip(at + 1).any(|other| other == call)) {
        return 0;
    }
    let mut count = len;
    while let (Some(this), Some(before)) = (calls.get(count), calls.get(count - len)) {
        let changed =
            match (results.get(count).copied().flatten(), results.get(count - len).copied().flatten()) {
                (Some(old), Some(new)) => old != new,
                _ => false,
            };
        if this != before || changed {
            break;
        }
        count += 1;
    }
    if count >= 2 * len { count } else { 0 }
}

/// Keeps the record small: a large one is put aside, where it is still read. A process that has it open
/// appends to the file that was put aside; no line is lost.
fn put_aside(cx: &Cx<'_>, len: usize) -> std::io::Result<()> {
    const MOST: usize = 64 * 1024;
    if len <= MOST {
        return Ok(());
    }
    let lock = sprag_engine::files::open_lock(&cx.session.file("tool-calls.lock"))?;
    let large = || cx.session.file(HISTORY).metadata().is_ok_and(|meta| meta.len() > MOST as u64);
    if lock.try_lock().is_ok() && large() {
        std::fs::rename(cx.session.file(HISTORY), cx.session.file(OLD_HISTORY))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits { warn: 8, block: 15, cycle_warn: 6, cycle_block: 12, longest: 4 };

    /// Replays a sequence of calls and gives the number of the first warning and of the first block.
    /// A call's result is `result(number)`.
    fn replay(calls: &[&str], result: impl Fn(usize) -> String) -> (Option<usize>, Option<usize>) {
        let mut text = String::new();
        let (mut warned, mut blocked) = (None, None);
        for (number, call) in calls.iter().enumerate() {
            let id = format!("i{number}");
            let mut push = |line: Line| text.push_str(&(line.text() + "\n"));
            push(Line::Call { id: id.clone(), agent: "main".into(), call: (*call).to_owned() });
            let past = happened(&text, "main", 60);
            match find(&past, call, &LIMITS) {
                Some(Found { level: Level::Warn, .. }) => {
                    warned.get_or_insert(number + 1);
                }
                Some(Found { level: Level::Block, .. }) => {
                    blocked.get_or_insert(number + 1);
                    text.push_str(&(Line::Denied { id: id.clone() }.text() + "\n"));
                    continue;
                }
                None => {}
            }
            text.push_str(&(Line::Result { id, result: result(number) }.text() + "\n"));
        }
        (warned, blocked)
    }

    fn same(_: usize) -> String {
        "same".into()
    }

    #[test]
    fn one_call_over_and_over() {
        assert_eq!(replay(&["a"; 20], same), (Some(8), Some(15)));
    }

    /// The reference blocked this at 12 as a "ping-pong", with only 11 repeats.
    #[test]
    fn one_other_call_in_the_window_does_not_bring_the_block_forward() {
        let mut calls = vec!["b"];
        calls.extend(["a"; 20]);
        assert_eq!(replay(&calls, same), (Some(9), Some(16)));
    }

    #[test]
    fn two_calls_in_turn() {
        let calls: Vec<_> = ["a", "b"].into_iter().cycle().take(20).collect();
        assert_eq!(replay(&calls, same), (Some(6), Some(12)));
    }

    /// The reference never blocked cycles of three or more.
    #[test]
    fn longer_cycles_are_found() {
        let three: Vec<_> = ["a", "b", "c"].into_iter().cycle().take(40).collect();
        assert_eq!(replay(&three, same), (Some(9), Some(18)));
        let four: Vec<_> = ["a", "b", "c", "d"].into_iter().cycle().take(50).collect();
        assert_eq!(replay(&four, same), (Some(12), Some(24)));
    }

    #[test]
    fn a_poll_with_a_changing_result_is_no_loop() {
        assert_eq!(replay(&["a"; 40], |number| number.to_string()), (None, None));
        let pair: Vec<_> = ["a", "b"].into_iter().cycle().take(40).collect();
        assert_eq!(replay(&pair, |number| number.to_string()), (None, None));
    }

    /// The reference recorded blocked calls, which made a block permanent.
    #[test]
    fn a_block_does_not_feed_the_next_one() {
        let mut text = String::new();
        for number in 0..40 {
            text.push_str(
                &(Line::Call { id: format!("i{number}"), agent: "main".into(), call: "a".into() }.text()
                    + "\n"),
            );
            if number >= 14 {
                text.push_str(&(Line::Denied { id: format!("i{number}") }.text() + "\n"));
            }
        }
        assert_eq!(happened(&text, "main", 60).len(), 14, "denied calls did not happen");
        text.push_str(&(Line::Call { id: "x".into(), agent: "main".into(), call: "b".into() }.text() + "\n"));
        assert_eq!(find(&happened(&text, "main", 60), "b", &LIMITS), None);
    }

    #[test]
    fn agents_and_prompts_are_kept_apart() {
        let mut text = String::new();
        for number in 0..30 {
            let agent = if number % 2 == 0 { "main" } else { "sub" };
            text.push_str(
                &(Line::Call { id: format!("i{number}"), agent: agent.into(), call: "a".into() }.text()
                    + "\n"),
            );
        }
        assert_eq!(happened(&text, "main", 60).len(), 15);
        text.push_str("u\n");
        assert!(happened(&text, "main", 60).is_empty());
    }

    /// The reference's 32-bit hash and its dropped nested keys made different calls look alike.
    #[test]
    fn calls_are_told_apart_by_every_key_and_by_nothing_else() {
        let call = |input: serde_json::Value| {
            let raw = serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__x__y", "tool_input": input});
            let text = raw.to_string();
            call_of(&sprag_protocol::decode::decode(text.as_bytes(), None, &|_| None).unwrap())
        };
        use serde_json::json;
        assert_eq!(
            call(json!({"a": 1, "b": {"c": 2, "d": 3}})),
            call(json!({"b": {"d": 3, "c": 2}, "a": 1}))
        );
        assert_ne!(call(json!({"a": {"b": 1}})), call(json!({"a": {"b": 2}})));
        assert_eq!(call(json!({"a": 1, "description": "x"})), call(json!({"a": 1, "description": "y"})));
        assert_ne!(call(json!({"a": {"description": "x"}})), call(json!({"a": {"description": "y"}})));
    }

    #[test]
    fn a_timing_in_the_result_is_no_change() {
        let with =
            |ms: u32| short(&without_durations(&format!("{{\"filenames\":[],\"durationMs\":{ms},\"n\":0}}")));
        assert_eq!(with(3), with(250));
    }

    proptest! {
        /// Whatever is in the file, reading it never panics, and different calls never loop.
        #[test]
        fn any_history_is_readable(text in "([cdru] ?[a-z]{0,3} ?[a-z]{0,3} ?[a-z]{0,3}\n|\\PC{0,10}\n){0,40}") {
            let past = happened(&text, "main", 60);
            let _ = find(&past, "a", &LIMITS);
        }

        #[test]
        fn calls_that_never_repeat_are_never_a_loop(count in 1usize..60) {
            let names: Vec<String> = (0..count).map(|n| format!("call{n}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            prop_assert_eq!(replay(&names, same), (None, None));
        }
    }
}
