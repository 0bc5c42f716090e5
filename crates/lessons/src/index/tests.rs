//! The index against the plain reading of the rules, and against damage.

use super::*;
use crate::model::{Lesson, Status, Target};
use crate::pattern::PatternText;
use proptest::prelude::*;
use sprag_pattern::MatchResult;

fn lesson(slug: &str, kind: LessonKind, tools: &[&str], command: &[&str], path: &[&str]) -> Lesson {
    Lesson {
        slug: slug.into(),
        status: Status::Active,
        kind,
        summary: format!("about {slug}"),
        tool_names: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        command_patterns: command.iter().map(|text| PatternText::new(*text)).collect(),
        path_patterns: path.iter().map(|text| PatternText::new(*text)).collect(),
        ..Lesson::new()
    }
    .settled(|| format!("id-{slug}"))
}

fn index(lessons: &[Lesson]) -> Index {
    Index::from_bytes(build(lessons, Options::default()).bytes).unwrap()
}

fn no_remote() -> Option<String> {
    None
}

fn find_in(index: &Index, tool: &str, command: &str, path: &str, content: &str, cwd: &str) -> Matches {
    let executable = || command.to_owned();
    let call = Call {
        names: vec![tool],
        command,
        paths: if path.is_empty() { vec![] } else { vec![path.to_owned()] },
        content: content.to_owned(),
        executable: &executable,
        places: Places { paths: vec![cwd.to_owned()], remote: &no_remote },
    };
    index.find(&call, Limits::default())
}

fn slugs(index: &Index, ranks: &[u32]) -> Vec<String> {
    ranks.iter().map(|rank| index.entry(*rank).unwrap().slug).collect()
}

fn hints(lessons: &[Lesson], tool: &str, command: &str, path: &str, content: &str) -> Vec<String> {
    let index = index(lessons);
    let found = find_in(&index, tool, command, path, content, "/p");
    slugs(&index, &found.hints)
}

#[test]
fn a_command_is_matched_by_command_patterns_alone() {
    let all = [
        lesson("stash", LessonKind::Hint, &["Bash"], &[r"\bgit\s+stash\b"], &[]),
        lesson("path-only", LessonKind::Hint, &["Bash"], &[], &["*.py"]),
        lesson("tool-only", LessonKind::Hint, &["Bash"], &[], &[]),
        lesson("other-tool", LessonKind::Hint, &["Read"], &["git"], &[]),
        lesson("no-tool", LessonKind::Hint, &[], &["git"], &[]),
    ];
    assert_eq!(hints(&all, "Bash", "git stash pop", "", ""), ["stash", "tool-only"]);
    assert_eq!(hints(&all, "Bash", "ls a.py", "", ""), ["tool-only"]);
}

#[test]
fn a_path_and_what_is_written_must_both_match() {
    let mut by_content = lesson("explicit", LessonKind::Hint, &["Edit"], &[], &["*.rs"]);
    by_content.content_patterns = vec![PatternText::new(r"unwrap\(\)")];
    let all = [
        lesson("py", LessonKind::Hint, &["Edit"], &[], &["**/*.py"]),
        lesson("py-print", LessonKind::Hint, &["Edit"], &[r"print\("], &["**/*.py"]),
        lesson("print", LessonKind::Hint, &["Edit"], &[r"print\("], &[]),
        by_content,
    ];
    assert_eq!(hints(&all, "Edit", "", "/p/A.PY", "x = 1"), ["py"]);
    assert_eq!(hints(&all, "Edit", "", "/p/a.py", "print(1)"), ["py", "py-print", "print"]);
    assert_eq!(hints(&all, "Edit", "", "/p/a.rs", "x.unwrap()"), ["explicit"]);
    assert_eq!(hints(&all, "Edit", "", "", "print(1)"), ["print"], "a call without a path has content still");
    assert!(hints(&all, "Edit", "", "/p/a.rs", "").is_empty());
}

#[test]
fn fault_17_invalid_patterns_never_match_everything() {
    let all = [
        lesson("bad", LessonKind::Guard, &["Bash"], &["(unclosed"], &[]),
        lesson("half", LessonKind::Hint, &["Bash"], &["(unclosed", "git"], &[]),
        lesson("bad-path", LessonKind::Hint, &["Edit"], &[], &["(["]),
    ];
    let built = build(&all, Options::default());
    assert_eq!(built.faults.len(), 3, "{:?}", built.faults);
    let index = Index::from_bytes(built.bytes).unwrap();
    let found = find_in(&index, "Bash", "ls", "", "", "/p");
    assert_eq!(found, Matches::default());
    let found = find_in(&index, "Bash", "git status", "", "", "/p");
    assert_eq!((found.guards.len(), slugs(&index, &found.hints)), (0, vec!["half".to_owned()]));
    assert_eq!(find_in(&index, "Edit", "", "/p/x", "y", "/p"), Matches::default());
}

