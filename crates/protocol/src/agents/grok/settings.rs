//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, Scope};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "hooks/sprag.json"), (Scope::Project, "hooks/sprag.json")],
    reads_canonical_files: true,
    guard_keys: &[GuardKey::any("hooks")],
    ..AgentFiles::plain(AgentId::Grok, ".grok", FolderVariable::Folder("GROK_HOME"))
};
