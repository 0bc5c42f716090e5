//! Its plugins: TypeScript that sprag writes.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, BlockLayout, FolderVariable, Hookup, Layout, Scope};
use serde_json::Value;

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "plugins/sprag.ts")],
    layout: Layout::Block(BlockLayout {
        comment: "//",
        head: "",
        script_per_event: false,
        key: None,
        body: plugin,
    }),
    ..AgentFiles::plain(AgentId::Amp, ".config/amp", FolderVariable::Folder("AMP_CONFIG_DIR"))
};

fn plugin(hookup: &Hookup<'_>) -> String {
    let words = std::iter::once(hookup.exe).chain(hookup.args.iter().map(String::as_str));
    let command: Value = words.collect();
    let timeouts = hookup.events.iter().map(|(event, timeout)| ((*event).to_owned(), Value::from(*timeout)));
    include_str!("plugin.ts")
        .replace("\"__COMMAND__\"", &command.to_string())
        .replace("\"__TIMEOUTS__\"", &timeouts.collect::<Value>().to_string())
}
