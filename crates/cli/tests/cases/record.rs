//! `sprag record` and `sprag replay`: real payloads are kept without secrets, and a changed decision is shown.

use crate::common::Home;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

fn call(home: &Home, command: &str) {
    let payload = serde_json::json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": home.path("shop"), "tool_name": "Bash",
        "tool_input": {"command": command},
    });
    let ran = home.run_with(&["hook", "--agent", "claude"], payload.to_string().as_bytes(), &home.path(""));
    assert_eq!(ran.code, 0);
}

fn files(folder: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), all);
        } else {
            all.insert(entry.path().display().to_string(), std::fs::read(entry.path()).unwrap());
        }
    }
}

#[test]
fn a_changed_decision_is_shown_and_fails() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("shop")).unwrap();
    call(&home, "not recorded");
    assert!(!home.path(".local/state/sprag/recordings").exists());
    assert_eq!(home.run(&["record", "on"]).code, 0);
    for _ in 0..3 {
        call(&home, "curl -H 'X-Token: ghp_0123456789abcdefghijABCDEFGHIJ012345' h");
    }
    assert_eq!(home.run(&["record", "off"]).code, 0);
    call(&home, "not recorded either");

    let list: Value = serde_json::from_str(&home.run(&["record", "list", "--json"]).out).unwrap();
    assert_eq!((&list["recording"], &list["sessions"][0]["events"]), (&false.into(), &3.into()));
    let text = home.read(".local/state/sprag/recordings/s1.jsonl");
    assert!(!text.contains("ghp_0") && text.contains("curl -H"), "{text}");
    assert!(home.run(&["record", "show", "s1"]).out.contains("PreToolUse"));

    let same = home.run(&["replay", "s1"]);
    assert_eq!(same.code, 0, "{}", same.out);
    assert!(same.out.contains("3 events; decisions changed: 0"), "{}", same.out);

    home.write(".config/sprag/config.toml", "[hook.tool-loop]\nwarn_at = 2\nblock_at = 3\n");
    let mut before = BTreeMap::new();
    files(&home.path(""), &mut before);
    let changed = home.run(&["replay", "s1"]);
    assert_eq!(changed.code, 1, "{}", changed.out);
    assert!(
        changed.out.contains("pass → deny") && changed.out.contains("decisions changed: 1"),
        "{}",
        changed.out
    );
    assert!(changed.out.contains("3 now: sprag blocked this (tool-loop, "), "{}", changed.out);
    let mut after = BTreeMap::new();
    files(&home.path(""), &mut after);
    assert!(before == after, "a replay leaves no trace");

    let json: Value = serde_json::from_str(&home.run(&["replay", "s1", "--json"]).out).unwrap();
    assert_eq!(
        json["events"][2]["decision"],
        serde_json::json!({"before": "pass", "now": "deny", "changed": true})
    );
    assert_eq!(json["events"][1]["context"]["changed"], true);
}

#[test]
fn shadow_hooks_are_reported_with_examples() {
    let home = Home::new();
    let empty = home.run(&["replay", "--shadow"]);
    assert!(empty.out.contains("no hook ran in shadow mode in the last 7 days"), "{}", empty.out);
    home.write(
        ".config/sprag/config.toml",
        "[hook.tool-loop]\nmode = \"shadow\"\nwarn_at = 2\nblock_at = 3\n",
    );
    for _ in 0..4 {
        call(&home, "ls");
    }
    let report: Value = serde_json::from_str(&home.run(&["replay", "--shadow", "--json"]).out).unwrap();
    let hook = &report["hooks"][0];
    assert_eq!((&hook["hook"], &hook["runs"]), (&"tool-loop".into(), &4.into()));
    assert_eq!((&hook["verdicts"]["deny"], &hook["contexts"]), (&2.into(), &1.into()));
    let shown = home.run(&["replay", "--shadow", "--since", "1h"]).out;
    assert!(
        shown.contains("tool-loop would have said:") && shown.contains("PreToolUse Bash: deny"),
        "{shown}"
    );
}

#[test]
fn what_is_not_there_is_said() {
    let home = Home::new();
    assert!(home.run(&["record", "list"]).out.contains("`sprag record on` begins"));
    assert!(home.run(&["replay", "nothing"]).err.contains("`sprag record list`"));
    home.write("empty.jsonl", "{}\n");
    assert!(home.run(&["replay", "empty.jsonl"]).err.contains("holds no recorded event"));
    assert_eq!(home.run(&["replay"]).code, 2);
}
