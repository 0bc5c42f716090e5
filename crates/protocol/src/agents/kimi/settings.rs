//! Its settings file: hooks are tables of a TOML file.

use crate::agents::AgentId;
use crate::agents::files::{AgentFiles, BlockLayout, FolderVariable, GuardKey, Hookup, Layout, Scope};
use std::fmt::Write as _;

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "config.toml")],
    layout: Layout::Block(BlockLayout {
        comment: "#",
        head: "",
        script_per_event: false,
        // An inline list of hooks cannot be continued by tables.
        key: Some("hooks ="),
        body,
    }),
    guard_keys: &[GuardKey::any("hooks")],
    ..AgentFiles::plain(AgentId::Kimi, ".kimi-code", FolderVariable::Folder("KIMI_CODE_HOME"))
};

/// It takes 1 to 600 seconds.
const MAX_TIMEOUT: u64 = 600;

fn body(hookup: &Hookup<'_>) -> String {
    let mut out = String::new();
    for (event, timeout) in hookup.events {
        let command = serde_json::Value::from(hookup.line);
        let timeout = timeout.clamp(&1, &MAX_TIMEOUT);
        let _ = writeln!(out, "[[hooks]]\nevent = \"{event}\"\ncommand = {command}\ntimeout = {timeout}\n");
    }
    out
}
