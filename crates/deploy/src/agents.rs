//! One row per agent: where its hook configuration lives and how it is spelled.
//! A further agent of this family is one more row.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::Form;
use super::error::DeployError;
use super::json::Syntax;

/// For whom hooks are registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// All projects of this user.
    User,
    /// One project, for everybody who works on it.
    Project,
    /// One project, for this user only.
    Local,
}

impl Scope {
    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// What paths depend on. The caller fills it: nothing here reads the process environment.
#[derive(Debug, Clone, Default)]
pub struct Env {
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The project's root.
    pub project: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`: replaces `~/.claude`.
    pub claude_config_dir: Option<PathBuf>,
    /// `CODEX_HOME`: replaces `~/.codex`.
    pub codex_home: Option<PathBuf>,
    /// `GEMINI_CLI_HOME`: replaces the home directory (the file is in `.gemini` below it).
    pub gemini_cli_home: Option<PathBuf>,
    /// `QWEN_HOME`: replaces `~/.qwen`.
    pub qwen_home: Option<PathBuf>,
}

/// In what an agent counts a hook's timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Millis,
}

/// Everything deploy knows about one agent.
#[derive(Debug)]
pub struct AgentFiles {
    /// The agent's name on the command line.
    pub name: &'static str,
    /// The agent's name for people.
    pub title: &'static str,
    /// Its folder, in the home directory and in a project.
    pub folder: &'static str,
    /// What replaces the user's folder.
    pub moved: fn(&Env) -> Option<PathBuf>,
    /// The file per scope; a scope that is not listed does not exist for this agent.
    pub files: &'static [(Scope, &'static str)],
    /// Which JSON it reads.
    pub syntax: Syntax,
    /// The unit of `timeout`.
    pub unit: TimeUnit,
    /// The agent's own upper limits for `timeout`, in its unit.
    pub timeout_limits: &'static [(&'static str, u64)],
    /// It has `args`, so no shell is needed.
    pub exec: bool,
    /// The `name` that its handlers carry.
    pub handler_name: Option<&'static str>,
    /// What makes a failed hook block, for gates.
    pub gate: Option<(&'static str, &'static str)>,
    /// A switch that must be on: object and key.
    pub enable: Option<(&'static str, &'static str)>,
    /// A top-level key that, when true, silences every hook.
    pub off_switch: Option<&'static str>,
    /// The only top-level keys it accepts.
    pub only_keys: Option<&'static [&'static str]>,
    /// Keys inside `hooks` that are not events.
    pub not_events: &'static [&'static str],
    /// One matcher that is not a string makes it reject the whole file.
    pub strict_matcher: bool,
    /// What the user has to do after deploy.
    pub advice: Option<&'static str>,
}

/// The agents that deploy can write for.
pub static AGENTS: &[AgentFiles] = &[
    AgentFiles {
        name: "claude",
        title: "Claude Code",
        folder: ".claude",
        moved: |env| env.claude_config_dir.clone(),
        files: &[
            (Scope::User, "settings.json"),
            (Scope::Project, "settings.json"),
            (Scope::Local, "settings.local.json"),
        ],
        syntax: Syntax::Strict,
        unit: TimeUnit::Seconds,
        timeout_limits: &[],
        exec: true,
        handler_name: None,
        gate: Some(("onFailure", "block")),
        enable: None,
        off_switch: Some("disableAllHooks"),
        only_keys: None,
        not_events: &[],
        strict_matcher: true,
        advice: None,
    },
    AgentFiles {
        name: "codex",
        title: "Codex",
        folder: ".codex",
        moved: |env| env.codex_home.clone(),
        files: &[(Scope::User, "hooks.json"), (Scope::Project, "hooks.json")],
        syntax: Syntax::Strict,
        unit: TimeUnit::Seconds,
        timeout_limits: &[("SessionEnd", 3)],
        exec: false,
        handler_name: None,
        gate: None,
        enable: None,
        off_switch: None,
        only_keys: Some(&["description", "hooks"]),
        not_events: &[],
        strict_matcher: false,
        advice: Some(
            "Codex runs a new or changed hook only after you trust it: start codex, type /hooks, and approve the \
             sprag entries (a project's hooks also need the project to be trusted).",
        ),
    },
    AgentFiles {
        name: "gemini",
        title: "Gemini CLI",
        folder: ".gemini",
        moved: |env| env.gemini_cli_home.as_ref().map(|home| home.join(".gemini")),
        files: &[(Scope::User, "settings.json"), (Scope::Project, "settings.json")],
        syntax: Syntax::Comments,
        unit: TimeUnit::Millis,
        timeout_limits: &[],
        exec: false,
        handler_name: Some("sprag"),
        gate: None,
        enable: Some(("hooksConfig", "enabled")),
        off_switch: None,
        only_keys: None,
        // Before `hooksConfig` existed these lived among the events.
        not_events: &["enabled", "disabled", "notifications"],
        strict_matcher: false,
        advice: Some(
            "Gemini CLI runs no hooks in a folder that it does not trust: answer its question about the folder, or \
             use /permissions.",
        ),
    },
    AgentFiles {
        name: "qwen",
        title: "Qwen Code",
        folder: ".qwen",
        moved: |env| env.qwen_home.clone(),
        files: &[(Scope::User, "settings.json"), (Scope::Project, "settings.json")],
        syntax: Syntax::Comments,
        unit: TimeUnit::Millis,
        timeout_limits: &[],
        exec: false,
        handler_name: Some("sprag"),
        gate: None,
        enable: None,
        off_switch: Some("disableAllHooks"),
        only_keys: None,
        not_events: &["enabled", "disabled", "notifications"],
        strict_matcher: false,
        advice: None,
    },
];

impl AgentFiles {
    /// The row of the agent with this name.
    pub fn find(name: &str) -> Result<&'static Self, DeployError> {
        AGENTS
            .iter()
            .find(|agent| agent.name == name)
            .ok_or_else(|| DeployError::UnknownAgent { name: name.to_owned() })
    }

    /// The file that this agent reads in a scope.
    pub fn path(&self, scope: Scope, env: &Env) -> Result<PathBuf, DeployError> {
        let Some((_, file)) = self.files.iter().find(|(known, _)| *known == scope) else {
            let known = self.files.iter().map(|(known, _)| known.name()).collect::<Vec<_>>().join(", ");
            return Err(DeployError::NoSuchScope { agent: self.title, scope: scope.name(), known });
        };
        Ok(self.dir(scope, env)?.join(file))
    }

    /// The agent's folder in a scope.
    fn dir(&self, scope: Scope, env: &Env) -> Result<PathBuf, DeployError> {
        let set = |path: &PathBuf| !path.as_os_str().is_empty();
        if scope == Scope::User {
            // An empty variable is an unset one, for the agents too.
            return match (self.moved)(env).filter(set) {
                Some(moved) => Ok(moved),
                None => env
                    .home
                    .as_ref()
                    .filter(|home| set(home))
                    .map(|home| home.join(self.folder))
                    .ok_or(DeployError::NoHome { agent: self.title }),
            };
        }
        env.project
            .as_ref()
            .filter(|project| set(project))
            .map(|project| project.join(self.folder))
            .ok_or(DeployError::NoProject { agent: self.title, scope: scope.name() })
    }

    /// A time in this agent's unit, rounded up, within the agent's own limit for the event.
    pub fn timeout(&self, event: &str, time: Duration) -> u64 {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let value = match self.unit {
            TimeUnit::Millis => millis,
            TimeUnit::Seconds => millis.div_ceil(1000),
        };
        let limit = self.timeout_limits.iter().find(|(name, _)| *name == event).map(|(_, limit)| *limit);
        value.max(1).min(limit.unwrap_or(u64::MAX))
    }

    /// The form that this agent can run: the wished one, or the shell where it has no `args`.
    pub fn form(&self, wished: Form) -> Form {
        if self.exec { wished } else { Form::Shell }
    }

    /// Codex reads hooks from a TOML file beside this one too.
    pub(crate) fn toml_beside(&self, file: &Path) -> Option<PathBuf> {
        (self.name == "codex").then(|| file.with_file_name("config.toml"))
    }
}
