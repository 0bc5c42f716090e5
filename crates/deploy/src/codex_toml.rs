//! Codex keeps hooks in `config.toml` too. It is only read here: the user wrote it, the user edits it.
//! What stands there decides whether `hooks.json` is needed, and what to warn about.

use std::path::Path;

use toml::{Table, Value};

use super::command::Command;

/// What `config.toml` says about hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TomlHooks {
    /// Events that have an entry of ours there.
    pub ours: Vec<String>,
    /// There are entries of others.
    pub foreign: bool,
    /// The `hooks` feature is switched off.
    pub off: bool,
}

/// Reads the hooks of a `config.toml`. A file that is not TOML is an error of Codex's, said in one line.
pub fn toml_hooks(text: &str, exe: Option<&Path>) -> Result<TomlHooks, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let mut found = TomlHooks::default();
    let features = table.get("features").and_then(Value::as_table);
    // The second name is the older one.
    found.off = ["hooks", "codex_hooks"]
        .iter()
        .any(|key| features.and_then(|features| features.get(*key)).and_then(Value::as_bool) == Some(false));
    for (event, groups) in table.get("hooks").and_then(Value::as_table).into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            for handler in group.get("hooks").and_then(Value::as_array).into_iter().flatten() {
                let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
                if Command::recognise(command, None, exe).is_none() {
                    found.foreign = true;
                } else if !found.ours.contains(event) {
                    found.ours.push(event.clone());
                }
            }
        }
    }
    Ok(found)
}
