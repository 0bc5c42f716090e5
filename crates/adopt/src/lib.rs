//! Takes over the hooks that the agents' settings have now, and settings of other hook tools: [`look`] says what there is,
//! [`write()`] puts it into sprag's configuration. The agents' own files are `deploy`'s.

mod agents;
mod tools;

use sprag_base::files;
use sprag_config::ConfigError;
use sprag_config::edit::{EditError, edit, push_once, subtable};
use sprag_config::host::Host;
use sprag_deploy::ImportedHook;
use sprag_project::Project;
use sprag_protocol::{AgentId, EventKind};
use std::path::PathBuf;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

/// Why nothing was taken over.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// What would be written is not a configuration.
    #[error("the import would break the configuration: {0}")]
    Invalid(ConfigError),
    /// A configuration file could not be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl AdoptError {
    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "nothing was changed",
            Self::Edit(error) => error.hint(),
            Self::Io(_) => "check that the folder is yours and the disk is not full",
        }
    }
}

/// A hook that becomes an own hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OwnHook {
    name: String,
    command: Vec<String>,
    matcher: Option<String>,
    timeout_ms: Option<u32>,
    background: bool,
    gate: bool,
    env: Vec<(String, String)>,
}

impl OwnHook {
    /// The same but for its name.
    fn is_like(&self, other: &Self) -> bool {
        Self { name: String::new(), ..self.clone() } == Self { name: String::new(), ..other.clone() }
    }
}

/// A setting of sprag's configuration.
#[derive(Debug)]
struct Setting {
    /// The table: one or two names.
    table: Vec<String>,
    key: &'static str,
    value: NewValue,
}

#[derive(Debug)]
enum NewValue {
    Set(Value),
    /// Texts for a list.
    Add(Vec<String>),
    /// An entry for a list of tables.
    Row(InlineTable),
}

/// Everything that was found, in order.
#[derive(Debug, Default)]
pub struct AdoptFindings {
    hooks: Vec<(OwnHook, Vec<AgentId>, Vec<EventKind>)>,
    /// For the user's configuration.
    settings: Vec<Setting>,
    /// For the project's.
    project_settings: Vec<Setting>,
    /// A file of the project, and lines for it.
    lines: Option<(PathBuf, Vec<String>)>,
    imported: Vec<ImportedHook>,
    /// Agents whose settings change.
    pub agents: Vec<AgentId>,
    /// What is taken over, one line each.
    pub taken: Vec<String>,
    /// What is left, and why, one line each.
    pub left: Vec<String>,
}

/// Looks for what can be taken over. Nothing is changed.
pub fn look(host: &Host, project: &Project) -> AdoptFindings {
    let mut found = AdoptFindings::default();
    agents::find(host, project, &mut found);
    found.join_agents();
    tools::find(host, project, &mut found);
    found
}

impl AdoptFindings {
    /// Whether the project's own configuration would change.
    pub fn has_project_settings(&self) -> bool {
        !self.project_settings.is_empty()
    }

    /// Adds a hook to an event; one that is the same for the same agent is shared, one of the same name gets another.
    fn hook(&mut self, host: &Host, mut hook: OwnHook, agent: Option<AgentId>, kind: EventKind) -> String {
        let agents: Vec<AgentId> = agent.into_iter().collect();
        let same = |(known, of, _): &&mut (OwnHook, Vec<AgentId>, Vec<EventKind>)| {
            known.is_like(&hook) && *of == agents
        };
        if let Some((known, _, kinds)) = self.hooks.iter_mut().find(same) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
            return known.name.clone();
        }
        let configured = configured_hooks(host);
        let base = hook.name.clone();
        let taken = |name: &str| {
            host.hook(name).is_some()
                || configured.iter().any(|known| known == name)
                || self.hooks.iter().any(|(known, ..)| known.name == name)
        };
        let mut number = 1;
        while taken(&hook.name) {
            number += 1;
            hook.name = format!("{base}-{number}");
        }
        let name = hook.name.clone();
        self.hooks.push((hook, agents, vec![kind]));
        name
    }

    /// Makes one of hooks that several agents had on the same events.
    fn join_agents(&mut self) {
        let mut joined: Vec<(OwnHook, Vec<AgentId>, Vec<EventKind>)> = Vec::new();
        for (hook, agents, kinds) in std::mem::take(&mut self.hooks) {
            let same = joined.iter_mut().find(|(known, _, on)| known.is_like(&hook) && *on == kinds);
            match same {
                Some((known, of, _)) => {
                    of.extend(agents);
                    for entry in self.imported.iter_mut().filter(|entry| entry.hook == hook.name) {
                        entry.hook.clone_from(&known.name);
                    }
                }
                None => joined.push((hook, agents, kinds)),
            }
        }
        self.hooks = joined;
    }
}

