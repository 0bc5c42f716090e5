//! Hooks that an agent reads from a TOML file too. It is only read here: the user wrote it, the user edits it.
//! Its content decides whether the JSON file is needed, and what to warn about. Text in, facts out: no I/O.

use sprag_protocol::agents::files::{AgentFiles, TomlFile};
use std::path::Path;
use toml::{Table, Value};

/// What a TOML file says about hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TomlHooks {
    /// Events that have an entry of sprag there.
    pub ours: Vec<String>,
    /// There are entries of others.
    pub foreign: bool,
    /// The `hooks` feature is switched off.
    pub off: bool,
}

/// Why a TOML file could not be read. An error of its owner's that deploy only reports.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} is not valid TOML ({message})")]
pub struct InvalidToml {
    /// The file's name.
    pub file: &'static str,
    /// What the parser said, in one line.
    pub message: String,
}

impl TomlHooks {
    /// What the owner of the file should know, one sentence each.
    pub fn warnings(&self, agent: &AgentFiles, toml: TomlFile, json: &Path) -> Vec<String> {
        let (title, toml) = (agent.title(), toml.name);
        let json = json.file_name().unwrap_or_default().display();
        let mut warnings = Vec::new();
        if self.off {
            warnings.push(format!(
                "{toml} switches hooks off (features.hooks = false): {title} runs none until you remove it"
            ));
        }
        if !self.ours.is_empty() {
            warnings.push(format!("{toml} has entries of sprag: keep them in one place, {toml} or {json}"));
        } else if self.foreign {
            warnings.push(format!("{toml} has hooks too: {title} runs both files and says so at its start"));
        }
        warnings
    }
}

/// Reads the hooks of a TOML file; `is_ours` tells whether a command is one of sprag.
pub fn toml_hooks(
    text: &str,
    file: TomlFile,
    is_ours: impl Fn(&str) -> bool,
) -> Result<TomlHooks, InvalidToml> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| InvalidToml {
        file: file.name,
        message: error.message().trim().to_owned(),
    })?;
    let mut hooks = TomlHooks::default();
    let features = table.get("features").and_then(Value::as_table);
    hooks.off = file
        .features
        .iter()
        .any(|key| features.and_then(|features| features.get(*key)).and_then(Value::as_bool) == Some(false));
    for (event, groups) in table.get("hooks").and_then(Value::as_table).into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            for handler in group.get("hooks").and_then(Value::as_array).into_iter().flatten() {
                let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
                if !is_ours(command) {
                    hooks.foreign = true;
                } else if !hooks.ours.contains(event) {
                    hooks.ours.push(event.clone());
                }
            }
        }
    }
    Ok(hooks)
}
