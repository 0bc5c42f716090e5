//! Its settings file: hooks are a part of a YAML file.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, BlockLayout, FolderVariable, GuardKey, Hookup, Layout, Scope};
use std::fmt::Write as _;

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "config.yaml")],
    layout: Layout::Block(BlockLayout {
        comment: "#",
        head: "",
        script_per_event: false,
        key: Some("hooks:"),
        body,
    }),
    guard_keys: &[GuardKey::any("hooks")],
    advice: Some(
        "Hermes asks once for each event whether it may run the hook; without a terminal it needs --accept-hooks.",
    ),
    ..AgentFiles::plain(AgentId::Hermes, ".hermes", FolderVariable::Folder("HERMES_HOME"))
};

fn body(hookup: &Hookup<'_>) -> String {
    // It starts the program itself: no shell reads the line.
    let words = std::iter::once(hookup.exe).chain(hookup.args.iter().map(String::as_str));
    let line: Vec<String> = words.map(crate::tool::quoted).collect();
    let command = serde_json::Value::from(line.join(" "));
    let mut out = String::from("hooks:\n");
    for (event, timeout) in hookup.events {
        let _ = writeln!(out, "  {event}:\n    - command: {command}\n      timeout: {timeout}");
    }
    out
}
