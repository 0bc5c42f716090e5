//! What is wrong with the lessons as a whole: those that can never speak, speak too often, contradict each other,
//! cost too much, or help nobody. Each with what to do about it.

use crate::index::{Call, Index, Limits, Options, Places, build};
use crate::model::{Lesson, LessonKind, Status};
use crate::pattern::PatternText;
use crate::similar::{self, SAME};
use crate::validate;
use sprag_pattern::{MatchResult, Pattern};
use sprag_store::Fires;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Worth a look.
    Note,
    /// It should be fixed.
    Warning,
    /// It does not work, or does harm.
    Error,
}

impl Level {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The lesson.
    pub slug: String,
    /// How bad.
    pub level: Level,
    /// What kind: a stable word.
    pub check: &'static str,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub fix: String,
}

/// What is known beside the lessons.
#[derive(Debug, Default)]
pub struct Facts {
    /// What each did, by id.
    pub fires: BTreeMap<String, Fires>,
    /// Slugs whose patterns were given up in a call.
    pub given_up: Vec<String>,
    /// Those whose trigger matches too many of their project's own calls, by id, in words.
    pub broad: BTreeMap<String, String>,
    /// The time, in microseconds.
    pub now: i64,
}

/// Tools that calls have, in any agent's spelling.
const TOOLS: [&str; 44] = [
    "Bash", "PowerShell", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob",
    "Grep", "LS", "WebFetch", "WebSearch", "Agent", "Task", "TaskCreate", "TaskUpdate", "TaskList",
    "TodoWrite", "AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "Skill", "SlashCommand", "BashOutput",
    "KillShell", "KillBash", "Monitor", "ToolSearch", "LSP", "apply_patch", "shell", "exec_command",
    "spawn_agent", "run_shell_command", "read_file", "read_many_files", "write_file", "replace", "glob",
    "grep_search", "search_file_content", "list_directory", "web_fetch",
];

/// Commands of every day: a lesson that matches many of them says nothing about any.
const EVERYDAY: [&str; 24] = [
    "ls -la",
    "cd src && ls",
    "git status",
    "git diff --stat",
    "git log --oneline -5",
    "git add -A && git commit -m 'x'",
    "cat README.md",
    "grep -rn foo src",
    "find . -name '*.py'",
    "python3 -m pytest -q",
    "npm test",
    "npm run build",
    "cargo test -p shop",
    "make",
    "docker ps",
    "curl -s https://example.com",
    "mkdir -p build",
    "rm -f out.txt",
    "sed -n 1,20p a.txt",
    "echo done",
    "which node",
    "head -5 a.txt",
    "wc -l src/*",
    "go test ./...",
];

const DAY: i64 = 86_400_000_000;

/// Examines lessons.
pub fn examine(all: &[Lesson], facts: &Facts) -> Vec<Finding> {
    let active: Vec<&Lesson> = all.iter().filter(|lesson| lesson.status == Status::Active).collect();
    let mut found = Vec::new();
    for lesson in &active {
        reachable(lesson, &mut found);
        patterns(lesson, facts, &mut found);
        texts(lesson, &mut found);
        effect(lesson, facts, &mut found);
    }
    duplicates(&active, &mut found);
    conflicts(&active, &mut found);
    found.sort_by(|a, b| (b.level, &a.slug, a.check).cmp(&(a.level, &b.slug, b.check)));
    found.dedup();
    found
}

fn push(
    found: &mut Vec<Finding>,
    lesson: &Lesson,
    level: Level,
    check: &'static str,
    what: String,
    fix: impl Into<String>,
) {
    found.push(Finding { slug: lesson.slug.clone(), level, check, what, fix: fix.into() });
}

fn edit(lesson: &Lesson, patch: &str) -> String {
    format!("sprag lessons edit {} --patch '{patch}'", lesson.slug)
}

