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

/// Commands that read a home; each ends, well or with a message.
const COMMANDS: [&str; 10] = [
    "doctor", "status", "logs", "stats", "hooks list", "check", "memory list", "lessons list", "data show",
    "claims list",
];

/// Every file below a folder, by its path below it; links are no files.
fn files_below(folder: &Path, below: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder.join(below)).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = below.join(entry.file_name());
        // The objects of git are read by git alone.
        if entry.file_type().unwrap().is_dir()
            && !path.ends_with(".git/objects")
            && !path.ends_with(".git/hooks")
        {
            files_below(folder, &path, found);
        } else if entry.file_type().unwrap().is_file() {
            found.push(path);
        }
    }
}

/// A home that was used: a session that changed something and ended, the worker, a memory, a lesson, an index, an agent that is registered.
fn used() -> Sandbox {
    let sandbox = Sandbox::with_git();
    sandbox.write_home(".config/sprag/config.toml", "preset = \"strict\"\n");
    for (name, text) in [
        ("src/cart.py", "def total():\n    return 1\n"),
        (".gitignore", "target\n"),
        (".spragignore", "*.key\n"),
    ] {
        let path = sandbox.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    run(&sandbox, "deploy --agent claude", String::new());
    for event in EVENTS {
        hook(&sandbox, event, |_| {});
        run(&sandbox, "worker --once", String::new());
    }
    hook(&sandbox, "claude/SessionStart.startup", |_| {});
    hook(&sandbox, "claude/PreToolUse.Edit", |_| {});
    run(&sandbox, "memory add 'Staging answers inside the VPN only'", String::new());
    run(&sandbox, "worker --once", String::new());
    hook(&sandbox, "claude/PostToolUse.Edit", |_| {});
    sandbox
}

/// `cargo xtask pipes`: each file of a used home and its project as a pipe, then as a device, under every event, the worker and commands.
#[test]
#[ignore = "a campaign: cargo xtask pipes"]
fn every_file_of_a_used_home_is_a_pipe_or_a_device() {
    let part = std::env::var("SPRAG_PIPES_PART").unwrap_or_default();
    let (at, of) = part.split_once('/').map_or((0, 1), |(at, of)| (at.parse().unwrap(), of.parse().unwrap()));
    let sandbox = used();
    let home = sandbox.home().to_path_buf();
    let copy = tempfile::tempdir().unwrap();
    let cp = |from: &Path, to: &Path| {
        let script = "rm -rf \"$2\" && cp -a \"$1\" \"$2\"";
        assert!(Cmd::new("/bin/sh").args(["-c", script, "x"]).arg(from).arg(to).run().code == Some(0));
    };
    let project = sandbox.project().to_path_buf();
    cp(&home, &copy.path().join("home"));
    cp(&project, &copy.path().join("project"));
    let mut places = Vec::new();
    for folder in [&home, &project] {
        let mut found = Vec::new();
        files_below(folder, Path::new(""), &mut found);
        places.extend(found.into_iter().map(|path| folder.join(path)));
    }
    places.sort();
    places.dedup();
    let (mut runs, mut faults) = (0_u64, Vec::new());
    let mut tried = 0;
    for place in places.iter().enumerate().filter(|(number, _)| number % of == at).map(|(_, place)| place) {
        tried += 1;
        for instead in [Instead::Pipe, Instead::Zero] {
            cp(&copy.path().join("home"), &home);
            if !project.starts_with(&home) {
                cp(&copy.path().join("project"), &project);
            }
            let mut each = |what: &str, args: &str, input: String, must: bool| {
                instead.put(place);
                let began = std::time::Instant::now();
                let (well, out) = run(&sandbox, args, input);
                runs += 1;
                let slow = began.elapsed() >= WATCHDOG;
                if slow || must && !well {
                    let name = place.strip_prefix(&home).unwrap_or(place).display();
                    println!("fault: {instead:?} {name}: {what}, {:?}", began.elapsed());
                    faults.push(format!("{instead:?} {name}: {what}"));
                }
                out
            };
            for event in EVENTS {
                let text =
                    recordings::get(event).unwrap().text.replace("/home/dev/shop", project.to_str().unwrap());
                each(event, "hook --agent claude", text, true);
            }
            let text = recordings::get("claude/PreToolUse.Bash")
                .unwrap()
                .text
                .replace("/home/dev/shop", project.to_str().unwrap());
            let mut payload: Value = serde_json::from_str(&text).unwrap();
            payload["tool_input"]["command"] = json!("rm -rf ~");
            let out = each("denial", "hook --agent claude", payload.to_string(), true);
            each("worker", "worker --once", String::new(), true);
            for command in COMMANDS {
                each(command, command, String::new(), false);
            }
            if !out.contains("\"deny\"") {
                println!("fault: {instead:?} {}: not denied: {out}", place.display());
                faults.push(format!("{instead:?} {}: not denied", place.display()));
            }
        }
    }
    println!("{tried} of {} files, {runs} runs, {} faults", places.len(), faults.len());
    assert!(faults.is_empty(), "{faults:#?}");
}
