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
    let plain = env("/home/u");
    let with = |variables: &[(&str, &str)]| {
        AgentEnv::new(plain.home.clone(), plain.project.clone(), |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| PathBuf::from(value))
        })
    };
    let env = with(&[
        ("CLAUDE_CONFIG_DIR", "/c"),
        ("CODEX_HOME", "/x"),
        ("GEMINI_CLI_HOME", "/g"),
        ("QWEN_HOME", "/q"),
        ("HOME", "/ignored"),
    ]);
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
    let empty = with(&[("CLAUDE_CONFIG_DIR", "")]);
    assert_eq!(agent("claude").moved_folder(&empty), None);
    let path = agent("claude").path(Scope::User, &empty).unwrap();
    assert_eq!(path, Path::new("/home/u/.claude/settings.json"));
}

#[test]
fn what_is_missing_has_a_message_and_a_hint() {
    let none = AgentEnv::default();
    for (error, message, hint) in [
        (AgentFiles::find("nobody").unwrap_err(), "unknown agent `nobody`", "claude, codex, gemini, qwen"),
        (agent("claude").path(Scope::User, &none).unwrap_err(), "home directory is unknown", "set HOME"),
        (agent("claude").path(Scope::Project, &none).unwrap_err(), "needs a project", "--scope user"),
        (
            agent("codex").path(Scope::Local, &env("/h")).unwrap_err(),
            "Codex has no `local` scope",
            "user, project",
        ),
    ] {
        let error = DeployError::from(error);
        for (line, part) in [(error.to_string(), message), (error.hint(), hint)] {
            assert!(line.contains(part) && !line.contains('\n'), "{line}");
        }
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
fn versions_before_args_need_the_shell() {
    let claude = agent("claude");
    assert!(!claude.has_args(None), "an unknown version may be one that ignores `args`");
    assert!(claude.has_args(Some([2, 1, 139])) && claude.has_args(Some([3, 0, 0])));
    assert!(!claude.has_args(Some([2, 1, 138])));
    assert!(!agent("codex").has_args(None));
}

#[test]
fn agents_without_args_get_the_shell() {
    // A contract without a program has no settings.
    for agent in sprag_protocol::AgentId::ALL.into_iter().filter(|agent| agent.name() != "agenthooks") {
        let plan = plan(agent.name(), vec![]).with_form(Form::Exec);
        let has_args = agent.spec().settings.args_since.is_some();
        assert_eq!(plan.form, if has_args { Form::Exec } else { Form::Shell });
        assert_eq!(plan.with_form(Form::Shell).form, Form::Shell);
    }
}
