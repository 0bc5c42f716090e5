//! Its settings file: handlers without groups, and a version.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FlatLayout, FolderVariable, GuardKey, Layout, Scope};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "hooks.json"), (Scope::Project, "hooks.json")],
    layout: Layout::Flat(FlatLayout { version: Some(1), timeout: true }),
    reads_canonical_files: true,
    guard_keys: &[GuardKey::any("hooks")],
    ..AgentFiles::plain(AgentId::Cursor, ".cursor", FolderVariable::Folder("CURSOR_CONFIG_DIR"))
};
