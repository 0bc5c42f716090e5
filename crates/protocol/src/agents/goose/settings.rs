//! A plugin's file of hooks: a folder with this file is a plugin.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, Scope};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[
        (Scope::User, "plugins/sprag/hooks/hooks.json"),
        (Scope::Project, "plugins/sprag/hooks/hooks.json"),
    ],
    guard_keys: &[GuardKey::any("hooks")],
    // `~/.agents` belongs to several programs.
    ..AgentFiles::plain(AgentId::Goose, ".agents", FolderVariable::Folder("GOOSE_AGENTS_DIR"))
};
