//! Its settings files.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, FolderVariable, GuardKey, Scope, TimeUnit};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[
        (Scope::User, "settings.json"),
        (Scope::Project, "settings.json"),
        (Scope::Local, "settings.local.json"),
    ],
    guard_keys: &[GuardKey::any("hooks"), GuardKey::any("toolPermissions")],
    unit: TimeUnit::Millis,
    args_since: Some([0, 36, 0]),
    // It reads one event that it does not know as a broken file.
    not_events: &[],
    ..AgentFiles::plain(AgentId::Auggie, ".augment", FolderVariable::Folder("AUGMENT_CACHE_DIR"))
};
