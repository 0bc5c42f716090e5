//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GateField, JsonSyntax, Scope, TimeUnit};

pub(super) const FILES: AgentFiles = AgentFiles {
    agent: AgentId::Claude,
    folder: ".claude",
    folder_variable: FolderVariable::Folder("CLAUDE_CONFIG_DIR"),
    files: &[
        (Scope::User, "settings.json"),
        (Scope::Project, "settings.json"),
        (Scope::Local, "settings.local.json"),
    ],
    toml_file: None,
    home_file: Some(".claude.json"),
    plugins_file: Some("plugins/installed_plugins.json"),
    syntax: JsonSyntax::Strict,
    unit: TimeUnit::Seconds,
    timeout_limits: &[],
    args_since: Some([2, 1, 139]),
    handler_name: None,
    gate: Some(GateField { key: "onFailure", value: "block", since: [2, 1, 295] }),
    enable: None,
    off_switch: Some("disableAllHooks"),
    only_keys: None,
    not_events: &[],
    strict_matcher: true,
    advice: None,
};
