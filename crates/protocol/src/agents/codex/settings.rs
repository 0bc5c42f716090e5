//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, JsonSyntax, Scope, TimeUnit, TomlFile};

pub(super) const FILES: AgentFiles = AgentFiles {
    agent: AgentId::Codex,
    folder: ".codex",
    folder_variable: FolderVariable::Folder("CODEX_HOME"),
    files: &[(Scope::User, "hooks.json"), (Scope::Project, "hooks.json")],
    toml_file: Some(TomlFile { name: "config.toml", features: &["hooks", "codex_hooks"] }),
    home_file: None,
    plugins_file: None,
    guard_keys: &[
        GuardKey::any("hooks"),
        GuardKey::any("features.hooks"),
        GuardKey::any("features.codex_hooks"),
        GuardKey::any("approval_policy"),
        GuardKey::any("sandbox_*"),
        GuardKey::any("profiles.*.approval_policy"),
        GuardKey::any("profiles.*.sandbox_*"),
        GuardKey::any("shell_environment_policy"),
        GuardKey::any("projects"),
    ],
    syntax: JsonSyntax::Strict,
    unit: TimeUnit::Seconds,
    timeout_limits: &[("SessionEnd", 3)],
    args_since: None,
    handler_name: None,
    status_line: None,
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
};