/// The hooks that the user's configuration has a table for.
fn configured_hooks(host: &Host) -> Vec<String> {
    let text = files::read_text(host.paths.config_file(), 1 << 20).unwrap_or_default();
    let document = text.parse::<DocumentMut>().unwrap_or_default();
    let hooks = document.get("hook").and_then(Item::as_table_like);
    hooks
        .into_iter()
        .flat_map(|hooks| hooks.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>())
        .collect()
}

/// Writes sprag's configuration; one that is no longer valid is put back.
pub fn write(host: &Host, project: &Project, found: &AdoptFindings) -> Result<(), AdoptError> {
    let file = host.paths.config_file();
    let before = files::read_text(&file, 1 << 20).ok();
    edit(&file, |document| {
        for (hook, agents, kinds) in &found.hooks {
            own_hook(document, hook, agents, kinds);
        }
        for setting in &found.settings {
            set(document, setting);
        }
    })?;
    if let Some(error) = sprag_config::load(host, &Project::default()).errors.first() {
        let error = AdoptError::Invalid(error.clone());
        match before {
            Some(text) => files::write_durable(&file, text.as_bytes())?,
            None => files::remove(&file)?,
        }
        return Err(error);
    }
    if !found.project_settings.is_empty() {
        edit(&project.root.join(".sprag/config.toml"), |document| {
            for setting in &found.project_settings {
                set(document, setting);
            }
        })?;
    }
    if let Some((file, lines)) = &found.lines {
        let mut text = files::read_text(file, 1 << 20).unwrap_or_default();
        let missing: Vec<&String> =
            lines.iter().filter(|line| !text.lines().any(|known| known == *line)).collect();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for line in missing {
            text.push_str(line);
            text.push('\n');
        }
        files::write_plain(file, text.as_bytes())?;
    }
    let mut imported = sprag_deploy::imported(&host.paths);
    imported.extend(found.imported.iter().cloned());
    if !found.imported.is_empty() {
        sprag_deploy::set_imported(&host.paths, &imported)?;
    }
    Ok(())
}

fn own_hook(document: &mut DocumentMut, hook: &OwnHook, agents: &[AgentId], kinds: &[EventKind]) {
    for kind in kinds {
        if let Some(table) = subtable(document, "hooks", kind.config_name()) {
            push_once(table, "append", &hook.name);
        }
    }
    let Some(table) = subtable(document, "hook", &hook.name) else { return };
    let list = |words: Vec<&str>| value(words.into_iter().collect::<Array>());
    table.insert("command", list(hook.command.iter().map(String::as_str).collect()));
    if !agents.is_empty() {
        table.insert("agents", list(agents.iter().map(|agent| agent.name()).collect()));
    }
    if let Some(matcher) = &hook.matcher {
        table.insert("matcher", value(matcher));
    }
    if let Some(timeout) = hook.timeout_ms {
        table.insert("timeout_ms", value(i64::from(timeout)));
    }
    if hook.background {
        table.insert("background", value(true));
    }
    if hook.gate {
        table.insert("on_error", value("closed"));
    }
    if !hook.env.is_empty() {
        let env: InlineTable = hook.env.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        table.insert("env", value(env));
    }
}

fn set(document: &mut DocumentMut, setting: &Setting) {
    let table = match setting.table.as_slice() {
        [outer, inner] => subtable(document, outer, inner),
        [outer] => document.entry(outer).or_insert_with(toml_edit::table).as_table_mut(),
        _ => None,
    };
    let Some(table) = table else { return };
    match &setting.value {
        NewValue::Set(new) => {
            table.insert(setting.key, value(new.clone()));
        }
        NewValue::Add(texts) => {
            for text in texts {
                push_once(table, setting.key, text);
            }
        }
        NewValue::Row(row) => {
            match table.entry(setting.key).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
                Item::ArrayOfTables(rows) => {
                    let row: Table = row.clone().into_table();
                    if !rows.iter().any(|known| known.to_string() == row.to_string()) {
                        rows.push(row);
                    }
                }
                other => {
                    if let Some(rows) = other.as_array_mut() {
                        rows.push(row.clone());
                    }
                }
            }
        }
    }
}
