//! A repository with very many files: no event waits for git to look at all of them. And prompts that no person wrote.
#![cfg(unix)]

use crate::cli_home::Home;
use serde_json::json;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

/// A working copy whose index names so many files, of which the first is there.
fn working_copy(home: &Home, files: usize) {
    let git = |args: &[&str], stdin: &str| {
        let mut command = home.program("git", args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    fs::remove_dir_all(home.project().join(".git")).unwrap();
    git(&["init", "-q", "-b", "main"], "");
    let blob = git(&["hash-object", "-w", "--stdin"], "one\n");
    let rows = |n: usize| format!("100644 {} 0\tsrc/a-folder-with-a-name/file-{n:06}.py\n", blob.trim());
    git(&["update-index", "--index-info"], &(0..files).map(rows).collect::<String>());
    git(&["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "many files"], "");
    home.write("shop/src/a-folder-with-a-name/file-000000.py", "two\n");
}

/// A program in front of git's that notes what git is asked.
fn watched(home: &Home) -> String {
    let bin = home.script(
        "watch/git",
        "#!/bin/sh\necho \"$@\" >> \"$HOME/asked\"\nexec /usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin git \"$@\"\n",
    );
    format!("{}:/usr/local/bin:/usr/bin:/bin", bin.parent().unwrap().display())
}

/// An event; the background worker starts only where it is wanted.
fn hook(home: &Home, path: &str, worker: &str, payload: &serde_json::Value) -> String {
    let mut command = home.program(crate::cli_home::SPRAG, &["hook", "--agent", "claude"]);
    let mut child = command
        .env("PATH", path)
        .env("SPRAG_WORKER", worker)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn a_session_starts_with_what_was_counted_last_and_the_background_counts() {
    let home = Home::new();
    working_copy(&home, 12_000);
    let path = watched(&home);
    let start = |session: &str| {
        let event = home.event("SessionStart", json!({ "source": "startup", "session_id": session }));
        hook(&home, &path, "off", &event)
    };
    let first = start("one");
    assert!(first.contains("Last commit: ") && first.contains("not counted yet"), "{first}");
    assert!(!home.read("asked").contains("status"), "{}", home.read("asked"));
    home.run(&["worker", "--once"]).ok();
    let again = start("two");
    assert!(again.contains("Uncommitted: 12000 modified, 0 untracked (counted at 20"), "{again}");
    assert!(!home.read("asked").contains("status"), "{}", home.read("asked"));
}

#[test]
fn a_small_working_copy_is_counted_at_once() {
    let home = Home::new();
    working_copy(&home, 3);
    let start = home.hook(&home.event("SessionStart", json!({ "source": "startup" })));
    assert!(start.contains("Uncommitted: 3 modified, 0 untracked\\n"), "{start}");
}

#[test]
fn the_end_of_a_turn_asks_git_for_nothing_but_the_edited_files() {
    let home = Home::new();
    working_copy(&home, 12_000);
    home.write("shop/src/a-folder-with-a-name/file-000007.py", "one\n");
    let path = watched(&home);
    let edited = home.project().join("src/a-folder-with-a-name/file-000000.py");
    let prompt = "Change src/a-folder-with-a-name/file-000000.py and src/a-folder-with-a-name/file-000007.py";
    // The other file is older than the session.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(600);
    let other = home.project().join("src/a-folder-with-a-name/file-000007.py");
    fs::File::options().write(true).open(&other).unwrap().set_modified(old).unwrap();
    hook(&home, &path, "on", &home.event("UserPromptSubmit", json!({ "prompt": prompt })));
    let edit = json!({ "tool_name": "Edit", "tool_use_id": "1", "tool_input":
        { "file_path": edited, "old_string": "one", "new_string": "two" }, "tool_response": {} });
    hook(&home, &path, "on", &home.event("PostToolUse", edit));
    let said = hook(&home, &path, "on", &home.event("Stop", json!({ "stop_hook_active": false })));
    let asked = home.read("asked");
    let whole = |line: &&str| line.ends_with("-- .") || line.contains("status");
    assert!(!asked.lines().any(|line| whole(&line)), "{asked}");
    assert!(said.contains("file-000007.py is named in the request and was not changed"), "{said}");
    assert!(!said.contains("file-000000.py is named"), "{said}");
}

/// Every hook that reacts to the user's prompt, resets a counter or counts a turn: all of them on, none takes a machine's
/// text for the user's.
#[test]
fn a_prompt_that_no_person_wrote_changes_nothing() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "version = 1\npreset = \"swarm\"\nenable = [\"guards\", \"checks\", \"memory\", \"lessons\", \"code\", \"team\", \"context\", \"advice\"]\n",
    );
    let session = home.state().join("sessions/11111111-2222-4333-8444-555555555555");
    let prompt = |text: &str| home.hook(&home.event("UserPromptSubmit", json!({ "prompt": text })));
    prompt("Refactor the authentication of the whole shop and plan the migration of its database");
    for name in ["tool-calls", "edits", "polls", "simplify", "recovery"] {
        fs::write(session.join(name), "x\n").unwrap();
    }
    let state = || {
        let files = fs::read_dir(&session).unwrap().map(|entry| entry.unwrap());
        let mut files: Vec<(String, Vec<u8>)> = files
            .filter(|file| file.file_type().unwrap().is_file() && file.file_name() != "beat")
            .map(|file| (file.file_name().to_string_lossy().into_owned(), fs::read(file.path()).unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = state();
    for machine in [
        "<task-notification>\nImplement the whole migration and refactor authentication\n</task-notification>",
        "<local-command-stdout>Refactor everything</local-command-stdout>",
        "Stop hook feedback:\nimplement the plan for the database migration",
        "This session is being continued from a previous conversation that ran out of context. Implement the plan.",
        "<user_shell_command>deploy the migration</user_shell_command>",
        "<session_context>\nimplement everything\n</session_context>",
        "Another language model started to solve this problem and produced a plan for the migration",
    ] {
        let said = prompt(machine);
        assert_eq!(said, "", "{machine}");
        assert_eq!(state(), before, "{machine}");
    }
}
