//! `sprag deploy` and `undeploy` with the built binary: several agents, refusals, scopes.
#![cfg(unix)]

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("project/.git")).unwrap();
        Self(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    fn run(&self, args: &[&str], env: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sprag"));
        command.args(args).env_clear().env("HOME", self.0.path()).env("PATH", "/usr/bin:/bin");
        command.envs(env.iter().copied()).current_dir(self.path("project")).output().unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.path(name)).unwrap()).unwrap()
    }
}

fn stderr(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

#[test]
fn one_file_that_cannot_be_read_does_not_keep_the_others_from_theirs() {
    let home = Home::new();
    let broken = "{\n  // mine\n  \"model\": \"x\"\n}\n";
    home.write(".claude/settings.json", broken);
    let out = home.run(&["deploy", "--agent", "claude", "--agent", "codex", "--agent", "gemini"], &[]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("settings.json:2:3: a comment"), "{}", stderr(&out));
    assert!(stderr(&out).contains("\n  remove the comment, then"), "the hint is on its own line");
    assert_eq!(std::fs::read_to_string(home.path(".claude/settings.json")).unwrap(), broken);
    assert!(home.json(".codex/hooks.json")["hooks"]["PreToolUse"].is_array());
    assert_eq!(home.json(".gemini/settings.json")["hooksConfig"]["enabled"], true);
    let out = home.run(&["undeploy"], &[]);
    assert_eq!(out.status.code(), Some(1), "Claude Code's file is still broken");
    assert!(!home.path(".codex").exists() && !home.path(".gemini").exists());
}

#[test]
fn what_is_registered_is_one_command_with_a_timeout_and_no_event_without_a_hook() {
    let home = Home::new();
    assert!(home.run(&["deploy", "--agent", "claude"], &[]).status.success());
    let settings = home.json(".claude/settings.json");
    let hooks = settings["hooks"].as_object().unwrap();
    for (event, groups) in hooks {
        let handler = &groups[0]["hooks"][0];
        assert!(handler["command"].as_str().unwrap().contains("/sprag hook --agent claude"), "{event}");
        assert!(handler["timeout"].as_u64().unwrap() >= 3, "{event}");
        assert!(handler.get("onFailure").is_none(), "{event}");
    }
    for event in ["WorktreeCreate", "WorktreeRemove", "MessageDisplay", "Notification", "Setup"] {
        assert!(!hooks.contains_key(event), "{event} has no hook");
    }
    let before = std::fs::read(home.path(".claude/settings.json")).unwrap();
    assert!(home.run(&["deploy", "--agent", "claude"], &[]).status.success());
    assert_eq!(std::fs::read(home.path(".claude/settings.json")).unwrap(), before, "twice is once");
    assert!(home.run(&["undeploy"], &[]).status.success());
    assert!(!home.path(".claude").exists());
}

#[test]
fn gates_and_matchers_follow_the_configuration() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "preset = \"minimal\"\n[hooks.pre_tool_use]\nscripts = [\"loop-detection\"]\n[hook.loop-detection]\non_error = \"closed\"\n",
    );
    assert!(home.run(&["deploy", "--agent", "claude"], &[]).status.success());
    let group = &home.json(".claude/settings.json")["hooks"]["PreToolUse"][0];
    assert_eq!(group["hooks"][0]["onFailure"], "block");
    assert_eq!(group["matcher"], "Edit|Write|MultiEdit|NotebookEdit", "the narrowest that covers the chain");
}

#[test]
fn scopes_and_the_agents_own_variable() {
    let home = Home::new();
    assert!(home.run(&["deploy", "--agent", "claude", "--scope", "project"], &[]).status.success());
    assert!(home.path("project/.claude/settings.json").exists());
    assert!(home.run(&["deploy", "--agent", "claude", "--scope", "local"], &[]).status.success());
    assert!(home.path("project/.claude/settings.local.json").exists());
    let elsewhere = home.path("elsewhere");
    let env = [("CLAUDE_CONFIG_DIR", elsewhere.to_str().unwrap())];
    assert!(home.run(&["deploy", "--agent", "claude"], &env).status.success());
    assert!(elsewhere.join("settings.json").exists() && !home.path(".claude").exists());
}

#[test]
fn a_dry_run_shows_a_diff_and_writes_nothing() {
    let home = Home::new();
    let out = home.run(&["deploy", "--agent", "claude", "--dry-run"], &[]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && text.contains("+++") && text.contains("nothing was written"), "{text}");
    assert!(!home.path(".claude").exists());
}

#[test]
fn a_fault_in_the_configuration_registers_nothing() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "presett = \"strict\"\n");
    let out = home.run(&["deploy", "--agent", "claude"], &[]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("config.toml:1") && stderr(&out).contains("`preset`"), "{}", stderr(&out));
    assert!(!home.path(".claude").exists());
}

#[test]
fn a_profile_with_a_folder_of_its_own_gets_the_hooks_there_too() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "version = 1\n[profiles.work]\nconfig_dir = \"~/.claude-work\"\n[profiles.home]\nconfig_dir = \"~/.codex-home\"\n",
    );
    home.write(".claude-work/settings.json", "{\"model\": \"mine\"}\n");
    assert!(home.run(&["deploy", "--agent", "claude"], &[]).status.success());
    for file in [".claude/settings.json", ".claude-work/settings.json"] {
        assert!(home.json(file)["hooks"]["PreToolUse"].is_array(), "{file}");
    }
    assert_eq!(home.json(".claude-work/settings.json")["model"], "mine");
    assert!(!home.path(".codex-home").exists(), "another agent's folder");
    assert!(home.run(&["deploy", "--agent", "codex"], &[]).status.success());
    assert!(home.json(".codex-home/hooks.json")["hooks"]["PreToolUse"].is_array());
    assert!(home.run(&["undeploy"], &[]).status.success());
    assert_eq!(home.json(".claude-work/settings.json"), serde_json::json!({"model": "mine"}));
    assert!(!home.path(".codex-home").exists() && !home.path(".claude/settings.json").exists());
}
