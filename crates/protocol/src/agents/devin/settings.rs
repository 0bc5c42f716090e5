//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, Scope};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "config.json")],
    reads_canonical_files: true,
    other_hook_files: &[(".devin", "hooks.v1.json"), (".devin", "config.json")],
    guard_keys: &[GuardKey::any("hooks"), GuardKey::less("permissions.deny")],
    ..AgentFiles::plain(AgentId::Devin, ".config/devin", FolderVariable::Folder("DEVIN_CONFIG_DIR"))
};
