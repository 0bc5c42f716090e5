//! A file of hooks that is sprag's alone.

use crate::agents::AgentId;
use crate::agents::files::{
    AgentFiles, FolderVariable, FoundHandler, GuardKey, Hookup, Layout, MemberLayout, Scope,
};
use serde_json::{Value, json};

pub(super) const FILES: AgentFiles = AgentFiles {
    files: &[(Scope::User, "hooks/sprag.json"), (Scope::Project, "hooks/sprag.json")],
    layout: Layout::Member(MemberLayout { key: None, value, read }),
    guard_keys: &[GuardKey::any("hooks")],
    ..AgentFiles::plain(AgentId::Kiro, ".kiro", FolderVariable::Folder("KIRO_HOME"))
};

fn value(hookup: &Hookup<'_>) -> Value {
    let hook = |(event, timeout): &(&str, u64)| {
        json!({
            "name": format!("sprag {event}"), "trigger": event,
            "action": {"type": "command", "command": hookup.line}, "timeout": timeout, "enabled": true,
        })
    };
    json!({"version": "v1", "hooks": hookup.events.iter().map(hook).collect::<Vec<_>>()})
}

fn read(value: &Value) -> Vec<FoundHandler> {
    let hooks = value.get("hooks").and_then(Value::as_array).into_iter().flatten();
    hooks
        .filter_map(|hook| {
            let command = hook.get("action")?.get("command")?.as_str()?;
            let event = hook.get("trigger")?.as_str()?;
            Some((event.to_owned(), command.to_owned(), hook.get("timeout").and_then(Value::as_u64)))
        })
        .collect()
}
