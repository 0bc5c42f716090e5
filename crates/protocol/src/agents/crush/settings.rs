//! Its settings file: handlers without groups, among everything else that it is told.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FlatLayout, FolderVariable, GuardKey, Layout, Scope};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "crush.json")],
    layout: Layout::Flat(FlatLayout { version: None, timeout: true }),
    guard_keys: &[GuardKey::any("hooks"), GuardKey::any("permissions.allowed_tools")],
    ..AgentFiles::plain(AgentId::Crush, ".config/crush", FolderVariable::Folder("CRUSH_GLOBAL_CONFIG"))
};
