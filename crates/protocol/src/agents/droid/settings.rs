//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, JsonSyntax, Scope};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[
        (Scope::User, "settings.json"),
        (Scope::Project, "settings.json"),
        (Scope::Local, "settings.local.json"),
    ],
    memory_file: Some("AGENTS.md"),
    syntax: JsonSyntax::Comments,
    guard_keys: &[
        GuardKey::any("hooks"),
        GuardKey::any("hooksDisabled"),
        GuardKey::less("commandDenylist"),
        GuardKey::any("enableDroidShield"),
    ],
    off_switch: Some("hooksDisabled"),
    ..AgentFiles::plain(AgentId::Droid, ".factory", FolderVariable::Home("FACTORY_HOME_OVERRIDE"))
};
