//! On a terminal no line is wider than it, and no word is broken.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![cfg(target_os = "linux")]

use crate::cli_home::{Home, SPRAG};
use serde_json::json;

/// What a command prints on a terminal of so many columns.
fn on_terminal(home: &Home, words: &str, width: usize) -> String {
    let command = format!("env COLUMNS={width} NO_COLOR=1 {SPRAG} {words}");
    let ran = home.outside_program(&["script", "-qec", &command, "/dev/null"], "n\n");
    ran.out.replace('\r', "")
}

#[test]
fn every_command_keeps_to_the_width_of_the_terminal() {
    let home = Home::new();
    let stopped = home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "cat .env"}}));
    assert!(home.hook(&stopped).contains("deny"));
    let commands = [
        "", "doctor", "status", "stats", "logs", "why last", "allow last", "bundles", "hooks list", "trial",
        "trial start 7d", "check", "deploy --dry-run", "init --yes", "enable advice", "disable lessons",
        "hooks show command-guard", "guard explain 'git push --force origin main'", "lessons list",
        "memory list", "data show", "uninstall --dry-run", "why zzzz", "logs --findings", "trust --list",
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