#[test]
fn fault_10_a_lesson_of_another_project_is_silent_here() {
    for scope in ["-home-dev-shop", "home-dev-shop", "/home/dev/shop", "/home/dev.shop"] {
        let mut scoped = lesson("scoped", LessonKind::Hint, &["Bash"], &["git"], &[]);
        scoped.scope = Some(scope.into());
        let index = index(&[scoped]);
        assert_eq!(find_in(&index, "Bash", "git x", "", "", "/home/dev/shop").hints.len(), 1, "{scope}");
        assert!(find_in(&index, "Bash", "git x", "", "", "/home/dev/other").hints.is_empty());
    }
    let places = Places { paths: vec![], remote: &|| Some("git.example/dev/shop".into()) };
    assert!(places.is_here(Some("git.example/dev/shop")) && !places.is_here(Some("git.example/dev/x")));
}

#[test]
fn fault_7_a_catastrophic_pattern_is_given_up() {
    let all = [lesson("slow", LessonKind::Guard, &["Bash"], &["(a+)+$"], &[])];
    let index = index(&all);
    let found = find_in(&index, "Bash", &format!("{}!", "a".repeat(40)), "", "", "/p");
    assert_eq!((found.guards.len(), found.given_up), (0, vec![0]));
}

#[test]
fn padding_does_not_lead_past_a_guard() {
    let all = [lesson("push", LessonKind::Guard, &["Bash"], &[r"\bgit\s+push\b"], &[])];
    let index = index(&all);
    let command = format!("{}; git push", "git status; ".repeat(200_000));
    assert_eq!(find_in(&index, "Bash", &command, "", "", "/p").guards.len(), 1);
}

#[test]
fn the_model_gate_narrows() {
    let mut gated = lesson("gated", LessonKind::Hint, &["Bash"], &["git"], &[]);
    gated.model_patterns = vec![PatternText::new("FORCE")];
    let all = [gated];
    assert!(hints(&all, "Bash", "git push", "", "").is_empty());
    assert_eq!(hints(&all, "Bash", "git push --force", "", ""), ["gated"], "without case");
}

#[test]
fn names_with_a_star_mean_every_tool_that_begins_so() {
    let all = [
        lesson("serena", LessonKind::Hint, &["mcp__serena__*"], &[], &[]),
        lesson("all", LessonKind::Hint, &["*"], &[], &[]),
    ];
    assert_eq!(hints(&all, "mcp__serena__find", "", "/x", ""), ["serena", "all"]);
    assert_eq!(hints(&all, "Bash", "ls", "", ""), ["all"]);
}

#[test]
fn what_is_not_active_is_not_there_and_rank_is_priority_then_order() {
    let mut low = lesson("low", LessonKind::Hint, &["Bash"], &["git"], &[]);
    low.priority = 2;
    let mut off = lesson("off", LessonKind::Hint, &["Bash"], &["git"], &[]);
    off.status = Status::Disabled;
    let mut high = lesson("high", LessonKind::Hint, &["Bash"], &["git"], &[]);
    high.priority = 9;
    let directive = lesson("directive", LessonKind::Directive, &["Bash"], &["git"], &[]);
    let all = [low, off, high, lesson("a", LessonKind::Hint, &["Bash"], &[r"\bgit\b"], &[]), directive];
    assert_eq!(
        hints(&all, "Bash", "git x", "", ""),
        ["high", "a", "low"],
        "a directive is for the start alone"
    );
    let index = index(&all);
    assert_eq!(index.header.lessons, 4);
    assert_eq!(index.at_start().len(), 1);
}

#[test]
fn ten_thousand_copies_share_their_patterns() {
    let all: Vec<Lesson> = (0..10_000)
        .map(|n| lesson(&format!("l{n}"), LessonKind::Hint, &["Bash"], &[r"\bgit\s+stash\b"], &[]))
        .collect();
    let index = index(&all);
    assert_eq!(index.header.rules.len / 12, 1);
    assert_eq!(find_in(&index, "Bash", "git stash", "", "", "/p").hints.len(), 10_000);
}

