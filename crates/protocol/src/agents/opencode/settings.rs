//! Its plugins: JavaScript that sprag writes.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, BlockLayout, FolderVariable, Hookup, Layout, Scope};
use serde_json::Value;

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "plugins/sprag.js")],
    layout: Layout::Block(BlockLayout {
        comment: "//",
        head: "",
        script_per_event: false,
        key: None,
        body: |hookup| plugin("opencode", hookup),
    }),
    ..AgentFiles::plain(AgentId::Opencode, ".config/opencode", FolderVariable::Folder("OPENCODE_CONFIG_DIR"))
};

/// The plugin for an agent that loads OpenCode's plugins.
pub(in crate::agents) fn plugin(agent: &str, hookup: &Hookup<'_>) -> String {
    let words = std::iter::once(hookup.exe).chain(hookup.args.iter().map(String::as_str));
    let command: Value = words.collect();
    let timeouts: Value =
        hookup.events.iter().map(|(event, timeout)| ((*event).to_owned(), Value::from(*timeout))).collect();
    include_str!("plugin.js")
        .replace("\"__COMMAND__\"", &command.to_string())
        .replace("\"__TIMEOUTS__\"", &timeouts.to_string())
        .replace("__AGENT__", agent)
}
