//! `sprag data`: what is stored can be taken along, and only a person deletes it.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use crate::cli_home::Home;
use serde_json::json;

fn used() -> Home {
    let home = Home::new();
    home.run(&["memory", "add", "The shop sells herons", "--scope", "project"]).ok();
    home.run(&["memory", "add", "I like tea"]).ok();
    home.hook(&home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}})));
    let mut elsewhere = home.event("UserPromptSubmit", json!({"prompt": "hello"}));
    elsewhere["cwd"] = json!(home.path().join("other"));
    home.hook(&elsewhere);
    home
}

#[test]
fn an_export_has_the_files_the_journal_and_the_rows() {
    let home = used();
    let done = home.run(&["data", "export", "all", "--json"]).json();
    assert!(done["rows"].as_u64().unwrap() >= 2, "{done}");
    let read = |name: &str| home.read(&format!("shop/{name}"));
    assert!(read("all/store.jsonl").contains("I like tea"));
    assert_eq!(read("all/journal.jsonl").lines().count(), 2);
    home.run(&["data", "export", "mine", "--project"]).ok();
    let rows = read("mine/store.jsonl");
    assert!(rows.contains("herons") && !rows.contains("tea"), "{rows}");
    assert_eq!(read("mine/journal.jsonl").lines().count(), 1, "of this project alone");
    assert!(home.run(&["data", "export", "mine"]).failed().contains("exists"));
    let shown = home.run(&["data", "show", "--project", "--json"]).json();
    assert!(
        shown["parts"].as_array().unwrap().iter().any(|part| part["part"] == "state" && part["files"] != 0)
    );
}

#[test]
fn an_agent_or_a_script_deletes_nothing() {
    let home = used();
    for scope in ["--project", "--all"] {
        let inside = home.run_with(&["data", "delete", scope], &[("CLAUDECODE", "1")]);
        assert!(inside.failed().contains("agent"));
        assert!(home.outside(&["data", "delete", scope]).failed().contains("terminal"));
    }
    assert_eq!(home.run(&["data", "delete"]).code, 2, "what to delete must be said");
    assert!(home.run(&["memory", "list"]).ok().contains("herons"));
}
