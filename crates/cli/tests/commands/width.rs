//! On a terminal no line is wider than it, and no word is broken.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![cfg(target_os = "linux")]

use crate::cli_home::{Home, SPRAG};
use serde_json::json;

/// What a command prints on a terminal of so many columns.
fn on_terminal(home: &Home, words: &str, width: usize) -> String {
    let command = format!("env COLUMNS={width} NO_COLOR=1 {SPRAG} {words}");
    let ran = home.outside_program(&["script", "-qec", &command, "/dev/null"], "n\n");
    // The person's Enter is not echoed here.
    ran.out.replace('\r', "").replace("[y/N] ", "[y/N]\n")
}

/// Before, what a bundle does and the name of an event were cut to a few letters.
#[test]
fn names_and_sentences_are_whole_on_a_narrow_terminal() {
    let home = Home::new();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = home.run(&["bundles", "--json"]).json()["bundles"][0]["about"].clone();
    let bundles = words(&on_terminal(&home, "bundles", 80));
    assert!(bundles.contains(about.as_str().unwrap()), "{bundles}");
    let told = home.run(&["lessons", "add"]).failed();
    assert!(told.contains("--problem") && told.contains("--solution"), "{told}");
    let summary = "Do not stash in a checkout that others work in";
    home.outside(&[
        "lessons",
        "add",
        "--summary",
        summary,
        "--problem",
        "the stash took the work of another session with it",
        "--solution",
        "commit to a branch of your own",
        "--tool",
        "Bash",
        "--trigger",
        "git stash",
    ])
    .ok();
    assert!(words(&on_terminal(&home, "lessons list", 80)).contains(summary));
    assert!(home.run(&["lessons", "doctor"]).out.contains("1 active lesson, 0 candidates"));
    let hooks = on_terminal(&home, "hooks list", 80);
    assert!(hooks.contains("SessionStart") && !hooks.contains('…'), "{hooks}");
}

#[test]
fn every_command_keeps_to_the_width_of_the_terminal() {
    let home = Home::new();
    let stopped =
        home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "cat .env"}}));
    assert!(home.hook(&stopped).contains("deny"));
    let commands = [
        "",
        "doctor",
        "status",
        "stats",
        "logs",
        "why last",
        "allow last",
        "bundles",
        "hooks list",
        "trial start 7d",
        "init --yes",
        "enable advice",
        "guard explain 'git push --force origin main'",
        "uninstall --dry-run",
        "why zzzz",
    ];
    for width in [80, 60] {
        for words in commands {
            let said = on_terminal(&home, words, width);
            assert!(!said.is_empty(), "{words}");
            // A diff is what it is.
            for line in said.lines().filter(|line| !line.starts_with(['+', '-'])) {
                // A longer word has a line of its own.
                let wide = line.chars().count() > width && line.split_whitespace().count() > 1;
                assert!(!wide, "sprag {words} at {width}: {line}");
            }
        }
    }
}
