//! `sprag policy sandbox` for every agent, and `sprag logs --sarif`: what is shown is what is written, and it can be taken
//! back.

use crate::cli_home::{Home, has_keys};
use serde_json::{Value, json};

/// The agents, the file below the home that is written, and words that have to stand in it.
const AGENTS: [(&str, &str, &[&str]); 3] = [
    ("claude", ".claude/settings.json", &["Read(~/.ssh)", "\"denyRead\"", "\"github.com\"", "settings.json"]),
    (
        "codex",
        ".codex/config.toml",
        &["default_permissions = \"sprag\"", "[permissions.sprag.filesystem]", "github.com"],
    ),
    (
        "gemini",
        ".gemini/policies/sprag-sandbox.toml",
        &["decision = \"deny\"", "\\\\.ssh", "run_shell_command"],
    ),
];

/// The file that a run says it changes.
fn written(home: &Home, out: &str) -> String {
    let (name, _) = out.split_once(": ").unwrap();
    name.trim_start_matches("~/").trim_start_matches(&format!("{}/", home.path().display())).to_owned()
}

#[test]
fn a_dry_run_shows_what_is_written_then_and_writes_nothing() {
    for (agent, _, words) in AGENTS {
        let home = Home::new();
        let args = ["policy", "sandbox", "--agent", agent, "--allow-host", "github.com"];
        let dry = home.outside(&[&args[..], &["--dry-run"]].concat()).ok();
        assert!(dry.contains("dry run: nothing was written"), "{agent}: {dry}");
        let file = written(&home, &dry);
        assert_eq!(home.read(&file), "", "{agent} wrote {file}");

        let out = home.outside(&args).ok();
        assert_eq!(written(&home, &out), file, "{out}");
        let text = home.read(&file);
        for word in words {
            assert!(text.contains(word), "{agent}: {word} is missing in\n{text}");
        }
        let shown: Vec<&str> = dry.lines().filter_map(|line| line.strip_prefix('+')).skip(1).collect();
        assert_eq!(
            text.trim_end(),
            shown.join("\n").trim_end(),
            "{agent}: the dry run showed something else"
        );

        home.outside(&["policy", "sandbox", "--agent", agent, "--undo"]).ok();
        assert!(!words.iter().any(|word| home.read(&file).contains(word)), "{agent}: {}", home.read(&file));
    }
}

#[test]
fn the_files_are_where_the_agents_read_them() {
    for (agent, file, _) in AGENTS {
        let home = Home::new();
        let dry = home.outside(&["policy", "sandbox", "--agent", agent, "--dry-run"]).ok();
        assert_eq!(written(&home, &dry), file);
    }
}

#[test]
fn what_stands_in_the_file_already_is_kept() {
    let home = Home::new();
    home.write(
        ".claude/settings.json",
        "{\"model\": \"opus\", \"permissions\": {\"deny\": [\"Read(x)\"]}}\n",
    );
    home.outside(&["policy", "sandbox", "--agent", "claude"]).ok();
    let settings: Value = serde_json::from_str(&home.read(".claude/settings.json")).unwrap();
    assert_eq!(settings["model"], "opus");
    let denied = settings["permissions"]["deny"].as_array().unwrap();
    assert!(denied.contains(&json!("Read(x)")) && denied.contains(&json!("Read(~/.ssh)")));
    home.outside(&["policy", "sandbox", "--agent", "claude", "--undo"]).ok();
    let settings: Value = serde_json::from_str(&home.read(".claude/settings.json")).unwrap();
    assert_eq!(settings, json!({"model": "opus", "permissions": {"deny": ["Read(x)"]}}));
}

#[test]
fn an_agent_cannot_change_its_own_sandbox() {
    let home = Home::new();
    let ran = home.run_with(&["policy", "sandbox", "--agent", "claude"], &[("CLAUDECODE", "1")]);
    assert!(ran.failed().contains("CLAUDECODE"));
    assert_eq!(home.read(".claude/settings.json"), "");
}

#[test]
fn findings_are_reported_as_sarif() {
    let home = Home::new();
    for command in ["rm -rf ~", "ls"] {
        home.hook(
            &home.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": command}})),
        );
    }
    let report = home.run(&["logs", "--sarif"]).json();
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "sprag");
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{report}");
    assert_eq!(results[0]["level"], "error");
    let rule = results[0]["ruleId"].as_str().unwrap();
    assert!(rule.starts_with("command-guard/filesystem:"), "{rule}");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|known| known["id"] == rule));
    has_keys(&report, &["version", "$schema", "runs"]);
}
