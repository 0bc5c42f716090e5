//! Upgrade and downgrade: homes that former versions wrote keep working, and a store of a later version stops nothing.
#![cfg(unix)]

use crate::cli_home::Home;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const FORMER: [&str; 1] = ["home-0.1.0"];
const WRITTEN_IN: &str = "/home/ada";

/// A copy of a home that a former version wrote, at its new place.
fn former(name: &str) -> Home {
    let home = Home::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade").join(name);
    copy(&source, &home.path(), &home);
    home.nobody_works();
    home
}

fn copy(from: &Path, to: &Path, home: &Home) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &place, home);
            continue;
        }
        let bytes = fs::read(entry.path()).unwrap();
        let binary = place.extension().is_some_and(|kind| kind == "db" || kind == "bin" || kind == "plan");
        let moved = match String::from_utf8(bytes) {
            Ok(text) if !binary => text.replace(WRITTEN_IN, home.path().to_str().unwrap()).into_bytes(),
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes(),
        };
        fs::write(place, moved).unwrap();
    }
}

fn stop(home: &Home) -> String {
    let payload =
        home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf ~/"}}));
    home.hook(&payload)
}

#[test]
fn a_home_of_a_former_version_keeps_working() {
    for name in FORMER {
        let home = former(name);
        let memories = home.run(&["memory", "recall", "how do I reach staging", "--json"]).json();
        assert!(memories[0]["text"].as_str().unwrap().contains("vpn up blue"), "{name}: {memories}");
        let lesson = home.run(&["lessons", "match", "--command", "git stash"]).ok();
        assert!(lesson.contains("deny  do-not-stash"), "{name}: {lesson}");
        assert!(home.run(&["task", "list"]).ok().contains("Port the parser"), "{name}");
        assert!(home.run(&["logs"]).ok().contains("filesystem:rm-home"), "{name}: the journal is read");
        home.run(&["check"]).ok();
        // The hot path, with the caches that the former version compiled.
        assert!(stop(&home).contains("filesystem:rm-home"), "{name}");
        let denied =
            home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "git stash"}}));
        assert!(home.hook(&denied).contains("\"deny\""), "{name}: the lesson holds in a hook");
        let store = home.run(&["store", "status", "--json"]).json();
        assert!(store.to_string().contains("\"memories\""), "{name}: {store}");
    }
}

#[test]
fn its_registrations_are_recognised() {
    for name in FORMER {
        let home = former(name);
        let handlers = |home: &Home| -> usize {
            let settings: Value = serde_json::from_str(&home.read(".claude/settings.json")).unwrap();
            let groups = settings["hooks"]["PreToolUse"].as_array().unwrap();
            groups.iter().map(|group| group["hooks"].as_array().unwrap().len()).sum()
        };
        assert_eq!(handlers(&home), 1);
        home.run(&["deploy", "--agent", "claude"]).ok();
        assert_eq!(handlers(&home), 1, "{name}: replaced, not added");
        home.outside(&["undeploy", "--agent", "claude", "--agent", "gemini"]).ok();
        for file in [".claude/settings.json", ".gemini/settings.json"] {
            assert!(!home.read(file).contains("sprag"), "{name}: {file}: {}", home.read(file));
        }
    }
}

#[test]
fn a_store_of_a_later_version_stops_nothing_and_is_named() {
    let home = former(FORMER[0]);
    let file = home.state().join("sprag.db");
    let mut bytes = fs::read(&file).unwrap();
    // The version of the schema in SQLite's header.
    bytes[60..64].copy_from_slice(&99u32.to_be_bytes());
    fs::write(&file, &bytes).unwrap();
    assert!(stop(&home).contains("filesystem:rm-home"), "the guards need no store");
    let start = home.hook(&home.event("SessionStart", json!({"source": "startup"})));
    assert!(start.contains("has schema 99") && start.contains("newer sprag"), "{start}");
    let edit = home.event(
        "PreToolUse",
        json!({"tool_name": "Write", "tool_input": {"file_path": home.project().join("a.py"), "content": "x = 1\n"}}),
    );
    assert!(!home.hook(&edit).contains("deny"), "ordinary work passes");
    let error = home.run(&["memory", "list"]).failed();
    assert!(error.contains("schema 99") && error.contains("install that version"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), bytes, "the later version's store is as it was");
}
