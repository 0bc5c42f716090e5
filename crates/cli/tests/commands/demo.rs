//! `sprag demo`: the main job end to end, with nothing but the binary.

use crate::cli_home::{Home, has_keys};
use serde_json::Value;
use std::path::Path;

fn events(value: &Value) -> Vec<&Value> {
    value["parts"].as_array().unwrap().iter().flat_map(|part| part["events"].as_array().unwrap()).collect()
}

#[test]
fn the_session_is_played_and_decided() {
    let home = Home::new();
    let value = home.run(&["demo", "--json"]).json();
    has_keys(&value, &["scenes", "parts", "worker", "files", "kept"]);
    let events = events(&value);
    has_keys(
        events[0],
        &[
            "agent", "event", "recording", "tool", "verdict", "reason", "context", "message", "us", "tokens",
            "error", "hooks", "answer",
        ],
    );
    for name in [
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
        "SubagentStart", "Stop", "SessionEnd",
    ] {
        assert!(events.iter().any(|event| event["event"] == name), "{name}");
    }
    for event in &events {
        assert!(event["error"].is_null(), "{event}");
        assert!(event["hooks"].as_array().unwrap().iter().all(|run| run["error"].is_null()), "{event}");
    }
    let denied: Vec<&&Value> = events.iter().filter(|event| event["verdict"] == "deny").collect();
    assert!(denied.iter().any(|event| event["reason"].as_str().unwrap().contains("has a lock file")));
    assert!(denied.iter().any(|event| event["reason"].as_str().unwrap().contains("times")), "the loop");
    let agents: Vec<&str> = denied.iter().map(|event| event["agent"].as_str().unwrap()).collect();
    for agent in ["claude", "codex", "gemini"] {
        assert!(agents.contains(&agent), "{agents:?}");
    }
    assert_eq!(value["worker"]["failed"], 0);
    assert!(value["worker"]["finished"].as_u64().unwrap() >= 2);
    let files = value["files"].as_array().unwrap();
    assert!(files.iter().any(|file| file["path"] == "~/.local/state/sprag/journal.jsonl"));
    assert!(files.iter().any(|file| file["first_line"] == "a session ended in shop"));
}

#[test]
fn it_reads_well_and_leaves_nothing_behind() {
    let home = Home::new();
    let scratch = home.path().join("tmp");
    std::fs::create_dir_all(&scratch).unwrap();
    let text = home.run_with(&["demo", "--verbose"], &[("TMPDIR", scratch.to_str().unwrap())]).ok();
    for part in
        ["tool-loop", "warned", "denied", "has a lock file", "jobs done", "What came out", "per event."]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains(scratch.to_str().unwrap()), "scratch paths are shown as ~: {text}");
    assert!(!text.contains('\u{1b}'), "no colours without a terminal");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
    assert!(!home.state().exists() && !home.config().exists(), "the user's own home was not touched");
}

#[test]
fn six_scenes_fit_a_screen_and_each_shows_what_it_says() {
    let home = Home::new();
    let scratch = home.path().join("tmp");
    std::fs::create_dir_all(&scratch).unwrap();
    let text = home.run_with(&["demo"], &[("TMPDIR", scratch.to_str().unwrap())]).ok();
    assert!(text.lines().count() <= 25, "{text}");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
    let scenes = home.run(&["demo", "--json"]).json()["scenes"].take();
    let python = std::process::Command::new("python3").arg("--version").output().is_ok();
    for (scene, hook, answer, part) in [
        (0, "command-guard", "denied", "~"),
        (1, "privacy-block", "denied", ".env"),
        (2, "pretooluse-lesson-inject", "denied", "git stash"),
        // A linter holds the turn, or the compiler where there is none.
        (3, "", "held the turn", "src/cart.py"),
        (4, "memory-awareness", "told the model", "vpn up blue"),
        (5, "file-claims", "told the model", "src/cart.py"),
    ] {
        if scene == 3 && !python {
            continue;
        }
        let scene = &scenes[scene];
        assert!(scene["answer"] == answer && (hook.is_empty() || scene["hook"] == hook), "{scene}");
        assert!(scene["text"].as_str().unwrap().contains(part), "{scene}");
    }
}

#[test]
fn it_is_the_same_every_time_apart_from_times() {
    let home = Home::new();
    let plain = |value: &Value| -> Vec<(Value, Value, Value, Value)> {
        let part = |event: &&Value| {
            let hooks = event["hooks"].as_array().unwrap().iter().map(|run| run["hook"].clone()).collect();
            // The id of a stop depends on the scratch folder.
            let reason = event["reason"].as_str().and_then(|text| text.split(" Why: sprag why").next());
            let reason = reason.map(|text| match text.split_once("): ") {
                Some((head, rest)) => {
                    format!("{}): {rest}", head.rsplit_once(", ").map_or(head, |(head, _)| head))
                }
                None => text.to_owned(),
            });
            (event["event"].clone(), event["verdict"].clone(), reason.into(), hooks)
        };
        events(value).iter().map(part).collect()
    };
    let (one, two) = (home.run(&["demo", "--json"]).json(), home.run(&["demo", "--json"]).json());
    assert_eq!(plain(&one), plain(&two));
}

#[test]
fn what_is_kept_can_be_looked_at_with_the_other_commands() {
    let home = Home::new();
    let scratch = home.path().join("tmp");
    std::fs::create_dir_all(&scratch).unwrap();
    let value = home.run_with(&["demo", "--keep", "--json"], &[("TMPDIR", scratch.to_str().unwrap())]).json();
    let kept = Path::new(value["kept"].as_str().unwrap()).join("home");
    let logs = home.run_with(&["logs", "-n", "100"], &[("HOME", kept.to_str().unwrap())]).ok();
    assert!(logs.contains("SessionStart") && logs.contains("deny"), "{logs}");
}
