//! Pipes and devices under the names of files that hooks read and write: every hook answers, and a guard still denies.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test may fail"
)]
#![cfg(unix)]

use serde_json::{Value, json};
use sprag_protocol::recordings;
use sprag_testkit::{Cmd, Sandbox};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Far more than a hook takes on a machine that is busy; one that waits for a pipe never ends.
const WATCHDOG: Duration = Duration::from_secs(60);

/// One event of each sort that reads git's files and the state.
const EVENTS: [&str; 8] = [
    "claude/SessionStart.startup", "claude/UserPromptSubmit", "claude/PreToolUse.Edit",
    "claude/PreToolUse.Read", "claude/PostToolUse.Edit", "claude/PostToolUse.Bash", "claude/Stop",
    "claude/SessionEnd.other",
];

#[derive(Clone, Copy, Debug)]
enum Instead {
    Pipe,
    Zero,
}

impl Instead {
    /// Puts it where a file was or will be.
    fn put(self, path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        }
        let _ = std::fs::remove_file(path);
        match self {
            Self::Zero => std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
            Self::Pipe => {
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
            }
        }
    }
}

fn state(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".local/state/sprag")
}

fn run(sandbox: &Sandbox, args: &str, input: String) -> (bool, String) {
    // The bound on memory ends a hook that reads a device before the machine suffers.
    let script = format!("ulimit -v 4194304; exec '{}' {args}", env!("CARGO_BIN_EXE_sprag"));
    let out = Cmd::new("/bin/sh")
        .args(["-c", &script])
        .env("HOME", sandbox.home())
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("SPRAG_WORKER", "off")
        .cwd(sandbox.project())
        .stdin(input)
        .timeout(WATCHDOG)
        .run();
    (out.code == Some(0), out.stdout)
}

fn hook(sandbox: &Sandbox, name: &str, change: impl Fn(&mut Value)) -> Option<Value> {
    let project = sandbox.project().to_str().unwrap();
    let text = recordings::get(name).unwrap().text.replace("/home/dev/shop", project);
    let mut payload: Value = serde_json::from_str(&text).unwrap();
    change(&mut payload);
    let (ended, out) = run(sandbox, "hook --agent claude", payload.to_string());
    assert!(ended, "{name} did not end in {WATCHDOG:?}, or not well");
    (!out.is_empty()).then(|| serde_json::from_str(&out).unwrap())
}

/// Every event is answered and `rm -rf ~` denied, with the files there and with something else in the place of one.
fn survives(place: impl Fn(&Sandbox) -> PathBuf) {
    for instead in [Instead::Pipe, Instead::Zero] {
        let sandbox = Sandbox::with_git();
        sandbox.write_home(".config/sprag/config.toml", "preset = \"strict\"\n");
        hook(&sandbox, "claude/PreToolUse.Edit", |_| {});
        for event in EVENTS {
            // Again each time: a hook may have put the file back.
            instead.put(&place(&sandbox));
            hook(&sandbox, event, |_| {});
        }
        instead.put(&place(&sandbox));
        let answer = hook(&sandbox, "claude/PreToolUse.Bash", |payload| {
            payload["tool_input"]["command"] = json!("rm -rf ~");
        });
        let answer = answer.unwrap_or_default();
        let decision = &answer["hookSpecificOutput"]["permissionDecision"];
        assert_eq!(decision, "deny", "{instead:?} {}: {answer}", place(&sandbox).display());
        instead.put(&place(&sandbox));
        assert!(run(&sandbox, "worker --once", String::new()).0, "{instead:?}: the worker did not end");
    }
}

#[test]
fn dot_git_is_a_pipe_or_a_device() {
    survives(|sandbox| sandbox.project().join(".git"));
}

#[test]
fn the_head_of_git_is_a_pipe_or_a_device() {
    survives(|sandbox| sandbox.project().join(".git/HEAD"));
}

#[test]
fn the_configuration_of_git_is_a_pipe_or_a_device() {
    survives(|sandbox| sandbox.project().join(".git/config"));
}

#[test]
fn a_file_that_git_opens_by_itself_is_a_pipe_or_a_device() {
    for name in [".gitignore", ".git/index", ".git/info/exclude"] {
        survives(|sandbox| sandbox.project().join(name));
    }
}

#[test]
fn the_journal_is_a_pipe_or_a_device() {
    survives(|sandbox| state(sandbox).join("journal.jsonl"));
}

#[test]
fn the_plan_cache_is_a_pipe_or_a_device() {
    survives(|sandbox| {
        let plans = std::fs::read_dir(state(sandbox).join("cache")).unwrap().flatten();
        let mut plans =
            plans.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "plan"));
        plans.next().expect("the first event compiled a plan")
    });
}

#[test]
fn the_index_of_lessons_is_a_pipe_or_a_device() {
    survives(|sandbox| state(sandbox).join("lessons/index"));
}

#[test]
fn a_waiting_job_is_a_pipe_or_a_device() {
    survives(|sandbox| state(sandbox).join("queue/waiting/00000000000000000001-1-0.json"));
}

#[test]
fn a_file_of_the_session_is_a_pipe_or_a_device() {
    let session = "sessions/d42fd80c-f318-4c21-8d81-95853a8e12c2";
    for name in ["tool-calls", "lease", "facts.json"] {
        survives(|sandbox| state(sandbox).join(session).join(name));
    }
}