/// The plain reading: every pattern of every lesson, no words, no tables.
fn plain(lessons: &[Lesson], command: &str, path: &str, content: &str) -> Vec<String> {
    let yes = |pattern: &sprag_pattern::Pattern, text: &str| pattern.is_match(text) == MatchResult::Yes;
    let mut found: Vec<&Lesson> = lessons
        .iter()
        .filter(|lesson| {
            let on = |text: &str| {
                lesson.command_patterns.iter().any(|p| yes(&p.as_text_pattern(false).unwrap().pattern, text))
            };
            let on_path =
                lesson.path_patterns.iter().any(|p| yes(&p.as_path_pattern().unwrap().pattern, path));
            let (no_command, no_path) = (lesson.command_patterns.is_empty(), lesson.path_patterns.is_empty());
            if no_command && no_path {
                true
            } else if !command.is_empty() {
                on(command)
            } else if !path.is_empty() {
                (no_path || on_path) && (no_command || (!content.is_empty() && on(content)))
            } else {
                no_path && !content.is_empty() && on(content)
            }
        })
        .collect();
    found.sort_by_key(|lesson| std::cmp::Reverse(lesson.priority));
    found.iter().map(|lesson| lesson.slug.clone()).collect()
}

fn some_pattern() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab]{1,3}",
        "[ab]{1,2}(\\\\s\\+|\\.\\*)[ab]{1,2}",
        "(\\^|\\\\b)[ab]{1,9}(\\$|\\\\b)",
        "\\[ab\\]\\+c?",
        "[ab]{1,2}\\|[abc]{2,8}",
        Just("a(?!b)".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn the_index_says_what_the_rules_say(
        parts in prop::collection::vec((prop::collection::vec(some_pattern(), 0..3), prop::collection::vec("(\\*\\*/)?[ab]{1,3}[*?]?\\.(py|rs)", 0..2), 1u8..4), 0..12),
        command in "[abc \n]{0,24}", path in "(/[ab]{1,3}){0,2}(/[ab]{1,3}\\.(py|rs))?", content in "[abc ]{0,16}") {
        let lessons: Vec<Lesson> = parts.iter().enumerate().map(|(n, (commands, paths, priority))| {
            let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let mut one = lesson(&format!("l{n}"), LessonKind::Hint, &["T"], &commands, &paths);
            one.priority = *priority;
            one
        }).collect();
        let index = index(&lessons);
        for (command, path, content) in [(command.as_str(), "", ""), ("", path.as_str(), content.as_str()), ("", "", content.as_str())] {
            let found = find_in(&index, "T", command, path, content, "/p");
            prop_assert_eq!(slugs(&index, &found.hints), plain(&lessons, command, path, content), "{:?} {:?} {:?}", command, path, content);
        }
    }

    /// Damage never panics, never hangs, never invents memory.
    #[test]
    fn a_damaged_file_is_survived(at in 0usize..4000, byte in any::<u8>(), cut in 0usize..4000) {
        let all = [
            lesson("a", LessonKind::Hint, &["Bash", "mcp__*"], &["git", "b+c"], &[]),
            lesson("b", LessonKind::Guard, &["Bash"], &["push"], &["*.py"]),
            lesson("c", LessonKind::Directive, &[], &[], &[]),
        ];
        let good = build(&all, Options::default()).bytes;
        let mut changed = good.clone();
        let place = at % changed.len();
        changed[place] ^= byte;
        for bytes in [changed, good[..cut % good.len()].to_vec()] {
            if let Ok(index) = Index::from_bytes(bytes) {
                let _ = find_in(&index, "Bash", "git push bc", "", "", "/p");
                let _ = find_in(&index, "mcp__x", "", "/a.py", "git", "/p");
                let _ = index.at_start();
            }
        }
    }
}

#[test]
fn executable_rules_see_what_the_shell_would_run() {
    let mut guard = lesson("guard", LessonKind::Guard, &["Bash"], &["pytest"], &[]);
    guard.command_match_target = Some(Target::Executable);
    let index = index(&[guard]);
    let call = |text: &'static str| {
        let executable = move || text.to_owned();
        let call = Call {
            names: vec!["Bash"],
            command: "echo 'pytest'",
            paths: vec![],
            content: String::new(),
            executable: &executable,
            places: Places { paths: vec![], remote: &no_remote },
        };
        index.find(&call, Limits::default()).guards.len()
    };
    assert_eq!((call("echo ''"), call("pytest")), (0, 1));
}
