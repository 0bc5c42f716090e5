//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, JsonSyntax, Scope, TimeUnit};
use crate::agents::mcp::{McpFile, McpFiles, McpFormat};

pub(super) const FILES: AgentFiles = AgentFiles {
    settings_variables: &["QWEN_CODE_SYSTEM_SETTINGS_PATH"],
    memory_file: Some("QWEN.md"),
    mcp: Some(McpFiles {
        files: &[
            (Scope::User, McpFile::InFolder("settings.json")),
            (Scope::Project, McpFile::InFolder("settings.json")),
        ],
        format: McpFormat::Json { syntax: JsonSyntax::Comments, kind: None },
    }),
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
    handler_name: Some("sprag"),
    off_switch: Some("disableAllHooks"),
    not_events: &["enabled", "disabled", "notifications"],
    ..AgentFiles::plain(AgentId::Qwen, ".qwen", FolderVariable::Folder("QWEN_HOME"))
};