/// Whether a call can ever match it.
fn reachable(lesson: &Lesson, found: &mut Vec<Finding>) {
    if !lesson.kind.about_calls() {
        if !lesson.tool_names.is_empty() {
            let what = format!("a {} does not look at calls; its tools do nothing", lesson.kind.name());
            push(found, lesson, Level::Note, "needless-tools", what, edit(lesson, r#"{"toolNames": []}"#));
        }
        return;
    }
    if lesson.tool_names.is_empty() {
        push(
            found,
            lesson,
            Level::Error,
            "unreachable",
            "it names no tool, so no call ever matches it".to_owned(),
            edit(lesson, r#"{"toolNames": ["Bash"]}"#),
        );
    }
    for tool in &lesson.tool_names {
        if TOOLS.contains(&tool.as_str()) || tool.starts_with("mcp__") || tool.ends_with('*') {
            continue;
        }
        let near = TOOLS.iter().find(|known| known.eq_ignore_ascii_case(tool)).copied();
        let near = near.or_else(|| sprag_config::parse::nearest(tool, &TOOLS));
        let fix = match near {
            Some(near) => edit(lesson, &format!(r#"{{"toolNames": ["{near}"]}}"#)),
            None => "take the name from a payload: `sprag logs --json`".to_owned(),
        };
        push(found, lesson, Level::Error, "dead-tool", format!("no agent has a tool `{tool}`"), fix);
    }
    if let Some(scope) = lesson.scope.as_deref().filter(|scope| scope.starts_with('/'))
        && !std::path::Path::new(scope).exists()
    {
        let what = format!("it is about {scope}, which is not there");
        push(found, lesson, Level::Warning, "dead-scope", what, edit(lesson, r#"{"scope": null}"#));
    }
    let only_paths = lesson.command_patterns.is_empty() && !lesson.path_patterns.is_empty();
    if only_paths && lesson.tool_names.iter().all(|tool| tool == "Bash") {
        push(
            found,
            lesson,
            Level::Error,
            "unreachable",
            "it has patterns on paths alone, and a command has no path".to_owned(),
            edit(lesson, r#"{"commandPatterns": ["…"]}"#),
        );
    }
}

/// Texts on which a pattern that goes back and forth takes for ever.
fn attacks() -> Vec<String> {
    let mut found: Vec<String> = ["a", "x", "0", " ", "/", "-", "ab", "a ", "a.", "1,", "a/"]
        .iter()
        .map(|unit| format!("{}!", unit.repeat(60 / unit.len())))
        .collect();
    found.push(format!("git push {}\u{1}", "--force ".repeat(20)));
    found.push("a".repeat(2_000));
    found
}

fn patterns(lesson: &Lesson, facts: &Facts, found: &mut Vec<Finding>) {
    for (pattern, error) in validate::pattern_faults(lesson) {
        let what = format!("the pattern `{pattern}` is invalid and never matches: {error}");
        push(
            found,
            lesson,
            Level::Error,
            "invalid-pattern",
            what,
            edit(lesson, r#"{"commandPatterns": ["…"]}"#),
        );
    }
    let compiled = |texts: &[PatternText]| -> Vec<(String, Pattern)> {
        let read =
            |text: &PatternText| Some((text.source().to_owned(), text.as_text_pattern(false).ok()?.pattern));
        texts.iter().filter_map(read).collect()
    };
    let commands = compiled(&lesson.command_patterns);
    let attacks = attacks();
    for (source, pattern) in
        commands.iter().chain(&compiled(&lesson.content_patterns)).chain(&compiled(&lesson.model_patterns))
    {
        let slow = attacks
            .iter()
            .any(|text| pattern.is_match_within(text, Limits::default().steps) == MatchResult::StepLimit);
        if slow {
            push(
                found,
                lesson,
                Level::Error,
                "slow-pattern",
                format!(
                    "`{source}` goes back and forth without end on some texts; it is given up and counts as not matching"
                ),
                "take one of two nested repetitions out: `(a+)+` is `a+`",
            );
        }
    }
    if facts.given_up.contains(&lesson.slug)
        && !found.iter().any(|one| one.slug == lesson.slug && one.check == "slow-pattern")
    {
        let what = "one of its patterns was given up on a real call".to_owned();
        push(found, lesson, Level::Warning, "slow-pattern", what, "make the pattern simpler, or anchor it");
    }
    if !lesson.kind.about_calls() || !lesson.tool_names.iter().any(|tool| tool == "Bash" || tool == "*") {
        return;
    }
    let free = lesson.command_patterns.is_empty()
        && lesson.path_patterns.is_empty()
        && lesson.content_patterns.is_empty();
    let hits = EVERYDAY
        .iter()
        .filter(|command| commands.iter().any(|(_, pattern)| pattern.is_match(command) == MatchResult::Yes))
        .count();
    if free || hits * 4 >= EVERYDAY.len() {
        let level = if lesson.kind == LessonKind::Guard { Level::Error } else { Level::Warning };
        let what = if free {
            "it matches every command".to_owned()
        } else {
            format!("it matches {hits} of {} everyday commands", EVERYDAY.len())
        };
        push(
            found,
            lesson,
            level,
            "over-broad",
            what,
            edit(lesson, r#"{"commandPatterns": ["\\bgit\\s+push\\b"]}"#),
        );
    }
}

fn texts(lesson: &Lesson, found: &mut Vec<Finding>) {
    let edit_text = format!("sprag lessons edit {} --summary '…' --solution '…'", lesson.slug);
    for fault in validate::faults(lesson) {
        // Said above, with a better fix.
        const SAID: [&str; 4] = ["invalid", "names no tool", "no use for tools", "no trigger"];
        if SAID.iter().any(|words| fault.contains(words)) {
            continue;
        }
        // An imported lesson may have its whole text in one piece.
        if lesson.message.is_some() && fault.contains("too short") {
            continue;
        }
        push(found, lesson, Level::Warning, "text", fault, edit_text.clone());
    }
    if lesson.summary.chars().count() > 120 {
        push(
            found,
            lesson,
            Level::Note,
            "text",
            "the summary is longer than 120 characters".to_owned(),
            edit_text.clone(),
        );
    }
    if lesson.text().len() > 4_096 {
        let what = format!("its text has {} bytes: alone it fills the budget of a call", lesson.text().len());
        push(found, lesson, Level::Warning, "too-long", what, edit_text);
    }
}

fn effect(lesson: &Lesson, facts: &Facts, found: &mut Vec<Finding>) {
    let fires = facts.fires.get(&lesson.id).copied().unwrap_or_default();
    let age = (facts.now - lesson.created.max(lesson.updated)) / DAY;
    let remove = |why: &str| format!("remove it: sprag lessons archive {} --reason '{why}'", lesson.slug);
    if lesson.kind.about_calls() && fires.shown + fires.denied == 0 && age > 30 && lesson.created > 0 {
        let what = format!("it has not spoken in {age} days");
        push(found, lesson, Level::Note, "never-fired", what, remove("it never matched"));
    }
    let sessions = fires.ignored + fires.helped;
    if fires.ignored >= 3 && fires.helped == 0 {
        let what = format!("the mistake was made in every one of the {sessions} sessions that it spoke in");
        push(found, lesson, Level::Warning, "ignored", what, remove("it was always ignored"));
    } else if fires.ignored >= 3 && fires.ignored > fires.helped {
        let what =
            format!("the mistake was made in {} of {sessions} sessions that it spoke in", fires.ignored);
        push(found, lesson, Level::Warning, "ignored", what, edit(lesson, r#"{"type": "guard"}"#));
    }
    if let Some(broad) = facts.broad.get(&lesson.id) {
        let fix = edit(lesson, r#"{"commandPatterns": ["…"]}"#);
        push(found, lesson, Level::Warning, "broad-here", broad.clone(), fix);
    }
}

/// Lessons about the same. Only those that share one of their rarest words are compared.
fn duplicates(active: &[&Lesson], found: &mut Vec<Finding>) {
    const RAREST: usize = 4;
    const MAX_SHARED: usize = 64;
    let words: Vec<BTreeSet<String>> = active.iter().map(|lesson| similar::words(&lesson.problem)).collect();
    let mut count: HashMap<&str, usize> = HashMap::new();
    for word in words.iter().flatten() {
        *count.entry(word).or_default() += 1;
    }
    let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (at, own) in words.iter().enumerate() {
        let mut rare: Vec<&str> = own.iter().map(String::as_str).collect();
        rare.sort_by_key(|word| count.get(word).copied().unwrap_or(0));
        let mut named = false;
        for word in rare.into_iter().take(RAREST) {
            let others = by_word.entry(word).or_default();
            for other in others.iter().rev().take(MAX_SHARED) {
                if named || !seen.insert((*other, at)) {
                    continue;
                }
                let (Some(a), Some(b), Some(of_a)) = (active.get(*other), active.get(at), words.get(*other))
                else {
                    continue;
                };
                let share = similar::jaccard(of_a, own);
                if share >= SAME && a.scope == b.scope && a.kind == b.kind {
                    named = true;
                    let what =
                        format!("it says the same as {} ({:.0} % of the words)", a.slug, share * 100.0);
                    push(
                        found,
                        b,
                        Level::Warning,
                        "duplicate",
                        what,
                        format!("sprag lessons archive {} --reason duplicate", b.slug),
                    );
                }
            }
            if others.len() < MAX_SHARED {
                others.push(at);
            }
        }
    }
}

/// Guards whose advice another guard denies.
fn conflicts(active: &[&Lesson], found: &mut Vec<Finding>) {
    let guards: Vec<Lesson> = active
        .iter()
        .filter(|lesson| lesson.kind == LessonKind::Guard)
        .map(|lesson| (*lesson).clone())
        .collect();
    let advised: Vec<(&Lesson, Vec<String>)> =
        guards.iter().map(|guard| (guard, commands_in(guard))).collect();
    if advised.iter().all(|(_, commands)| commands.is_empty()) {
        return;
    }
    let Ok(index) = Index::from_bytes(build(&guards, Options::default()).bytes) else { return };
    for (guard, commands) in advised {
        for command in commands {
            for by in denied_by(&index, guard, &command) {
                let own = by == guard.slug;
                let what = if own {
                    format!("it denies its own advice: `{command}`")
                } else {
                    format!("its advice `{command}` is denied by the guard {by}")
                };
                let fix = if own {
                    edit(guard, r#"{"commandPatterns": ["…(?!…)"]}"#)
                } else {
                    format!(
                        "change one of them: sprag lessons show {by}; sprag lessons edit {} --solution '…'",
                        guard.slug
                    )
                };
                push(found, guard, Level::Error, "conflict", what, fix);
            }
        }
    }
}

fn denied_by(index: &Index, guard: &Lesson, command: &str) -> Vec<String> {
    let executable = || command.to_owned();
    let scope = guard.scope.clone();
    let call = Call {
        names: vec!["Bash"],
        command,
        paths: Vec::new(),
        content: String::new(),
        executable: &executable,
        places: Places { paths: scope.iter().cloned().collect(), remote: &|| None },
    };
    let matches = index.find(&call, Limits::default());
    let mut slugs: Vec<String> =
        matches.guards.iter().filter_map(|rank| index.entry(*rank)).map(|entry| entry.slug).collect();
    slugs.dedup();
    slugs.truncate(4);
    slugs
}

/// Commands that a solution advises: between backquotes, or lines of a fenced block. One after "not" or "instead of"
/// is what must not be done.
fn commands_in(lesson: &Lesson) -> Vec<String> {
    let text = if lesson.solution.trim().is_empty() {
        let text = lesson.text();
        text.split_once("**Fix**").map_or(String::new(), |(_, fix)| fix.to_owned())
    } else {
        lesson.solution.clone()
    };
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            found.push(line.trim().trim_start_matches("$ ").to_owned());
            continue;
        }
        let mut before = String::new();
        for (number, part) in line.split('`').enumerate() {
            if number % 2 == 0 {
                part.clone_into(&mut before);
                continue;
            }
            let said = before.trim_end().to_lowercase();
            let against = ["not", "never", "n't", "instead of", "avoid", "rather than", "over", "than"];
            if !against.iter().any(|word| said.ends_with(word)) {
                found.push(part.trim().trim_start_matches("$ ").to_owned());
            }
        }
    }
    found.retain(|command| command.chars().count() > 2 && command.len() < 2_000);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(slug: &str, kind: LessonKind, tools: &[&str], patterns: &[&str], solution: &str) -> Lesson {
        Lesson {
            slug: slug.into(),
            kind,
            status: Status::Active,
            summary: format!("A lesson about {slug}"),
            problem: format!("{slug}alpha {slug}beta {slug}gamma {slug}delta went wrong"),
            solution: solution.into(),
            tool_names: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            command_patterns: patterns.iter().map(|text| PatternText::new(*text)).collect(),
            ..Lesson::new()
        }
        .settled(|| format!("id-{slug}"))
    }

    const SOLUTION: &str = "Do it in another way, which is described here at length.";

    fn checks(all: &[Lesson], slug: &str) -> Vec<&'static str> {
        let found = examine(all, &Facts::default());
        found.iter().filter(|one| one.slug == slug).map(|one| one.check).collect()
    }

    #[test]
    fn a_good_lesson_has_no_findings() {
        let all = [lesson("good", LessonKind::Hint, &["Bash"], &[r"\bgit\s+stash\b"], SOLUTION)];
        assert_eq!(examine(&all, &Facts::default()), []);
    }

    #[test]
    fn what_can_never_speak_is_found() {
        let mut paths = lesson("paths", LessonKind::Hint, &["Bash"], &[], SOLUTION);
        paths.path_patterns = vec![PatternText::new("*.py")];
        let all = [
            lesson("none", LessonKind::Hint, &[], &["stash"], SOLUTION),
            lesson("dead", LessonKind::Hint, &["bash"], &["stash pop"], SOLUTION),
            lesson("bad", LessonKind::Guard, &["Bash"], &["("], SOLUTION),
            paths,
        ];
        assert_eq!(checks(&all, "none"), ["unreachable"]);
        assert_eq!(checks(&all, "dead"), ["dead-tool"]);
        assert_eq!(checks(&all, "bad"), ["invalid-pattern"]);
        assert_eq!(checks(&all, "paths"), ["unreachable"]);
        let fix =
            examine(&all, &Facts::default()).into_iter().find(|one| one.check == "dead-tool").unwrap().fix;
        assert!(fix.contains(r#"["Bash"]"#), "{fix}");
    }

    #[test]
    fn what_costs_or_says_too_much_is_found() {
        let all = [
            lesson("slow", LessonKind::Hint, &["Bash"], &["(a+)+$"], SOLUTION),
            lesson("broad", LessonKind::Guard, &["Bash"], &["."], SOLUTION),
            lesson("free", LessonKind::Hint, &["Bash"], &[], SOLUTION),
        ];
        assert_eq!(checks(&all, "slow"), ["slow-pattern"]);
        assert_eq!(checks(&all, "broad"), ["over-broad"]);
        assert_eq!(checks(&all, "free"), ["over-broad"]);
    }

    #[test]
    fn fault_22_guards_that_contradict_each_other_are_found() {
        let all = [
            lesson(
                "timeout",
                LessonKind::Guard,
                &["Bash"],
                &[r"\bpytest\b(?!.*--timeout)"],
                "Run `python -m pytest --timeout=60` and not `pytest` alone.",
            ),
            lesson(
                "module",
                LessonKind::Guard,
                &["Bash"],
                &[r"python -m pytest"],
                "Run `uv run pytest --timeout=60 -q` in this project.",
            ),
            lesson(
                "self",
                LessonKind::Guard,
                &["Bash"],
                &[r"\bvitest\b"],
                "Use `npx vitest run` so that it ends.",
            ),
        ];
        let found = examine(&all, &Facts::default());
        let said: Vec<String> =
            found.iter().filter(|one| one.check == "conflict").map(|one| one.what.clone()).collect();
        assert_eq!(said.len(), 2, "{said:#?}");
        assert!(said.iter().any(|what| what.contains("denied by the guard module")));
        assert!(said.iter().any(|what| what.contains("denies its own advice: `npx vitest run`")));
    }

    #[test]
    fn duplicates_and_what_nobody_heeds_are_found() {
        let mut twin = lesson("twin", LessonKind::Hint, &["Bash"], &["stash"], SOLUTION);
        let mut old = lesson("stash-one", LessonKind::Hint, &["Bash"], &["stash"], SOLUTION);
        old.created = 1;
        twin.problem = format!("{} again", old.problem);
        let fires = Fires { shown: 9, ignored: 5, helped: 1, ..Fires::default() };
        let facts = Facts {
            fires: [(twin.id.clone(), fires)].into(),
            given_up: vec!["twin".into()],
            now: 90 * DAY,
            ..Facts::default()
        };
        let found = examine(&[old, twin], &facts);
        let of =
            |slug: &str| found.iter().filter(|one| one.slug == slug).map(|one| one.check).collect::<Vec<_>>();
        assert_eq!(of("stash-one"), ["never-fired"]);
        assert_eq!(of("twin"), ["duplicate", "ignored", "slow-pattern"]);
    }

    #[test]
    fn of_many_copies_each_is_named_once() {
        let copy = |n: usize| Lesson {
            slug: format!("copy{n}"),
            ..lesson("x", LessonKind::Hint, &["Bash"], &["stash"], SOLUTION)
        };
        let all: Vec<Lesson> = (0..300).map(copy).collect();
        let found = examine(&all, &Facts::default());
        assert_eq!(found.iter().filter(|one| one.check == "duplicate").count(), 299);
    }
}
