//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, Scope};

pub(super) const FILES: AgentFiles = AgentFiles {
    // A file of its own in the folder of hooks: the settings are one object that a wrong entry spoils whole.
    files: &[(Scope::User, "hooks/sprag.json")],
    // Its own settings, in which every hook can be switched off.
    other_hook_files: &[(".copilot", "config.json"), (".copilot", "settings.json")],
    reads_canonical_files: true,
    guard_keys: &[GuardKey::any("hooks"), GuardKey::any("disableAllHooks"), GuardKey::any("trustedFolders")],
    off_switch: Some("disableAllHooks"),
    ..AgentFiles::plain(AgentId::Copilot, ".copilot", FolderVariable::Folder("COPILOT_HOME"))
};
