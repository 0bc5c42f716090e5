//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, JsonSyntax, Scope, TimeUnit};

pub(super) const FILES: AgentFiles = AgentFiles {
    agent: AgentId::Gemini,
    folder: ".gemini",
    folder_variable: FolderVariable::Home("GEMINI_CLI_HOME"),
    files: &[(Scope::User, "settings.json"), (Scope::Project, "settings.json")],
    toml_file: None,
    home_file: None,
    plugins_file: None,
    guard_keys: &[
        GuardKey::any("hooks"),
        GuardKey::any("hooksConfig"),
        GuardKey::any("security"),
        GuardKey::any("tools.sandbox"),
        GuardKey::less("tools.exclude"),
        GuardKey::to("general.defaultApprovalMode", &["yolo", "auto_edit"]),
    ],
    syntax: JsonSyntax::Comments,
    unit: TimeUnit::Millis,
    timeout_limits: &[],
    args_since: None,
    handler_name: Some("sprag"),
    status_line: None,
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
};
