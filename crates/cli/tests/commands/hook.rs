//! `sprag hook` as an agent starts it: a process of its own, standard input and output, exit code 0.
#![cfg(unix)]

use serde_json::{Value, json};
use sprag_protocol::recordings;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("project")).unwrap();
        Self { dir }
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join(".local/state/sprag")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sprag"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.dir.path())
            .env("PATH", std::env::var_os("PATH").unwrap());
        command.current_dir(self.project());
        command
    }

    fn start(&self, payload: &[u8]) -> Child {
        let mut command = self.command(&["hook", "--agent", "claude"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload).unwrap();
        child
    }

    fn hook(&self, payload: &[u8]) -> Output {
        self.start(payload).wait_with_output().unwrap()
    }

    fn journal(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.state().join("journal.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn recorded(name: &str, project: &Path) -> Value {
    let text = recordings::get(name).unwrap().text.replace("/home/dev/shop", project.to_str().unwrap());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn bad_input_is_exit_zero_silence_and_one_journal_line() {
    let deep = format!("{{\"hook_event_name\":\"PreToolUse\",\"tool_input\":{}1", "[".repeat(9000));
    let cases: [(&str, &[u8]); 9] = [
        ("empty", b""),
        ("not JSON", b"hello"),
        ("truncated", b"{\"hook_event_name\":\"PreToolUse\",\"tool_na"),
        ("invalid UTF-8", b"{\"hook_event_name\":\"Stop\",\"x\":\"\xc3\x28\"}"),
        ("deep nesting that does not end", deep.as_bytes()),
        ("wrong types", br#"{"hook_event_name":"PreToolUse","session_id":7,"cwd":[],"tool_name":{},"tool_input":"x"}"#),
        ("nulls", br#"{"hook_event_name":"PreToolUse","session_id":null,"cwd":null,"tool_name":null,"tool_input":null}"#),
        ("unknown event", br#"{"hook_event_name":"Tomorrow","session_id":"s"}"#),
        ("a path as session", br#"{"hook_event_name":"PreToolUse","session_id":"../../../escape","tool_name":"Bash","tool_input":{}}"#),
    ];
    for (name, payload) in cases {
        let home = Home::new();
        let out = home.hook(payload);
        assert!(out.status.success(), "{name}");
        assert!(out.stdout.is_empty(), "{name}: {}", String::from_utf8_lossy(&out.stdout));
        assert!(out.stderr.is_empty(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
        assert_eq!(home.journal().len(), 1, "{name}");
        assert!(!home.dir.path().join("escape").exists() && !home.state().join("escape").exists());
    }
}

#[test]
fn every_recorded_payload_is_answered() {
    let home = Home::new();
    for recording in recordings::ALL.iter().filter(|r| r.name.starts_with("claude/")) {
        let payload = recorded(recording.name, &home.project());
        let out = home.hook(payload.to_string().as_bytes());
        assert!(out.status.success() && out.stderr.is_empty(), "{}", recording.name);
        let text = String::from_utf8(out.stdout).unwrap();
        if !text.is_empty() && !recording.name.contains("PreCompact") {
            assert!(serde_json::from_str::<Value>(&text).unwrap().is_object(), "{}: {text}", recording.name);
        }
    }
}

#[test]
fn two_hundred_at_once_lose_no_line() {
    let home = Home::new();
    let children: Vec<(usize, Child)> = (0..200)
        .map(|number| {
            let mut payload = recorded("claude/PreToolUse.Bash", &home.project());
            payload["tool_input"]["command"] = json!(format!("echo {number}"));
            payload["tool_use_id"] = json!(format!("toolu_{number}"));
            (number, home.start(payload.to_string().as_bytes()))
        })
        .collect();
    for (number, child) in children {
        let out = child.wait_with_output().unwrap();
        assert!(
            out.status.success() && out.stdout.is_empty(),
            "{number}: {}",
            String::from_utf8_lossy(&out.stdout)
        );
    }
    let mut calls: Vec<String> =
        home.journal().iter().map(|entry| entry["call"].as_str().unwrap().to_owned()).collect();
    calls.sort();
    calls.dedup();
    assert_eq!(calls.len(), 200);
    let session = home.state().join("sessions/d42fd80c-f318-4c21-8d81-95853a8e12c2/tool-calls");
    assert_eq!(
        std::fs::read_to_string(session).unwrap().lines().count(),
        200,
        "no torn line in the session's state"
    );
}

#[test]
fn files_are_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    home.hook(recorded("claude/SessionStart.startup", &home.project()).to_string().as_bytes());
    home.hook(recorded("claude/PreToolUse.Bash", &home.project()).to_string().as_bytes());
    let mut folders = vec![home.state()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
                assert_eq!(mode, 0o600, "{}", entry.path().display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 3);
}

#[test]
fn background_work_outlives_the_hook_and_its_group() {
    let home = Home::new();
    let config = home.dir.path().join(".config/sprag");
    std::fs::create_dir_all(config.join("hooks")).unwrap();
    let done = home.dir.path().join("done");
    let script = format!("#!/bin/sh\ncat > {}.tmp && mv {0}.tmp {0}\n", done.display());
    std::fs::write(config.join("hooks/later.sh"), script).unwrap();
    std::fs::write(
        config.join("config.toml"),
        "[hooks.session_end]\nappend = [\"later\"]\n[hook.later]\nbackground = true\n",
    )
    .unwrap();
    home.hook(recorded("claude/SessionEnd.other", &home.project()).to_string().as_bytes());
    // The worker is a process of its own session: `--once` waits until it has let go of the queue.
    let out = home.command(&["worker", "--once"]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = std::fs::read_to_string(&done).unwrap();
    assert!(text.contains("SessionEnd"));
}

#[test]
fn words_that_are_none_are_usage_errors() {
    let home = Home::new();
    // A hook never fails an agent's call; and one that is not known is guarded too.
    let out = home.command(&["hook", "--agent", "nobody"]).output().unwrap();
    assert!(out.status.success() && String::from_utf8_lossy(&out.stderr).contains("claude, codex, gemini"));
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": home.project(), "tool_name": "Bash",
        "tool_input": {"command": "rm -rf ~"}});
    let mut command = home.command(&["hook", "--agent", "nobody"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success() && String::from_utf8_lossy(&out.stdout).contains("deny"), "{out:?}");
    let out = home.command(&["nonsense"]).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    let out = home.command(&["hook", "--help"]).output().unwrap();
    assert!(out.status.success() && String::from_utf8_lossy(&out.stdout).contains("Example"));
}

/// A file of 64 GB that holds nothing: who reads it as a whole does not come back.
#[test]
fn fault_of_the_reference_no_prompt_reads_the_whole_transcript() {
    let home = Home::new();
    let transcript = home.dir.path().join("t.jsonl");
    std::fs::File::create(&transcript).unwrap().set_len(1 << 36).unwrap();
    std::fs::create_dir_all(home.project().join("rules")).unwrap();
    std::fs::write(home.project().join("rules/team.md"), "Write tests first.").unwrap();
    let config = home.dir.path().join(".config/sprag");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "enable = [\"advice\"]\n").unwrap();
    let prompt = |session: &str| {
        json!({"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": home.project(),
            "transcript_path": transcript, "prompt": "go on with the cart please"})
        .to_string()
    };
    assert!(home.hook(prompt("s1").as_bytes()).status.success());
    std::fs::File::options().write(true).open(&transcript).unwrap().set_len((1 << 36) + (1 << 20)).unwrap();
    let again = home.hook(prompt("s1").as_bytes());
    let told = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(told.contains("Write tests first."), "the distance is known all the same: {told}");
}
