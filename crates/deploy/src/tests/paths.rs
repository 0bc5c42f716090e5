//! Where each agent's file is, and the units of each agent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;

#[test]
fn files_per_agent_and_scope() {
    let env = env("/home/u");
    for (name, scope, path) in [
        ("claude", Scope::User, "/home/u/.claude/settings.json"),
        ("claude", Scope::Project, "/home/u/project/.claude/settings.json"),
        ("claude", Scope::Local, "/home/u/project/.claude/settings.local.json"),
        ("codex", Scope::User, "/home/u/.codex/hooks.json"),
        ("codex", Scope::Project, "/home/u/project/.codex/hooks.json"),
        ("gemini", Scope::User, "/home/u/.gemini/settings.json"),
        ("gemini", Scope::Project, "/home/u/project/.gemini/settings.json"),
        ("qwen", Scope::User, "/home/u/.qwen/settings.json"),
        ("qwen", Scope::Project, "/home/u/project/.qwen/settings.json"),
    ] {
        assert_eq!(agent(name).path(scope, &env).unwrap(), Path::new(path));
    }
}

#[test]
fn variables_move_the_users_file_only() {
    let moved = |dir: &str| Some(PathBuf::from(dir));
    let env = Env {
        claude_config_dir: moved("/c"),
        codex_home: moved("/x"),
        gemini_cli_home: moved("/g"),
        qwen_home: moved("/q"),
        ..env("/home/u")
    };
    for (name, path) in [
        ("claude", "/c/settings.json"),
        ("codex", "/x/hooks.json"),
        ("gemini", "/g/.gemini/settings.json"),
        ("qwen", "/q/settings.json"),
    ] {
        assert_eq!(agent(name).path(Scope::User, &env).unwrap(), Path::new(path));
        let project = agent(name).path(Scope::Project, &env).unwrap();
        assert!(project.starts_with("/home/u/project"), "{project:?}");
    }
    let empty = Env { claude_config_dir: moved(""), ..super::env("/home/u") };
    let path = agent("claude").path(Scope::User, &empty).unwrap();
    assert_eq!(path, Path::new("/home/u/.claude/settings.json"));
}

#[test]
fn what_is_missing_is_said_in_two_lines() {
    let none = Env::default();
    for (error, what) in [
        (AgentFiles::find("cursor").unwrap_err(), "no agent called `cursor`"),
        (agent("claude").path(Scope::User, &none).unwrap_err(), "home directory is not known"),
        (agent("claude").path(Scope::Project, &none).unwrap_err(), "needs a project"),
        (agent("codex").path(Scope::Local, &env("/h")).unwrap_err(), "Codex has no `local` scope"),
    ] {
        let text = error.to_string();
        assert!(text.contains(what), "{text}");
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}

#[test]
fn timeouts_in_the_agents_unit() {
    let time = Duration::from_millis(61_200);
    assert_eq!(agent("claude").timeout("PreToolUse", time), 62);
    assert_eq!(agent("codex").timeout("PreToolUse", time), 62);
    assert_eq!(agent("codex").timeout("SessionEnd", time), 3);
    assert_eq!(agent("gemini").timeout("BeforeTool", time), 61_200);
    assert_eq!(agent("qwen").timeout("PreToolUse", time), 61_200);
    assert_eq!(agent("claude").timeout("Stop", Duration::ZERO), 1);
}

#[test]
fn agents_without_args_get_the_shell() {
    for row in AGENTS {
        let plan = plan(row.name, vec![]).with_form(Form::Exec);
        assert_eq!(plan.form, if row.name == "claude" { Form::Exec } else { Form::Shell });
        assert_eq!(row.form(Form::Shell), Form::Shell);
    }
}
