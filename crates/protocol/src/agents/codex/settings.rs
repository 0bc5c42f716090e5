//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, Scope, TomlFile};
use crate::agents::mcp::{McpFile, McpFiles, McpFormat};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "hooks.json"), (Scope::Project, "hooks.json")],
    toml_file: Some(TomlFile { name: "config.toml", features: &["hooks", "codex_hooks"] }),
    other_hook_files: &[("codex", "managed_config.toml"), ("codex", "requirements.toml")],
    memory_file: Some("AGENTS.md"),
    mcp: Some(McpFiles {
        files: &[
            (Scope::User, McpFile::InFolder("config.toml")),
            (Scope::Project, McpFile::InFolder("config.toml")),
        ],
        format: McpFormat::Toml,
    }),
    plugin: Some(super::plugin::files),
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
    timeout_limits: &[("SessionEnd", 3)],
    only_keys: Some(&["description", "hooks"]),
    advice: Some(
        "Codex runs a new or changed hook only after you trust it: start codex, type /hooks, and approve the \
         sprag entries (a project's hooks also need the project to be trusted).",
    ),
    ..AgentFiles::plain(AgentId::Codex, ".codex", FolderVariable::Folder("CODEX_HOME"))
};
