//! loop-detection: one file edited over and over, or back and forth, while no check passes.
//! Warns, then denies; per agent; old edits fade; a passed check, a commit or a word of the user ends the count.

mod progress;

use progress::{CHECKS, progress};
use sprag_base::glob;
use sprag_config::settings;
use sprag_guard::shell;
use sprag_protocol::edits::{self, Change, Part};
use sprag_protocol::{Event, EventKind, ToolKind};
use sprag_runtime::calls::{agent_of, id_of, short};
use sprag_runtime::history::EDITS;
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_scan::scrub::scrub;
use sprag_shell::may_match;

settings! {
    struct LoopDetectionSettings<'a> {
        /// edits of one file before a warning
        warn_at: usize = 4, min 2, tighten Lower;
        /// edits of one file before a denial
        block_at: usize = 24, min 3, tighten Lower;
        /// edits that change what an earlier one of them wrote before a denial
        rework_block_at: usize = 8, min 2, tighten Lower;
        /// edits that undo an earlier one before a denial; each one is warned about
        undo_block_at: usize = 4, min 2, tighten Lower;
        /// how long an edit counts in full; it counts half for as long again, then not at all
        window_minutes: u64 = 10, min 1, tighten Raise;
        /// commands that are progress when they pass: program, then words in order; `a|b` either, `*` any
        checks: Texts = CHECKS;
        /// files that are never a loop: `TODO.md`, `notes/**`
        ignore_paths: Texts;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "loop-detection",
        family: Family::Guard,
        summary: "warns about, then denies edits of one file that go on, or back and forth, while no check passes",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "Edit|Write|MultiEdit|NotebookEdit" },
            Sees {
                kind: EventKind::PostToolUse,
                matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell",
            },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: LoopDetectionSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.kind {
        EventKind::UserPromptSubmit => {
            if event.is_from_user() && EDITS.exists(cx) {
                EDITS.forget(cx)?;
            }
            Ok(Reply::pass())
        }
        EventKind::PostToolUse => after(event, cx),
        EventKind::PreToolUse => before(event, cx),
        _ => Ok(Reply::pass()),
    }
}

/// An edit that happened is confirmed; a check that passed is progress.
fn after(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: LoopDetectionSettings<'_> = cx.settings.read();
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    // Without edits there is nothing to confirm and nothing to end.
    if !EDITS.exists(cx) {
        return Ok(Reply::pass());
    }
    if let Some(command) = &tool.command {
        let checks = settings.checks;
        // Most lines name none of the programs: they are not analysed.
        let line = if may_match(command, checks.iter()) { shell::analysis(event, cx) } else { None };
        if line.is_some_and(|(line, _)| progress(&line, event.tool_response(), checks)) {
            EDITS.add(cx, &format!("p {}", agent_of(event)))?;
        }
    } else if tool.changes_files() {
        EDITS.add(cx, &format!("r {}", id_of(event)))?;
    }
    Ok(Reply::pass())
}

