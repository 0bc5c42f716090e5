//! tool-loop: the same call again and again, two calls in turn, or a longer cycle, without a change in results.
//! Warns, then denies; per agent; a denied call does not count towards the next denial.

use serde_json::Value as Json;
use sprag_base::glob;
use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::calls::{agent_of, call_of, id_of, result_of};
use sprag_runtime::history::TOOL_CALLS;
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_shell::Cmd;

settings! {
    /// Limits of identical calls for some tools.
    struct ToolLimits<'a> {
        /// the tools; `*` is any text
        tool: Text;
        /// identical calls before a warning
        warn_at: Option<usize>, min 2;
        /// identical calls before a denial
        block_at: Option<usize>, min 3;
    }
}

settings! {
    struct ToolLoopSettings<'a> {
        /// identical calls before a warning
        warn_at: usize = 8, min 2, tighten Lower;
        /// identical calls before a denial
        block_at: usize = 15, min 3, tighten Lower;
        /// calls of one cycle before a warning
        cycle_warn_at: usize = 6, min 4, tighten Lower;
        /// calls of one cycle before a denial
        cycle_block_at: usize = 12, min 6, tighten Lower;
        /// the longest cycle that is looked for
        longest_cycle: usize = 4, min 2;
        /// how many of the last calls are looked at
        window: usize = 60, min 20;
        /// calls that name files but not what changes in them: calls before a denial, alone or in a cycle
        contentless_block_at: usize = 24, min 6, tighten Lower;
        /// other limits of identical calls for some tools: `{ tool = "mcp__ci__*", warn_at = 4, block_at = 6 }`
        limits: Tables<ToolLimits>;
        /// tools that are never a loop; `*` is any text
        ignore_tools: Texts = ["BashOutput", "TaskOutput", "AgentOutputTool"];
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "tool-loop",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "warns about, then denies tool calls that go round in a circle without a change in their results",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "" },
            Sees { kind: EventKind::PostToolUse, matcher: "" },
            Sees { kind: EventKind::PostToolUseFailure, matcher: "" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: ToolLoopSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// What a call is to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallEffect {
    /// A file is changed: what was said before about the world may no longer hold.
    Edit,
    /// Files are named, what changes in them is not: calls look alike that are not.
    Contentless,
    /// Anything else.
    Plain,
}

impl CallEffect {
    fn of(event: &Event) -> Self {
        match &event.tool {
            Some(_) if contentless(event.tool_input()) => Self::Contentless,
            Some(tool) if tool.changes_files() => Self::Edit,
            _ => Self::Plain,
        }
    }

    const fn mark(self) -> &'static str {
        match self {
            Self::Edit => "e",
            Self::Contentless => "l",
            Self::Plain => "-",
        }
    }
}

/// `changes = [{path, kind}]` and nothing else.
fn contentless(input: Option<&Json>) -> bool {
    let Some(input) = input.and_then(Json::as_object).filter(|input| input.len() == 1) else { return false };
    let Some(changes) = input.get("changes").and_then(Json::as_array) else { return false };
    let bare = |change: &Json| {
        let kind = change.get("kind").and_then(Json::as_str);
        change.as_object().is_some_and(|change| change.len() == 2 && change.contains_key("path"))
            && matches!(kind, Some("add" | "update" | "delete"))
    };
    !changes.is_empty() && changes.iter().all(bare)
}

