//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, JsonSyntax, Scope, TimeUnit};

pub(super) const FILES: AgentFiles = AgentFiles {
    agent: AgentId::Qwen,
    folder: ".qwen",
    folder_variable: FolderVariable::Folder("QWEN_HOME"),
    files: &[(Scope::User, "settings.json"), (Scope::Project, "settings.json")],
    toml_file: None,
    home_file: None,
    plugins_file: None,
    guard_keys: &[
        GuardKey::any("hooks"),
        GuardKey::any("hooksConfig"),
        GuardKey::any("disableAllHooks"),
        GuardKey::any("security"),
        GuardKey::any("tools.sandbox"),
        GuardKey::less("tools.exclude"),
        GuardKey::less("permissions.deny"),
        GuardKey::to("tools.approvalMode", &["yolo", "auto-edit"]),
    ],
    syntax: JsonSyntax::Comments,
    unit: TimeUnit::Millis,
    timeout_limits: &[],
    args_since: None,
    handler_name: Some("sprag"),
    status_line: None,
    gate: None,
    enable: None,
    off_switch: Some("disableAllHooks"),
    only_keys: None,
    not_events: &["enabled", "disabled", "notifications"],
    strict_matcher: false,
    advice: None,
};