fn before(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: LoopDetectionSettings<'_> = cx.settings.read();
    let Some(tool) = event.tool.as_ref().filter(|tool| tool.changes_files()) else {
        return Ok(Reply::pass());
    };
    let mut mine: Vec<(String, Edit)> = Vec::new();
    for file in edits::of(event) {
        let path = edits::absolute(&file.path, &cx.project.cwd);
        let shown = edits::shown(&path, &cx.project.root);
        if file.change == Change::Delete
            || settings.ignore_paths.iter().any(|pattern| glob::path(pattern, &shown))
        {
            continue;
        }
        // Two names of one file are one file. A file that is not there yet has no other name.
        let real = path.canonicalize().unwrap_or(path);
        mine.push((shown, Edit::of(&real.to_string_lossy(), &file.change)));
    }
    if cx.recheck || mine.is_empty() {
        return Ok(Reply::pass());
    }
    let (id, agent, now) = (id_of(event), agent_of(event), cx.host.clock.now().seconds());
    let past = EDITS.read(cx)?;
    let limits = Limits::of(cx);
    let mut warnings = Vec::new();
    let mut lines = Vec::new();
    for (shown, edit) in &mine {
        let (relation, verdict) = judge(&past, &agent, now, edit, &limits);
        match verdict {
            Verdict::Fine => {}
            Verdict::Warn(what) => warnings.push(format!("{shown}: {what}")),
            // What is denied never happened: nothing is written.
            Verdict::Deny(what) => {
                return Ok(Reply::deny(format!(
                    "{} of {shown} was stopped: {what}. Stop editing this file for now: read it and the last \
                     error again, run the project's build or tests, or tell the user what is in the way. A \
                     check that passes, a commit or a word of the user restarts the count; old edits fade \
                     after {} minutes.",
                    tool.name, limits.window_minutes
                )));
            }
        }
        lines.push(edit.line(&id, &agent, now, relation));
    }
    EDITS.add(cx, &lines.join("\n"))?;
    if warnings.is_empty() {
        return Ok(Reply::pass());
    }
    let kind = if tool.kind == ToolKind::Patch { "Patch" } else { tool.name.as_str() };
    Ok(Reply::warn(
        "loop-detection",
        format!(
            "{kind}: {}. Run the build or the tests before the next edit, and decide for one way.",
            warnings.join("; ")
        ),
    ))
}

/// One edit of one file, as it is remembered: hashes, and the first words of what it wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Edit {
    path: String,
    /// The whole new content's hash.
    whole: Option<String>,
    /// Old and new text of every piece, reduced to what differs.
    swaps: Vec<(String, String)>,
    /// Hashes of the lines that go.
    gone: Vec<String>,
    /// Hashes of the lines that come.
    came: Vec<String>,
    words: String,
}

/// The most pieces and lines that are remembered of one edit.
const PIECES: usize = 8;
const LINES: usize = 16;

fn tiny(text: &str) -> String {
    let mut hash = short(text);
    hash.truncate(10);
    hash
}

impl Edit {
    fn of(path: &str, change: &Change<'_>) -> Self {
        let mut edit = Self { path: tiny(path), ..Self::default() };
        match change {
            Change::Whole(content) => {
                edit.whole = Some(tiny(content));
                edit.words = words(content);
            }
            Change::Parts(parts) => {
                edit.words = parts.first().map(|part| words(core_lines(part).1)).unwrap_or_default();
                for part in parts.iter().take(PIECES) {
                    edit.piece(part);
                }
            }
            Change::Delete => {}
        }
        edit
    }

    fn piece(&mut self, part: &Part<'_>) {
        let (old, new) = core_lines(part);
        self.swaps.push((tiny(old.trim()), tiny(new.trim())));
        let (old_chars, new_chars) = core_chars(old, new);
        // `1` to `2` here and `2` to `1` there undo nothing: what is short needs its line around it.
        if old_chars.len() + new_chars.len() >= 8 {
            self.swaps.push((tiny(old_chars.trim()), tiny(new_chars.trim())));
        }
        let lines = |text: &str| -> Vec<String> {
            text.lines().map(str::trim).filter(|line| line.len() > 2).map(tiny).collect()
        };
        let (gone, came) = (lines(old), lines(new));
        let room = |kept: &Vec<String>| LINES.saturating_sub(kept.len());
        self.gone.extend(gone.iter().filter(|line| !came.contains(line)).take(room(&self.gone)).cloned());
        self.came.extend(came.iter().filter(|line| !gone.contains(line)).take(room(&self.came)).cloned());
    }