/// One line of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    /// A call was let through: its id, who made it, what it was.
    Call { id: &'a str, agent: &'a str, call: &'a str, effect: CallEffect },
    /// A call was denied, so it never happened.
    Denied { id: &'a str },
    /// A call's result.
    Result { id: &'a str, result: &'a str },
    /// The user spoke: a new beginning.
    Reset,
}

impl<'a> Line<'a> {
    fn text(self) -> String {
        match self {
            Self::Call { id, agent, call, effect } => format!("c {id} {agent} {call} {}", effect.mark()),
            Self::Denied { id } => format!("d {id}"),
            Self::Result { id, result } => format!("r {id} {result}"),
            Self::Reset => "u".to_owned(),
        }
    }

    /// A line that is torn or from another version is none.
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split(' ');
        let kind = words.next()?;
        let mut word = || words.next().filter(|word| !word.is_empty());
        match kind {
            "c" => {
                let (id, agent, call) = (word()?, word()?, word()?);
                let effect = match word() {
                    Some("e") => CallEffect::Edit,
                    Some("l") => CallEffect::Contentless,
                    _ => CallEffect::Plain,
                };
                Some(Self::Call { id, agent, call, effect })
            }
            "d" => Some(Self::Denied { id: word()? }),
            "r" => Some(Self::Result { id: word()?, result: word()? }),
            "u" => Some(Self::Reset),
            _ => None,
        }
    }
}

/// A call that happened, with what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Happened<'a> {
    call: &'a str,
    effect: CallEffect,
    result: Option<&'a str>,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.kind {
        EventKind::UserPromptSubmit => {
            if event.is_from_user() && TOOL_CALLS.exists(cx) {
                TOOL_CALLS.add(cx, &Line::Reset.text())?;
            }
            Ok(Reply::pass())
        }
        EventKind::PostToolUse | EventKind::PostToolUseFailure => {
            let (id, result) = (id_of(event), result_of(event));
            TOOL_CALLS.add(cx, &Line::Result { id: &id, result: &result }.text())?;
            Ok(Reply::pass())
        }
        _ => before(event, cx),
    }
}

fn before(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: ToolLoopSettings<'_> = cx.settings.read();
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    let ignored = |name: &str| glob::name(name, &tool.name);
    if cx.recheck || settings.ignore_tools.iter().any(ignored) || watches_output(event, cx) {
        return Ok(Reply::pass());
    }
    let (id, agent, call) = (id_of(event), agent_of(event), call_of(event));
    let effect = CallEffect::of(event);
    // Written before it is read: of parallel calls, each sees the others.
    TOOL_CALLS.add(cx, &Line::Call { id: &id, agent: &agent, call: &call, effect }.text())?;
    let mut past = Backwards::new(&agent, settings.window);
    let (recent, older);
    recent = TOOL_CALLS.recent(cx)?;
    past.read(&recent);
    if !past.done {
        older = TOOL_CALLS.older(cx, &recent);
        past.read(&older);
    }
    let past = past.calls();
    let found = find(&past, &call, &Limits::of(cx, &tool.name));
    Ok(match found {
        None => Reply::pass(),
        Some(LoopFinding { level: Level::Warn, what }) => Reply::warn(
            "tool-loop",
            format!("{} ({what}). If nothing changed, try another way or say what is missing.", tool.name),
        ),
        Some(LoopFinding { level: Level::Block, what }) => {
            TOOL_CALLS.add(cx, &Line::Denied { id: &id }.text())?;
            Reply::deny(what).instead(
                "Do something different: read the last results again, change the arguments, use another tool, or tell \
                 the user what you are waiting for.",
            )
        }
    })
}

/// True for a look at what a command in the background has printed: at a log, after a pause, or by its process.
fn watches_output(event: &Event, cx: &Cx<'_>) -> bool {
    const LOOKS: [&str; 15] = [
        "tail", "cat", "head", "wc", "grep", "sleep", "cd", "echo", "date", "true", "ps", "pgrep", "jobs",
        "wait", "ls",
    ];
    let Some(tool) = &event.tool else { return false };
    if tool.native_name == "write_stdin" {
        // How Codex asks a running command for more: it types nothing.
        return event.tool_input().and_then(|input| input.get("chars")?.as_str()).is_none_or(str::is_empty);
    }
    let line = tool.command.as_deref().unwrap_or_default();
    if !["tail", "sleep", ".log", ".out", "pgrep", "ps "].iter().any(|word| line.contains(word)) {
        return false;
    }
    let Some((line, _)) = sprag_guard::shell::analysis(event, cx) else { return false };
    let waits = |command: &Cmd| match command.name.as_str() {
        "sleep" | "ps" | "pgrep" | "jobs" | "wait" => true,
        _ => command.args.iter().any(|arg| is_log(&arg.text)),
    };
    line.local_commands().all(|command| LOOKS.contains(&command.name.as_str()))
        && line.local_commands().any(waits)
}

