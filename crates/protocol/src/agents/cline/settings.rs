//! Its hooks: executable files in a folder, named after their events.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, BlockLayout, FolderVariable, Hookup, Layout, Scope};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "hooks"), (Scope::Project, "hooks")],
    layout: Layout::Block(BlockLayout {
        comment: "#",
        head: "#!/bin/sh\n",
        script_per_event: true,
        // Two hooks cannot share a file: the first would take the payload.
        key: Some(""),
        body: |hookup: &Hookup<'_>| format!("{}\n", hookup.line),
    }),
    ..AgentFiles::plain(AgentId::Cline, ".cline", FolderVariable::Folder("CLINE_DIR"))
};