    /// Compares the edit with those before it.
    fn relation(&self, before: &[Past<'_>]) -> Relation {
        let nothing = tiny("");
        let undoes = |at: usize, past: &Past<'_>| {
            let inverse = self.swaps.iter().any(|(old, new)| {
                // Nothing for nothing is no change; taking an insertion out is one.
                (*old != nothing || *new != nothing)
                    && pairs(past.swaps).any(|(past_old, past_new)| past_old == new && past_new == old)
            });
            // The same whole text again, with something else in between.
            inverse
                || self.whole.as_deref().is_some_and(|whole| {
                    past.whole == whole && before.iter().skip(at + 1).any(|between| between.whole != whole)
                })
        };
        let reworks = |past: &Past<'_>| {
            self.whole.is_some()
                || past.came.split(',').any(|line| self.gone.iter().any(|gone| gone == line))
                // The same piece is replaced again: it came back in between, or it is tried once more.
                || self.swaps.iter().any(|(old, _)| *old != nothing && pairs(past.swaps).any(|(o, _)| o == old))
        };
        let undoes = before.iter().enumerate().rev().find(|(at, past)| undoes(*at, past)).map(|(at, _)| at);
        Relation { undoes, reworks: undoes.is_some() || before.iter().any(reworks) }
    }

    fn line(&self, id: &str, agent: &str, now: u64, relation: Relation) -> String {
        let list = |items: &[String]| if items.is_empty() { "-".to_owned() } else { items.join(",") };
        let swaps: Vec<String> = self.swaps.iter().map(|(old, new)| format!("{old}>{new}")).collect();
        let flags = match (relation.undoes.is_some(), relation.reworks) {
            (true, _) => "u",
            (false, true) => "w",
            (false, false) => "-",
        };
        format!(
            "e {id} {agent} {now} {} {flags} {} {} {} {}",
            self.path,
            self.whole.as_deref().unwrap_or("-"),
            list(&swaps),
            list(&self.came),
            self.words
        )
    }
}

/// The first words of a text, for a person; secrets and line ends taken out.
fn words(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let cut: String = scrub(line).chars().filter(|c| !c.is_control()).take(48).collect();
    cut
}

/// The lines that differ: what stands around a change is the model's choice and says nothing.
fn core_lines<'a>(part: &'a Part<'_>) -> (&'a str, &'a str) {
    let (mut old, mut new) = (part.old.as_ref(), part.new.as_ref());
    while let (Some((a, old_rest)), Some((b, new_rest))) = (old.split_once('\n'), new.split_once('\n'))
        && a == b
    {
        (old, new) = (old_rest, new_rest);
    }
    while let (Some((old_rest, a)), Some((new_rest, b))) = (old.rsplit_once('\n'), new.rsplit_once('\n'))
        && a == b
    {
        (old, new) = (old_rest, new_rest);
    }
    (old, new)
}

/// The characters that differ.
fn core_chars<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
        a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let front = same(&mut old.chars(), &mut new.chars());
    let (old, new) = (old.get(front..).unwrap_or_default(), new.get(front..).unwrap_or_default());
    let back = same(&mut old.chars().rev(), &mut new.chars().rev());
    (
        old.get(..old.len().saturating_sub(back)).unwrap_or_default(),
        new.get(..new.len().saturating_sub(back)).unwrap_or_default(),
    )
}

/// An edit of the past, borrowed from its line.
#[derive(Clone, Copy, Debug)]
struct Past<'a> {
    id: &'a str,
    at: u64,
    path: &'a str,
    flags: &'a str,
    whole: &'a str,
    swaps: &'a str,
    came: &'a str,
    words: &'a str,
    happened: bool,
}

/// The edits that an agent made of one file since the last progress, oldest first.
fn past_edits<'a>(text: &'a str, agent: &str, path: &str) -> Vec<Past<'a>> {
    let mut edits: Vec<Past<'a>> = Vec::new();
    let mut results = false;
    for line in text.lines() {
        let mut parts = line.splitn(10, ' ');
        match parts.next() {
            // Most lines are about other files: they are not taken apart.
            Some("e") if line.contains(path) => {
                let mut part = || parts.next();
                let (Some(id), Some(who), Some(at)) = (part(), part(), part()) else { continue };
                let (Some(file), Some(flags), Some(whole)) = (part(), part(), part()) else { continue };
                let (Some(swaps), Some(came)) = (part(), part()) else { continue };
                let words = part().unwrap_or_default();
                let Ok(at) = at.parse() else { continue };
                if who == agent {
                    edits.push(Past {
                        id,
                        at,
                        path: file,
                        flags,
                        whole,
                        swaps,
                        came,
                        words,
                        happened: false,
                    });
                }
            }
            Some("r") => {
                results = true;
                let id = parts.next().unwrap_or_default();
                for edit in edits.iter_mut().filter(|edit| edit.id == id) {
                    edit.happened = true;
                }
            }
            Some("p") if parts.next() == Some(agent) => edits.clear(),
            _ => {}
        }
    }
    // Where results are reported, an edit without one was denied or failed. Where none ever is, it happened.
    edits.retain(|edit| edit.path == path && (edit.happened || !results));
    edits
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    warn: usize,
    block: usize,
    rework: usize,
    undo: usize,
    window_minutes: u64,
}

