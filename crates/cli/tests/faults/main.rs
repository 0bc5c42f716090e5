//! Recorded events with every one of its file and database operations failing in turn, in every way.
//! `cargo xtask faults` does the same with every recorded scenario.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test may fail"
)]
#![cfg(all(unix, debug_assertions))]

mod campaign;
mod scenario;

use serde_json::{Value, json};
use sprag_protocol::recordings;
use sprag_testkit::{Cmd, Sandbox};

const FAULTS: [&str; 7] = ["eio", "enospc", "eintr", "eacces", "short", "crash-before", "crash-after"];

/// Far more operations than an event has.
const MAX_OPERATIONS: u64 = 2000;

struct Answer {
    /// The fault was reached.
    failed: bool,
    text: String,
    code: Option<i32>,
}

impl Answer {
    fn denies(&self) -> bool {
        serde_json::from_str::<Value>(&self.text)
            .is_ok_and(|answer| answer["hookSpecificOutput"]["permissionDecision"] == "deny")
    }
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_git();
    sandbox.write_home(".config/sprag/config.toml", "preset = \"strict\"\n");
    sandbox
}

fn dispatch(sandbox: &Sandbox, recording: &str, command: Option<&str>, fault: &str) -> Answer {
    let project = sandbox.project().to_str().unwrap();
    let text = recordings::get(recording).unwrap().text.replace("/home/dev/shop", project);
    let mut payload: Value = serde_json::from_str(&text).unwrap();
    if let Some(command) = command {
        payload["tool_input"]["command"] = json!(command);
    }
    let out = Cmd::new(env!("CARGO_BIN_EXE_sprag"))
        .args(["hook", "--agent", "claude"])
        .env("HOME", sandbox.home())
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("SPRAG_WORKER", "off")
        .env("SPRAG_FAULT", fault)
        .cwd(sandbox.project())
        .stdin(payload.to_string())
        .run();
    Answer { failed: out.stderr.contains("fault: operation"), text: out.stdout, code: out.code }
}

/// Fails the first operation, then the second, until the event has no more. Returns how many it had.
fn walk(fault: &str, each: impl Fn(&str) -> Answer) -> u64 {
    for number in 1..MAX_OPERATIONS {
        let wanted = format!("{number}:{fault}");
        let answer = each(&wanted);
        let whole = answer.text.is_empty()
            || serde_json::from_str::<Value>(&answer.text).is_ok_and(|v| v.is_object());
        assert!(whole, "{wanted}: {}", answer.text);
        let crashed = answer.failed && fault.starts_with("crash");
        assert_eq!(answer.code == Some(0), !crashed, "{wanted}: {:?}", answer.code);
        if !answer.failed {
            return number - 1;
        }
    }
    MAX_OPERATIONS
}

#[test]
fn a_denial_survives_every_failed_operation() {
    for fault in FAULTS {
        let warm = sandbox();
        dispatch(&warm, "claude/PreToolUse.Bash", Some("rm -rf ~"), "");
        let operations = walk(fault, |wanted| {
            let answer = dispatch(&warm, "claude/PreToolUse.Bash", Some("rm -rf ~"), wanted);
            assert!(answer.denies() || fault.starts_with("crash"), "{wanted}: {}", answer.text);
            answer
        });
        assert!((3..MAX_OPERATIONS).contains(&operations), "{fault}: {operations} operations");
        assert!(dispatch(&warm, "claude/PreToolUse.Bash", Some("rm -rf ~"), "").denies(), "after {fault}");
    }
}

#[test]
fn an_edit_in_a_new_home_survives_every_failed_operation() {
    for fault in ["eio", "enospc", "crash-after"] {
        let operations = walk(fault, |wanted| dispatch(&sandbox(), "claude/PreToolUse.Edit", None, wanted));
        assert!((10..MAX_OPERATIONS).contains(&operations), "{fault}: {operations} operations");
    }
}

#[test]
fn no_line_of_the_journal_is_joined_with_the_next() {
    let home = sandbox();
    let event = |fault: &str| dispatch(&home, "claude/PreToolUse.Bash", Some("echo 1"), fault);
    event("");
    let operations = walk("short", event);
    let text = home.read_home(".local/state/sprag/journal.jsonl");
    let whole = text.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count() as u64;
    // The one that fell short is there in part, on a line of its own; the event whose fault was not reached is there too.
    assert_eq!((whole, text.lines().count() as u64), (operations + 1, operations + 2));
}
