//! Its settings file: handlers without groups or timeouts.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FlatLayout, FolderVariable, GuardKey, Layout, Scope};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "hooks.json")],
    layout: Layout::Flat(FlatLayout { version: None, timeout: false }),
    other_hook_files: &[(".windsurf", "hooks.json")],
    guard_keys: &[GuardKey::any("hooks")],
    ..AgentFiles::plain(AgentId::Windsurf, ".codeium/windsurf", FolderVariable::Folder("WINDSURF_CONFIG_DIR"))
};