impl Limits {
    fn of(cx: &Cx<'_>) -> Self {
        let settings: LoopDetectionSettings<'_> = cx.settings.read();
        Self {
            warn: settings.warn_at,
            block: settings.block_at,
            rework: settings.rework_block_at,
            undo: settings.undo_block_at,
            window_minutes: settings.window_minutes,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Fine,
    Warn(String),
    Deny(String),
}

/// What an edit does to the edits before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Relation {
    /// It takes back an earlier one: the place of that one.
    undoes: Option<usize>,
    /// It changes what an earlier one wrote.
    reworks: bool,
}

fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(',').filter_map(|pair| pair.split_once('>'))
}

/// Judges an edit by those before it. Pure.
fn judge(text: &str, agent: &str, now: u64, edit: &Edit, limits: &Limits) -> (Relation, Verdict) {
    let before = past_edits(text, agent, &edit.path);
    let mine = edit.relation(&before);
    let window = limits.window_minutes * 60;
    // Counted in halves: an old edit counts half, a very old one not at all.
    let weight = |at: u64| match now.saturating_sub(at) {
        age if age < window => 2_usize,
        age if age < 2 * window => 1,
        _ => 0,
    };
    let sum = |own: bool, counts: &dyn Fn(&Past<'_>) -> bool| -> usize {
        let past: usize = before.iter().filter(|past| counts(past)).map(|past| weight(past.at)).sum();
        past / 2 + usize::from(own)
    };
    let all = sum(true, &|_| true);
    let reworks = sum(mine.reworks, &|past| past.flags != "-");
    let undos = sum(mine.undoes.is_some(), &|past| past.flags == "u");
    (mine, verdict(&before, mine, (all, reworks, undos), limits))
}

