//! Its extensions: JavaScript that sprag writes.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, BlockLayout, FolderVariable, Hookup, Layout, Scope};
use serde_json::Value;

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "extensions/sprag.js")],
    layout: Layout::Block(BlockLayout {
        comment: "//",
        head: "",
        script_per_event: false,
        key: None,
        body: extension,
    }),
    ..AgentFiles::plain(AgentId::Pi, ".pi/agent", FolderVariable::Folder("PI_CODING_AGENT_DIR"))
};

fn extension(hookup: &Hookup<'_>) -> String {
    let words = std::iter::once(hookup.exe).chain(hookup.args.iter().map(String::as_str));
    let command: Value = words.collect();
    let timeouts = hookup.events.iter().map(|(event, timeout)| ((*event).to_owned(), Value::from(*timeout)));
    include_str!("extension.js")
        .replace("\"__COMMAND__\"", &command.to_string())
        .replace("\"__TIMEOUTS__\"", &timeouts.collect::<Value>().to_string())
}
