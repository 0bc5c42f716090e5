//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, JsonSyntax, Scope, TimeUnit};
use crate::agents::mcp::{McpFile, McpFiles, McpFormat};

pub(super) const FILES: AgentFiles = AgentFiles {
    other_hook_files: &[("gemini-cli", "settings.json")],
    settings_variables: &["GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"],
    memory_file: Some("GEMINI.md"),
    mcp: Some(McpFiles {
        files: &[
            (Scope::User, McpFile::InFolder("settings.json")),
            (Scope::Project, McpFile::InFolder("settings.json")),
        ],
        format: McpFormat::Json { syntax: JsonSyntax::Comments, kind: None },
    }),
    plugin: Some(super::plugin::files),
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
    handler_name: Some("sprag"),
    enable: Some(("hooksConfig", "enabled")),
    // Before `hooksConfig` existed these lived among the events.
    not_events: &["enabled", "disabled", "notifications"],
    advice: Some(
        "Gemini CLI runs no hooks in a folder that it does not trust: answer its question about the folder, or \
         use /permissions.",
    ),
    sandbox_advice: Some(
        "Gemini CLI confines commands only when it is started with `--sandbox` (Docker, Podman or macOS).",
    ),
    ..AgentFiles::plain(AgentId::Gemini, ".gemini", FolderVariable::Home("GEMINI_CLI_HOME"))
};
