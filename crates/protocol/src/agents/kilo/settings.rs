//! Its plugins: OpenCode's.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, BlockLayout, FolderVariable, Layout, Scope};
use crate::agents::opencode::plugin;

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "plugins/sprag.js")],
    layout: Layout::Block(BlockLayout {
        comment: "//",
        head: "",
        script_per_event: false,
        key: None,
        body: |hookup| plugin("kilo", hookup),
    }),
    ..AgentFiles::plain(AgentId::Kilo, ".config/kilo", FolderVariable::Folder("KILO_CONFIG_DIR"))
};