fn is_log(path: &str) -> bool {
    path.starts_with("/tmp/") || matches!(path.rsplit('.').next(), Some("log" | "out" | "output"))
}

/// Reads a record backwards, until enough calls of one agent are known or the user spoke.
struct Backwards<'a> {
    agent: &'a str,
    window: usize,
    /// The calls, the last one first.
    calls: Vec<Happened<'a>>,
    /// Results and denials whose calls stand further up.
    results: Vec<(&'a str, &'a str)>,
    denied: Vec<&'a str>,
    done: bool,
}

impl<'a> Backwards<'a> {
    fn new(agent: &'a str, window: usize) -> Self {
        Self { agent, window, calls: Vec::new(), results: Vec::new(), denied: Vec::new(), done: false }
    }

    fn read(&mut self, text: &'a str) {
        for line in text.lines().rev().filter_map(Line::parse) {
            match line {
                Line::Call { id, agent, call, effect } if agent == self.agent => {
                    if let Some(at) = self.denied.iter().rposition(|denied| *denied == id) {
                        self.denied.remove(at);
                        continue;
                    }
                    let at = self.results.iter().rposition(|(of, _)| *of == id);
                    let result = at.map(|at| self.results.remove(at).1);
                    self.calls.push(Happened { call, effect, result });
                    self.done = self.calls.len() >= self.window;
                }
                Line::Call { .. } => {}
                Line::Denied { id } => self.denied.push(id),
                Line::Result { id, result } => self.results.push((id, result)),
                Line::Reset => self.done = true,
            }
            if self.done {
                return;
            }
        }
    }

    /// The calls, oldest first, the present one last.
    fn calls(mut self) -> Vec<Happened<'a>> {
        self.calls.reverse();
        self.calls
    }
}

struct Limits {
    warn: usize,
    block: usize,
    cycle_warn: usize,
    cycle_block: usize,
    longest: usize,
    contentless: usize,
}

