//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GateField, GuardChange, GuardKey, JsonSyntax, Scope};
use crate::agents::mcp::{McpFile, McpFiles, McpFormat};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[
        (Scope::User, "settings.json"),
        (Scope::Project, "settings.json"),
        (Scope::Local, "settings.local.json"),
    ],
    other_hook_files: &[
        (".claude", "hooks"),
        ("claude-code", "managed-settings.json"),
        ("ClaudeCode", "managed-settings.json"),
    ],
    home_file: Some(".claude.json"),
    plugins_file: Some("plugins/installed_plugins.json"),
    memory_file: Some("CLAUDE.md"),
    mcp: Some(McpFiles {
        files: &[
            (Scope::User, McpFile::InHome(".claude.json")),
            (Scope::Project, McpFile::InRoot(".mcp.json")),
        ],
        format: McpFormat::Json { syntax: JsonSyntax::Strict, kind: Some("stdio") },
    }),
    plugin: Some(|parts| {
        let mut files = super::plugin::files(parts);
        files.push(super::plugin::marketplace(parts));
        files
    }),
    guard_keys: &[
        GuardKey::any("hooks"),
        GuardKey::any("disableAllHooks"),
        GuardKey::any("allowManagedHooksOnly"),
        GuardKey::any("allowedHttpHookUrls"),
        GuardKey::any("httpHookAllowedEnvVars"),
        GuardKey::less("permissions.deny"),
        GuardKey::less("permissions.ask"),
        GuardKey::less("permissions.disableBypassPermissionsMode"),
        GuardKey::to("permissions.defaultMode", &["bypassPermissions", "dontAsk", "auto"]),
        GuardKey::any("skipDangerousModePermissionPrompt"),
        GuardKey::any("sandbox"),
        // Plugins bring hooks of their own, and sprag may be one.
        GuardKey::any("enabledPlugins"),
        // Programs that it starts without asking its hooks.
        GuardKey::any("apiKeyHelper"),
        GuardKey::any("awsAuthRefresh"),
        GuardKey::any("awsCredentialExport"),
        GuardKey::any("otelHeadersHelper"),
        GuardKey { path: "statusLine", when: GuardChange::Ours },
    ],
    args_since: Some([2, 1, 139]),
    status_line: Some("statusLine"),
    gate: Some(GateField { key: "onFailure", value: "block", since: [2, 1, 295] }),
    off_switch: Some("disableAllHooks"),
    strict_matcher: true,
    ..AgentFiles::plain(AgentId::Claude, ".claude", FolderVariable::Folder("CLAUDE_CONFIG_DIR"))
};
