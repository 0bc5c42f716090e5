//! Self-protection: with an agent around, nothing that loosens happens, however it is asked for.
#![cfg(unix)]

use crate::cli_home::{Home, Ran, SPRAG, executable};
use std::fs;

const CONFIG: &str = "# mine\nversion = 1\n";

/// A home with something to loosen.
fn home() -> Home {
    let home = Home::new();
    home.write(".config/sprag/config.toml", CONFIG);
    home.write("shop/.sprag/config.toml", "preset = \"minimal\"\n");
    home
}

/// What an agent might try.
const TRIES: [&[&str]; 14] = [
    &["disable", "guards"],
    &["enable", "advice"],
    &["trial", "start", "7d"],
    &["trial", "end"],
    &["hooks", "disable", "tool-loop"],
    &["hooks", "enable", "tool-loop"],
    &["trust", "--yes"],
    &["trust", "--revoke"],
    &["undeploy"],
    &["uninstall", "--purge", "--yes"],
    &["init", "--import", "--yes"],
    &["serve", "--allow-actions"],
    &["approvals", "answer", "7f3a", "allow"],
    &["approvals", "answer", "7f3a", "deny"],
];

#[track_caller]
fn refused(home: &Home, ran: Ran, found: &str) {
    let error = ran.failed();
    assert!(error.contains(found) && error.contains("terminal of your own"), "{error}");
    assert_eq!(fs::read_to_string(home.config()).unwrap(), CONFIG);
    assert!(!home.state().join("trust.json").exists());
}

#[test]
fn the_environment_of_an_agent_is_enough() {
    let home = home();
    for words in TRIES {
        for variable in ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "QWEN_CODE", "SPRAG_AGENT"] {
            refused(&home, home.run_with(words, &[(variable, "1")]), variable);
        }
    }
}

#[test]
fn a_script_named_claude_above_is_enough() {
    let home = home();
    let claude = home.script("bin/claude", "#!/bin/sh\n\"$@\"\nexit $?\n");
    for words in TRIES {
        let mut argv = vec![claude.to_str().unwrap(), SPRAG];
        argv.extend(words);
        refused(&home, home.outside_program(&argv, ""), "Claude Code (process ");
    }
}

#[test]
fn a_program_named_codex_above_is_enough() {
    let home = home();
    let codex = home.path().join("bin/codex");
    fs::create_dir_all(codex.parent().unwrap()).unwrap();
    fs::copy("/bin/sh", &codex).unwrap();
    executable(&codex);
    let command = format!("{SPRAG} trust --yes; exit $?");
    let ran = home.outside_program(&[codex.to_str().unwrap(), "-c", &command], "");
    refused(&home, ran, "Codex (process ");
}

#[cfg(target_os = "linux")]
#[test]
fn a_cleaned_environment_hides_nothing() {
    let home = home();
    let command = format!("env -u CLAUDECODE {SPRAG} hooks disable tool-loop; exit $?");
    let ran = home.outside_program(&["env", "CLAUDECODE=1", "sh", "-c", &command], "");
    refused(&home, ran, "Claude Code (process ");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_of_the_agents_making_is_no_persons() {
    let home = home();
    let claude = home.script("bin/claude", "#!/bin/sh\n\"$@\"\nexit $?\n");
    let command = format!("{SPRAG} trust");
    let argv = [claude.to_str().unwrap(), "script", "-qec", &command, "/dev/null"];
    let ran = home.outside_program(&argv, "y\n");
    assert!(ran.code == 1 && ran.out.contains("Claude Code (process "), "{ran:?}");
    assert!(!home.state().join("trust.json").exists());
}

#[test]
fn looking_is_allowed() {
    let home = home();
    for words in [
        &["hooks", "list"][..],
        &["check"],
        &["trust", "--list"],
        &["trust", "--json"],
        &["undeploy", "--dry-run"],
        &["status"],
        &["bundles"],
        &["trial"],
        &["hooks", "run", "tool-loop", "--event", "PreToolUse"],
    ] {
        home.run_with(words, &[("CLAUDECODE", "1")]).ok();
    }
}

#[test]
fn outside_any_agent_a_script_may_say_yes() {
    let home = home();
    home.outside(&["trust", "--yes"]).ok();
    home.outside(&["hooks", "disable", "tool-loop"]).ok();
    assert!(home.state().join("trust.json").exists());
}

#[test]
fn init_inside_an_agent_chooses_nothing() {
    let home = Home::new();
    home.run_with(&["init"], &[("CLAUDECODE", "1")]).ok();
    let text = fs::read_to_string(home.config()).unwrap();
    assert!(text.contains("\npreset = \"standard\"\n"), "{text}");
}