impl Limits {
    fn of(cx: &Cx<'_>, tool: &str) -> Self {
        let settings: ToolLoopSettings<'_> = cx.settings.read();
        let own = settings.limits.iter().find(|limits| glob::name(limits.tool, tool));
        Self {
            warn: own.and_then(|own| own.warn_at).unwrap_or(settings.warn_at),
            block: own.and_then(|own| own.block_at).unwrap_or(settings.block_at),
            contentless: settings.contentless_block_at,
            cycle_warn: settings.cycle_warn_at,
            cycle_block: settings.cycle_block_at,
            longest: settings.longest_cycle,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Level {
    Warn,
    Block,
}

#[derive(Debug, PartialEq, Eq)]
struct LoopFinding {
    level: Level,
    what: String,
}

/// Looks for a loop that the last call belongs to. Pure.
fn find(past: &[Happened<'_>], call: &str, limits: &Limits) -> Option<LoopFinding> {
    let repeats = repeats(past, call);
    let blind =
        |calls: usize| past.iter().rev().take(calls).any(|known| known.effect == CallEffect::Contentless);
    let level = |count: usize, warn: usize, block: usize| {
        if count >= block {
            Some(Level::Block)
        } else if count >= warn {
            Some(Level::Warn)
        } else {
            None
        }
    };
    let block = if blind(1) { limits.block.max(limits.contentless) } else { limits.block };
    let same = level(repeats, limits.warn, block).map(|level| LoopFinding {
        level,
        what: format!("the same call {repeats} times with the same result"),
    });
    let turn = (2..=limits.longest)
        .filter_map(|len| {
            let calls = cycle(past, len);
            // A cycle of three or four needs as many rounds as a ping-pong before it is one.
            let scale = |limit: usize| limit * len / 2;
            let (warn, block) = if blind(len) {
                (limits.cycle_warn.max(limits.contentless / 2), limits.cycle_block.max(limits.contentless))
            } else {
                (limits.cycle_warn, limits.cycle_block)
            };
            let what = format!("{len} calls in turn, {calls} calls in all, with the same results");
            level(calls, scale(warn), scale(block)).map(|level| LoopFinding { level, what })
        })
        .max_by_key(|found| found.level == Level::Block);
    match (same, turn) {
        (Some(same), Some(turn)) if turn.level == Level::Block && same.level == Level::Warn => Some(turn),
        (Some(same), _) => Some(same),
        (None, turn) => turn,
    }
}

/// How often the call was made with the result it had last, the present one included. A poll whose result
/// changes restarts with each change, and so does a call when there was other news in between: a file was
/// edited in a new way, or another call that was made before gave something new.
fn repeats(past: &[Happened<'_>], call: &str) -> usize {
    let earlier = past.split_last().map_or(past, |(_, rest)| rest);
    let mut result: Option<&str> = None;
    let mut count = 1;
    for (at, known) in earlier.iter().enumerate().rev() {
        let before = earlier.get(..at).unwrap_or_default();
        if known.call != call {
            if is_news(known, before) {
                break;
            }
            continue;
        }
        match (result, known.result) {
            (Some(last), Some(this)) if last != this => break,
            (None, Some(this)) => result = Some(this),
            _ => {}
        }
        count += 1;
    }
    count
}

/// True when a call changed the world, or showed that it changed.
fn is_news(known: &Happened<'_>, before: &[Happened<'_>]) -> bool {
    match before.iter().rev().find(|other| other.call == known.call) {
        Some(other) => matches!((other.result, known.result), (Some(old), Some(new)) if old != new),
        None => known.effect == CallEffect::Edit && known.result.is_some(),
    }
}

/// The number of calls at the end that go round in a cycle of `len` calls, with equal results.
fn cycle(past: &[Happened<'_>], len: usize) -> usize {
    let at = |back: usize| past.len().checked_sub(back + 1).and_then(|at| past.get(at));
    // A shorter cycle that is counted as a longer one would be found late: two of two are no four.
    let shorter = (1..len).filter(|part| len.is_multiple_of(*part)).any(|part| {
        (part..len).all(|back| at(back).map(|known| known.call) == at(back - part).map(|known| known.call))
    });
    if shorter || at(len).is_none() {
        return 0;
    }
    let mut count = len;
    while let (Some(old), Some(new)) = (at(count), at(count - len)) {
        let changed = matches!((old.result, new.result), (Some(old), Some(new)) if old != new);
        if old.call != new.call || changed {
            break;
        }
        count += 1;
    }
    if count >= 2 * len { count } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMITS: Limits =
        Limits { warn: 8, block: 15, cycle_warn: 6, cycle_block: 12, longest: 4, contentless: 24 };

    /// Replays a sequence of calls and gives the number of the first warning and of the first block.
    /// A call that begins with `edit` edits, one with `list` says no content. Its result is `result(number)`.
    fn replay(calls: &[&str], result: impl Fn(usize) -> String) -> (Option<usize>, Option<usize>) {
        let mut text = String::new();
        let (mut warned, mut blocked) = (None, None);
        for (number, call) in calls.iter().enumerate() {
            let id = format!("i{number}");
            let effect = match call.get(..4) {
                Some("edit") => CallEffect::Edit,
                Some("list") => CallEffect::Contentless,
                _ => CallEffect::Plain,
            };
            text.push_str(&(Line::Call { id: &id, agent: "main", call, effect }.text() + "\n"));
            let past = happened(&text, "main", 60);
            match find(&past, call, &LIMITS) {
                Some(LoopFinding { level: Level::Warn, .. }) => {
                    warned.get_or_insert(number + 1);
                }
                Some(LoopFinding { level: Level::Block, .. }) => {
                    blocked.get_or_insert(number + 1);
                    text.push_str(&(Line::Denied { id: &id }.text() + "\n"));
                    continue;
                }
                None => {}
            }
            text.push_str(&(Line::Result { id: &id, result: &result(number) }.text() + "\n"));
        }
        (warned, blocked)
    }

    fn happened<'a>(text: &'a str, agent: &'a str, window: usize) -> Vec<Happened<'a>> {
        let mut past = Backwards::new(agent, window);
        past.read(text);
        past.calls()
    }

    fn call_line(number: usize, agent: &str, call: &str) -> String {
        Line::Call { id: &format!("i{number}"), agent, call, effect: CallEffect::Plain }.text() + "\n"
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
            text.push_str(&call_line(number, "main", "a"));
            if number >= 14 {
                text.push_str(&(Line::Denied { id: &format!("i{number}") }.text() + "\n"));
            }
        }
        assert_eq!(happened(&text, "main", 60).len(), 14, "denied calls did not happen");
        text.push_str(&call_line(40, "main", "b"));
        assert_eq!(find(&happened(&text, "main", 60), "b", &LIMITS), None);
    }

    #[test]
    fn agents_and_prompts_are_kept_apart() {
        let mut text = String::new();
        for number in 0..30 {
            text.push_str(&call_line(number, if number % 2 == 0 { "main" } else { "sub" }, "a"));
        }
        assert_eq!(happened(&text, "main", 60).len(), 15);
        text.push_str("u\n");
        assert!(happened(&text, "main", 60).is_empty());
    }

    /// A lint that passes without a word after each of many different edits is work, not a loop.
    #[test]
    fn a_check_after_each_new_edit_is_no_loop() {
        let edits: Vec<String> = (0..30).map(|n| format!("edit{n}")).collect();
        let calls: Vec<&str> = edits.iter().flat_map(|edit| [edit.as_str(), "lint"]).collect();
        assert_eq!(replay(&calls, same), (None, None));
    }

    /// The same edits again are no news: two edits in turn with a test after each are a cycle of four.
    #[test]
    fn a_cycle_may_hold_a_call_twice() {
        let calls: Vec<_> = ["edit-a", "test", "edit-b", "test"].into_iter().cycle().take(40).collect();
        assert_eq!(replay(&calls, same), (Some(12), Some(24)));
        let pairs: Vec<_> = ["a", "a", "b", "b"].into_iter().cycle().take(40).collect();
        assert_eq!(replay(&pairs, same), (Some(12), Some(24)));
    }

    /// Waiting with `sleep 30` between polls that show progress.
    #[test]
    fn a_cycle_in_which_one_result_changes_is_no_loop_and_its_other_calls_are_none() {
        let calls: Vec<_> = ["sleep", "poll"].into_iter().cycle().take(50).collect();
        let result =
            |number: usize| if number.is_multiple_of(2) { "same".to_owned() } else { number.to_string() };
        assert_eq!(replay(&calls, result), (None, None));
    }

    /// Between different calls a repeat is still a repeat, at the same count.
    #[test]
    fn calls_in_between_do_not_hide_a_repeat() {
        let others: Vec<String> = (0..30).map(|n| format!("other{n}")).collect();
        let calls: Vec<&str> = others.iter().flat_map(|other| ["a", other.as_str()]).collect();
        assert_eq!(replay(&calls, same), (Some(15), Some(29)), "the eighth and the fifteenth");
    }

    /// False loop kills of the reference: calls that say no content look alike that are not.
    #[test]
    fn calls_without_content_have_higher_limits() {
        assert_eq!(replay(&["list-a"; 30], same), (Some(8), Some(24)));
        let calls: Vec<_> = ["list-a", "b"].into_iter().cycle().take(40).collect();
        assert_eq!(replay(&calls, same), (Some(12), Some(24)));
    }

    #[test]
    fn what_is_contentless() {
        use serde_json::json;
        assert!(contentless(Some(&json!({"changes": [{"path": "a", "kind": "update"}]}))));
        for other in [
            json!({"changes": []}),
            json!({"changes": [{"path": "a", "kind": "update", "diff": "x"}]}),
            json!({"changes": [{"path": "a", "kind": "update"}], "note": "x"}),
            json!({"changes": [{"path": "a", "kind": "read"}]}),
            json!(null),
        ] {
            assert!(!contentless(Some(&other)), "{other}");
        }
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
