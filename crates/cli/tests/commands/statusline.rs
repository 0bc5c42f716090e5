//! `sprag statusline` and `sprag status context`: what a person sees at a glance.

use crate::cli_home::{Home, SPRAG, has_keys};
use serde_json::{Value, json};

/// The line for a payload of the session in the project.
fn line(home: &Home, more: Value) -> String {
    let mut payload = json!({"session_id": "11111111-2222-4333-8444-555555555555",
        "model": {"id": "m", "display_name": "Opus"}, "workspace": {"current_dir": home.project()}});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let ran = home.outside_program(&[SPRAG, "statusline"], &payload.to_string());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.out.trim_end().to_owned()
}

fn add(home: &Home, trigger: &str, env: &[(&str, &str)]) {
    let summary = format!("Do not run {trigger} in a shared checkout");
    let words = [
        "lessons",
        "add",
        "--summary",
        &summary,
        "--problem",
        "It swept up the changes of another session.",
        "--solution",
        "Work on a branch of your own and leave the others alone.",
        "--tool",
        "Bash",
        "--trigger",
        trigger,
        "--force",
    ];
    if env.is_empty() {
        home.outside(&words).ok();
    } else {
        home.run_with(&words, env).ok();
    }
}

#[test]
fn model_window_blocks_peers_and_unread_lessons() {
    let home = Home::new();
    assert_eq!(line(&home, json!({"context_window": {"used_percentage": 41.6}})), "Opus · context 42 %");
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}});
    assert!(home.hook(&home.event("PreToolUse", call)).contains("deny"));
    for session in ["11111111-2222-4333-8444-555555555555", "22222222-2222-4333-8444-555555555555"] {
        home.hook(&home.event("SessionStart", json!({"session_id": session, "source": "startup"})));
    }
    home.run(&["worker", "--once"]).ok();
    add(&home, "git stash", &[("CLAUDECODE", "1")]);
    assert_eq!(line(&home, json!({})), "Opus · 1 block today · 1 peer · 1 unread lesson");
}

#[test]
fn the_window_comes_from_the_transcript_when_the_agent_does_not_say() {
    let home = Home::new();
    let said = json!({"type": "assistant", "uuid": "u", "sessionId": "s", "message": {"id": "m",
        "model": "claude-sonnet-4-5", "role": "assistant", "content": [{"type": "text", "text": "ok"}],
        "usage": {"input_tokens": 1000, "cache_read_input_tokens": 89000, "output_tokens": 0}}});
    let file = home.write("t.jsonl", &format!("{said}\n"));
    assert_eq!(line(&home, json!({"transcript_path": file})), "Opus · context 45 %");
    assert_eq!(line(&home, json!({"context_window": {"used_percentage": null}})), "Opus");
}

#[test]
fn a_lesson_is_unread_until_a_person_looks_and_ones_own_is_none() {
    let home = Home::new();
    let unread = |home: &Home| line(home, json!({})).rsplit(" · ").next().unwrap().to_owned();
    add(&home, "git stash", &[]);
    assert_eq!(unread(&home), "Opus", "what a person adds is no news to them");
    add(&home, "git gc", &[("CLAUDECODE", "1")]);
    assert_eq!(unread(&home), "1 unread lesson");
    add(&home, "git clean", &[]);
    assert_eq!(unread(&home), "2 unread lessons", "adding one is no look at the others");
    home.run_with(&["lessons", "list"], &[("CLAUDECODE", "1")]).ok();
    assert_eq!(unread(&home), "2 unread lessons", "the model's look is not the person's");
    home.outside(&["lessons", "list"]).ok();
    assert_eq!(unread(&home), "Opus");
    // No store is needed for it: the line is the same without one.
    add(&home, "git reset", &[("CLAUDECODE", "1")]);
    for name in ["sprag.db", "sprag.db-wal", "sprag.db-shm"] {
        let _ = std::fs::remove_file(home.state().join(name));
    }
    assert_eq!(unread(&home), "1 unread lesson");
    assert!(home.state().join("lessons/news").metadata().unwrap().len() < 100);
}

/// A time so many seconds from now.
fn later(seconds: u64) -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() + seconds
}

#[test]
fn limits_are_kept_only_when_that_is_asked_for_and_shown_with_the_windows() {
    let home = Home::new();
    let told = json!({"rate_limits": {"five_hour": {"used_percentage": 91.2, "resets_at": later(7_200)},
        "seven_day": {"used_percentage": 20, "resets_at": later(86_400)}}});
    line(&home, told.clone());
    assert_eq!(home.run(&["status", "context", "--json"]).json()["limits"], json!([]));
    assert!(!home.state().join("limits").exists());
    home.write(".config/sprag/config.toml", "version = 1\n[hook.usage-context-awareness]\nlimits = true\n");
    line(&home, told);
    let limits = home.run(&["status", "context", "--json"]).json()["limits"].clone();
    has_keys(&limits[0], &["agent", "limit", "percent", "at", "resets"]);
    assert_eq!((&limits[0]["limit"], &limits[0]["percent"]), (&json!("5-hour"), &json!(91)));
    assert_eq!(limits.as_array().unwrap().len(), 2);
    let prompt = home.event("UserPromptSubmit", json!({"prompt": "go on"}));
    let answer = home.hook(&prompt);
    assert!(answer.contains("The account's 5-hour limit is 91 % used; it resets in 1"), "{answer}");
    assert!(!answer.contains("7-day"), "{answer}");
    assert!(!home.hook(&prompt).contains("5-hour limit"), "said once");
    let shown = home.run(&["status", "context"]).ok();
    assert!(shown.contains("5-hour") && shown.contains("91 %") && shown.contains("20 %"), "{shown}");
    // A window that is over says nothing.
    line(&home, json!({"rate_limits": {"five_hour": {"used_percentage": 99, "resets_at": 1_700_000_000}}}));
    assert_eq!(home.run(&["status", "context", "--json"]).json()["limits"], json!([]));
}

#[test]
fn status_context_says_how_full_every_window_is() {
    let home = Home::new();
    assert!(home.run(&["status", "context"]).ok().contains("Nothing is known"));
    assert_eq!(home.run(&["status", "context", "--json"]).json(), json!({"context": [], "limits": []}));
    let said = |tokens: u64| {
        json!({"type": "assistant", "uuid": "u", "sessionId": "s", "message": {"id": "m", "role": "assistant",
            "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": "ok"}],
            "usage": {"input_tokens": tokens, "output_tokens": 0}}})
        .to_string()
    };
    for (session, tokens) in [("aaaaaaaa-1", 50_000), ("bbbbbbbb-2", 190_000)] {
        let file = home.write(&format!("{session}.jsonl"), &format!("{}\n", said(tokens)));
        let more = json!({"session_id": session, "prompt": "go on", "transcript_path": file});
        home.hook(&home.event("UserPromptSubmit", more));
    }
    let json = home.run(&["status", "context", "--json"]).json();
    let rows = json["context"].as_array().unwrap();
    has_keys(&rows[0], &["session", "percent", "tokens", "window", "model", "at"]);
    let facts: Vec<(&str, u64)> =
        rows.iter().map(|row| (row["session"].as_str().unwrap(), row["percent"].as_u64().unwrap())).collect();
    assert_eq!(facts, [("bbbbbbbb-2", 95), ("aaaaaaaa-1", 25)], "the last one first");
    let shown = home.run(&["status", "context"]).ok();
    assert!(shown.contains("bbbbbbbb") && shown.contains("95 %") && shown.contains("200000"), "{shown}");
}