fn verdict(before: &[Past<'_>], mine: Relation, counts: (usize, usize, usize), limits: &Limits) -> Verdict {
    let (all, reworks, undos) = counts;
    let edits = format!("{all} edits and no check passed in between{}", attempts(before));
    if mine.undoes.is_some() && undos >= limits.undo {
        return Verdict::Deny(format!("back and forth, {undos} edits that undo another one; {edits}"));
    }
    if mine.reworks && reworks >= limits.rework {
        return Verdict::Deny(format!("{reworks} edits change what an earlier one wrote; {edits}"));
    }
    if all >= limits.block {
        return Verdict::Deny(edits);
    }
    if let Some(at) = mine.undoes {
        let back = before.len() - at;
        let which = if back == 1 { "the last edit".to_owned() } else { format!("the edit {back} before it") };
        return Verdict::Warn(format!("this undoes {which} (A, B, A again); {edits}"));
    }
    // Said when the limit is reached and each time the count doubles; from there on when it gets close.
    let doubles =
        all >= limits.warn && (all / limits.warn).is_power_of_two() && all.is_multiple_of(limits.warn);
    let last = all + 1 == limits.block || (mine.reworks && reworks + 1 == limits.rework);
    if doubles || last {
        let next = if last { "; the next one is denied" } else { "" };
        return Verdict::Warn(format!("{edits}{next}"));
    }
    Verdict::Fine
}

/// The last different attempts, in the model's own words.
fn attempts(before: &[Past<'_>]) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for past in before.iter().rev() {
        if !past.words.is_empty() && !seen.contains(&past.words) {
            seen.push(past.words);
        }
        if seen.len() == 3 {
            break;
        }
    }
    if seen.is_empty() { String::new() } else { format!(" (last: `{}`)", seen.join("`, `")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    const LIMITS: Limits = Limits { warn: 4, block: 24, rework: 8, undo: 4, window_minutes: 10 };

    fn swap(old: &str, new: &str) -> Edit {
        let part = Part { old: old.to_owned().into(), new: new.to_owned().into(), all: false };
        Edit::of("/p/a", &Change::Parts(vec![part]))
    }

    fn write(text: &str) -> Edit {
        Edit::of("/p/a", &Change::Whole(text.to_owned().into()))
    }

    #[derive(Debug, PartialEq, Eq)]
    enum Said {
        Nothing,
        Warned,
        Undo,
        Denied,
    }

    /// Plays edits, `gap` seconds apart; every edit that is let through happens.
    fn play(edits: &[Edit], gap: u64) -> Vec<Said> {
        let mut text = String::new();
        let mut said = Vec::new();
        for (number, edit) in edits.iter().enumerate() {
            let now = 1_000 + number as u64 * gap;
            let (relation, verdict) = judge(&text, "main", now, edit, &LIMITS);
            if !matches!(verdict, Verdict::Deny(_)) {
                let id = format!("i{number}");
                writeln!(text, "{}\nr {id}", edit.line(&id, "main", now, relation)).unwrap();
            }
            said.push(match verdict {
                Verdict::Fine => Said::Nothing,
                Verdict::Warn(what) if what.contains("undoes") => Said::Undo,
                Verdict::Warn(_) => Said::Warned,
                Verdict::Deny(_) => Said::Denied,
            });
        }
        said
    }

    fn fresh(count: usize) -> Vec<Edit> {
        (0..count).map(|n| swap(&format!("let old_{n} = 1;"), &format!("let fresh_{n} = 2;"))).collect()
    }

    #[test]
    fn different_edits_are_warned_about_at_four_and_when_the_count_doubles() {
        let said = play(&fresh(26), 5);
        let at = |what: Said| -> Vec<usize> {
            said.iter().enumerate().filter(|(_, said)| **said == what).map(|(at, _)| at + 1).collect()
        };
        assert_eq!(at(Said::Warned), [4, 8, 16, 23]);
        assert_eq!(at(Said::Denied), [24, 25, 26], "and a denial does not feed the next one");
    }

    #[test]
    fn the_fifth_edit_that_undoes_the_fourth_is_warned_about() {
        let mut edits = fresh(4);
        edits.push(swap("let fresh_3 = 2;", "let old_3 = 1;"));
        assert_eq!(play(&edits, 5)[4], Said::Undo);
    }

    #[test]
    fn what_stands_around_a_change_does_not_hide_an_undo() {
        let a = swap(
            "    return sum(i.price for i in items)\n",
            "    return sum(i.price * i.qty for i in items)\n",
        );
        let b = swap("sum(i.price * i.qty for", "sum(i.price for");
        assert_eq!(play(&[a, b], 5), [Said::Nothing, Said::Undo]);
        let a = swap("x\nlet a = 1;\ny", "x\nlet a = 2;\ny");
        let b = swap("let a = 2;", "let a = 1;");
        assert_eq!(play(&[a, b], 5), [Said::Nothing, Said::Undo]);
    }

    #[test]
    fn the_same_small_change_at_two_places_is_no_undo() {
        assert_eq!(
            play(&[swap("x = 1", "x = 2"), swap("y = 2", "y = 1")], 5),
            [Said::Nothing, Said::Nothing]
        );
    }

    #[test]
    fn back_and_forth_is_denied_at_the_fifth_edit() {
        let (there, back) = (swap("let a = 1;", "let a = 2;"), swap("let a = 2;", "let a = 1;"));
        let edits: Vec<Edit> = [&there, &back].into_iter().cycle().take(6).cloned().collect();
        assert_eq!(
            play(&edits, 5),
            [Said::Nothing, Said::Undo, Said::Undo, Said::Undo, Said::Denied, Said::Denied]
        );
    }

    #[test]
    fn whole_files_that_come_back_are_an_undo_and_the_same_again_is_none() {
        assert_eq!(play(&[write("a"), write("b"), write("a")], 5)[2], Said::Undo);
        assert_eq!(play(&[write("a"), write("a")], 5)[1], Said::Nothing, "that is tool-loop's business");
        assert_eq!(play(&[write("a"), swap("x\n", "y\n"), write("a")], 5)[2], Said::Undo);
    }

    #[test]
    fn rework_is_denied_before_many_different_edits_are() {
        let edits: Vec<Edit> =
            (0..12).map(|n| swap(&format!("let a = {n}00;"), &format!("let a = {}00;", n + 1))).collect();
        let said = play(&edits, 5);
        assert_eq!(said.iter().position(|said| *said == Said::Denied), Some(8), "{said:?}");
    }

    fn lines(count: usize, agent: &str) -> String {
        let line = |(number, edit): (usize, &Edit)| {
            edit.line(&format!("i{number}"), agent, 1_000, Relation::default()) + "\n"
        };
        fresh(count).iter().enumerate().map(line).collect()
    }

    /// Fault of the reference: it counts for the whole session and never resets.
    #[test]
    fn old_edits_fade() {
        assert!(play(&fresh(40), 601).iter().all(|said| *said == Said::Nothing));
        let text = lines(4, "main");
        let next = swap("something else", "and more of it");
        let denied = |now| {
            let limits = Limits { block: 5, ..LIMITS };
            matches!(judge(&text, "main", now, &next, &limits).1, Verdict::Deny(_))
        };
        assert_eq!((denied(1_599), denied(1_601)), (true, false), "half of four and one are three");
    }

    /// Fault of the reference: read-modify-write of one file lost parallel edits; here lines are only added,
    /// and an edit that was denied, refused or failed is told from one that happened.
    #[test]
    fn an_edit_without_a_result_did_not_happen() {
        let mut text = lines(30, "main");
        assert_eq!(past_edits(&text, "main", &tiny("/p/a")).len(), 30, "an agent that reports no results");
        text.push_str("r i7\n");
        assert_eq!(past_edits(&text, "main", &tiny("/p/a")).len(), 1);
    }

    #[test]
    fn agents_files_and_progress_are_kept_apart() {
        let mut text = lines(1, "main") + &lines(1, "sub") + &lines(1, "main");
        assert_eq!(past_edits(&text, "main", &tiny("/p/a")).len(), 2);
        assert!(past_edits(&text, "main", &tiny("/p/b")).is_empty());
        text.push_str("p main\n");
        assert!(past_edits(&text, "main", &tiny("/p/a")).is_empty());
        assert_eq!(past_edits(&text, "sub", &tiny("/p/a")).len(), 1);
    }

    proptest! {
        #[test]
        fn any_record_is_readable(text in "([erpu] ?([a-z0-9>,-]{0,3} ?){0,9}\n|\\PC{0,10}\n){0,30}") {
            let _ = judge(&text, "main", 5_000, &swap("a", "b"), &LIMITS);
        }

        #[test]
        fn any_edit_is_remembered(old in "\\PC{0,40}|[ab\n]{0,20}", new in "\\PC{0,40}|[ab\n]{0,20}") {
            let edit = swap(&old, &new);
            let text = format!("{}\n", edit.line("i", "main", 1, Relation::default()));
            prop_assert_eq!(text.lines().count(), 1);
            prop_assert_eq!(past_edits(&text, "main", &edit.path).len(), 1);
        }

        #[test]
        fn edits_of_different_files_are_never_a_loop(count in 1usize..40) {
            let mut text = String::new();
            for number in 0..count {
                let change = Change::Whole("same".into());
                let edit = Edit::of(&format!("/p/{number}"), &change);
                let (relation, verdict) = judge(&text, "main", 1_000, &edit, &LIMITS);
                prop_assert_eq!(verdict, Verdict::Fine);
                writeln!(text, "{}", edit.line(&format!("i{number}"), "main", 1_000, relation)).unwrap();
            }
        }
    }
}
