//! Its settings file: an object of named hooks; one of them is sprag's.

use crate::agents::AgentId;
use crate::agents::files::{
    AgentFiles, FolderVariable, FoundHandler, GuardKey, Hookup, Layout, MemberLayout, Scope,
};
use serde_json::{Map, Value, json};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "hooks.json")],
    layout: Layout::Member(MemberLayout { key: Some("sprag"), value, read }),
    other_hook_files: &[(".agents", "hooks.json"), (".agent", "hooks.json")],
    guard_keys: &[GuardKey::any("sprag")],
    ..AgentFiles::plain(AgentId::Antigravity, ".gemini/config", FolderVariable::Folder("AGY_CONFIG_DIR"))
};

fn value(hookup: &Hookup<'_>) -> Value {
    let mut events = Map::new();
    for (event, timeout) in hookup.events {
        let handler = json!({"type": "command", "command": hookup.line, "timeout": timeout});
        // Around tools a handler is in a group.
        let entry =
            if event.ends_with("ToolUse") { json!({"matcher": "*", "hooks": [handler]}) } else { handler };
        events.insert((*event).to_owned(), json!([entry]));
    }
    Value::Object(events)
}

fn read(value: &Value) -> Vec<FoundHandler> {
    let events = value.as_object().into_iter().flatten();
    events
        .flat_map(|(event, entries)| {
            entries.as_array().into_iter().flatten().map(move |entry| (event, entry))
        })
        .filter_map(|(event, entry)| {
            let handler = entry.get("hooks").and_then(|hooks| hooks.get(0)).unwrap_or(entry);
            let command = handler.get("command")?.as_str()?;
            Some((event.clone(), command.to_owned(), handler.get("timeout").and_then(Value::as_u64)))
        })
        .collect()
}
