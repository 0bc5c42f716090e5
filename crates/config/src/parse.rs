//! A configuration file's text to a [`Layer`]. Strict: an unknown key is an error with its line and the
//! nearest known key.

use super::schema::{
    self, ChainSettings, CommonHookSettings, ExternalHookSettings, ProfileSettings, SECTIONS,
};
use super::typed;
use crate::settings::{Setting, SettingKind, Settings, Texts, Value};
use crate::spec::{HookSpec, Preset};
use crate::trial;
use sprag_protocol::EventKind;
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item, TableLike};

/// An error in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {what}", file.display())]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub hint: String,
}

/// What a file says about one event's chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainEdit {
    /// Replaces the chain.
    pub scripts: Option<Vec<String>>,
    /// Goes before it.
    pub prepend: Vec<String>,
    /// Goes after it.
    pub append: Vec<String>,
}

/// One file, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Where it came from.
    pub file: PathBuf,
    /// The preset that it names.
    pub preset: Option<Preset>,
    /// Bundles and hooks that it switches on.
    pub enable: Vec<String>,
    /// Bundles and hooks that it switches off.
    pub disable: Vec<String>,
    /// The trial, as it is written.
    pub trial: Option<String>,
    /// Its chains.
    pub chains: Vec<(EventKind, ChainEdit)>,
    /// Its `[hook.<name>]` tables.
    pub hooks: Vec<(String, Settings)>,
    /// Its sections with fixed keys.
    pub sections: Vec<(&'static str, Settings)>,
    /// Its profiles.
    pub profiles: Vec<(String, Settings)>,
    /// It is a managed policy: its hooks are on, whatever the other layers say.
    pub required: bool,
}

impl Layer {
    /// What it says about one hook.
    pub fn hook(&self, name: &str) -> Option<&Settings> {
        self.hooks.iter().find(|(hook, _)| hook == name).map(|(_, settings)| settings)
    }
}

/// Reads a file's text. Everything that is right is kept, so that one typo names one line, not the whole file.
pub fn parse(text: &str, file: &Path, builtins: &'static [&'static HookSpec]) -> (Layer, Vec<ConfigError>) {
    let mut reader = Reader {
        text,
        file,
        builtins,
        errors: Vec::new(),
        layer: Layer { file: file.into(), ..Layer::default() },
    };
    match Document::parse(text) {
        Ok(document) => reader.root(document.as_table()),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let what = error.message().lines().next().unwrap_or("not TOML").to_owned();
            reader.fault(at, format!("not valid TOML: {what}"), "fix the line".into());
        }
    }
    (reader.layer, reader.errors)
}

/// The keys of the file that are no section with fixed keys.
const ROOT_KEYS: [&str; 8] = ["version", "preset", "enable", "disable", "trial", "hooks", "hook", "profiles"];

struct Reader<'a> {
    text: &'a str,
    file: &'a Path,
    builtins: &'static [&'static HookSpec],
    errors: Vec<ConfigError>,
    layer: Layer,
}

/// The byte where a key stands.
fn key_at(table: &dyn TableLike, key: &str) -> usize {
    table.get_key_value(key).and_then(|(key, _)| key.span()).map_or(0, |span| span.start)
}

impl Reader<'_> {
    fn fault(&mut self, at: usize, what: String, hint: String) {
        let line = self.text.get(..at).unwrap_or(self.text).matches('\n').count() + 1;
        self.errors.push(ConfigError { file: self.file.to_path_buf(), line, what, hint });
    }

    fn unknown(&mut self, at: usize, what: &str, name: &str, known: &[&str]) {
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", known.join(", ")),
        };
        self.fault(at, format!("unknown {what} `{name}`"), hint);
    }

    fn root(&mut self, root: &toml_edit::Table) {
        for (key, item) in root {
            let at = key_at(root, key);
            match key {
                "version" => {
                    if item.as_integer() != Some(1) {
                        self.fault(at, "`version` must be 1".into(), "this sprag reads version 1".into());
                    }
                }
                "preset" => match item.as_str() {
                    Some(name) => match Preset::from_name(name) {
                        Some(preset) => self.layer.preset = Some(preset),
                        None => self.unknown(at, "preset", name, &Preset::NAMES),
                    },
                    None => self.fault(
                        at,
                        "`preset` must be text".into(),
                        format!("one of: {}", Preset::NAMES.join(", ")),
                    ),
                },
                "enable" | "disable" => match to_value(item)
                    .map(|value| fitting(SettingKind::Texts(&[]), value))
                {
                    Some(Ok(names)) => {
                        let names = names.items().iter().filter_map(Value::as_text).map(str::to_owned);
                        let list =
                            if key == "enable" { &mut self.layer.enable } else { &mut self.layer.disable };
                        list.extend(names);
                    }
                    _ => self.fault(
                        at,
                        format!("`{key}` must be a list of bundles and hooks"),
                        format!("write {key} = [\"advice\"]; `sprag bundles` shows them"),
                    ),
                },
                "trial" => match item.as_str().filter(|text| trial::parse(text).is_some()) {
                    Some(text) => self.layer.trial = Some(text.to_owned()),
                    None => self.fault(
                        at,
                        "`trial` must be a duration, with or without its start".into(),
                        "write \"7d\", or \"7d since 2026-11-16\"".into(),
                    ),
                },
                "hooks" => self.chains(at, item),
                "hook" => self.hooks(at, item),
                "profiles" => self.profiles(at, item),
                _ => {
                    if let Some(section) = schema::section(key) {
                        let settings = self.table(at, item, &format!("[{key}]"), section.keys);
                        self.layer.sections.push((section.name, settings));
                    } else {
                        let mut known = ROOT_KEYS.to_vec();
                        known.extend(SECTIONS.iter().map(|section| section.name));
                        self.unknown(at, "key", key, &known);
                    }
                }
            }
        }
    }

    fn each<'t>(&mut self, at: usize, item: &'t Item, what: &str) -> Vec<(&'t dyn TableLike, String, usize)> {
        let Some(table) = item.as_table_like() else {
            self.fault(at, format!("`{what}` must be a table"), format!("write [{what}.<name>]"));
            return Vec::new();
        };
        let mut rows = Vec::new();
        for (name, item) in table.iter() {
            let at = key_at(table, name);
            match item.as_table_like() {
                Some(inner) => rows.push((inner, name.to_owned(), at)),
                None => self.fault(
                    at,
                    format!("`{what}.{name}` must be a table"),
                    format!("write [{what}.{name}]"),
                ),
            }
        }
        rows
    }

    fn chains(&mut self, at: usize, item: &Item) {
        for (table, name, at) in self.each(at, item, "hooks") {
            let Some(kind) = EventKind::from_any_name(&name) else {
                let known: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.config_name()).collect();
                self.unknown(at, "event", &name, &known);
                continue;
            };
            let settings = self.read(table, &format!("[hooks.{name}]"), ChainSettings::SETTINGS);
            let chain: ChainSettings<'_> = settings.read();
            let edit = ChainEdit {
                scripts: chain.scripts.map(Texts::to_owned_vec),
                prepend: chain.prepend.to_owned_vec(),
                append: chain.append.to_owned_vec(),
            };
            self.layer.chains.push((kind, edit));
        }
    }

    fn hooks(&mut self, at: usize, item: &Item) {
        for (table, name, _) in self.each(at, item, "hook") {
            let settings = self.read(table, &format!("[hook.{name}]"), &self.hook_keys(table, &name));
            if let Some(event) = typed::no_event(&settings).map(str::to_owned) {
                let known: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.config_name()).collect();
                self.unknown(key_at(table, typed::ALSO_ON), "event", &event, &known);
            }
            if let Some(matcher) = settings.read::<CommonHookSettings<'_>>().matcher
                && let Err(error) = sprag_pattern::Matcher::parse(matcher)
            {
                let at = key_at(table, "matcher");
                self.fault(
                    at,
                    format!("`matcher` is not a valid pattern: {error}"),
                    "fix it, or list names with |".into(),
                );
            }
            self.layer.hooks.push((name, settings));
        }
    }

    /// The keys that a hook's table may hold, by what the hook is.
    fn hook_keys(&self, table: &dyn TableLike, name: &str) -> Vec<Setting> {
        let builtins = self.builtins;
        let mut kind = Settings::default();
        if let Some(word) = table.get("type").and_then(Item::as_str) {
            kind.set("type", Value::Text(word.to_owned()));
        }
        let mut keys = CommonHookSettings::SETTINGS.to_vec();
        match (builtins.iter().find(|builtin| builtin.name == name), typed::behind(&kind, builtins)) {
            (Some(builtin), _) => keys.extend(builtin.settings),
            (None, Some(builtin)) => keys.extend(typed::keys().chain(builtin.settings)),
            (None, None) => keys.extend(ExternalHookSettings::SETTINGS),
        }
        keys
    }

    fn profiles(&mut self, at: usize, item: &Item) {
        for (table, name, _) in self.each(at, item, "profiles") {
            let settings = self.read(table, &format!("[profiles.{name}]"), ProfileSettings::SETTINGS);
            self.layer.profiles.push((name, settings));
        }
    }

    fn table(&mut self, at: usize, item: &Item, what: &str, keys: &[Setting]) -> Settings {
        if let Some(table) = item.as_table_like() {
            self.read(table, what, keys)
        } else {
            self.fault(at, format!("`{what}` must be a table"), format!("write {what}"));
            Settings::default()
        }
    }

    fn read(&mut self, table: &dyn TableLike, what: &str, keys: &[Setting]) -> Settings {
        let mut settings = Settings::default();
        for (key, item) in table.iter() {
            let at = key_at(table, key);
            let Some(setting) = keys.iter().find(|setting| setting.key == key) else {
                let known: Vec<&str> = keys.iter().map(|setting| setting.key).collect();
                self.unknown(at, &format!("key in {what}"), key, &known);
                continue;
            };
            match value_of(setting, item) {
                Ok(value) => settings.set(key, value),
                Err(wanted) => self.fault(
                    at,
                    format!("`{key}` in {what} must be {wanted}"),
                    format!("the default is {}", setting.default_text()),
                ),
            }
        }
        settings
    }
}

/// The value of a setting, or what it should have been.
fn value_of(setting: &Setting, item: &Item) -> Result<Value, String> {
    let value = to_value(item).ok_or_else(|| "a plain value".to_owned())?;
    fitting(setting.kind, value)
}

/// A value that is of its kind, or what it should have been.
fn fitting(kind: SettingKind, value: Value) -> Result<Value, String> {
    match (kind, value) {
        (SettingKind::Bool(_), value @ Value::Bool(_)) | (SettingKind::Text(_), value @ Value::Text(_)) => {
            Ok(value)
        }
        (SettingKind::Bool(_), _) => Err("true or false".into()),
        (SettingKind::Text(_), _) => Err("text".into()),
        (SettingKind::Int { min, .. }, Value::Int(number)) if number >= min => Ok(Value::Int(number)),
        (SettingKind::Int { min, .. }, _) => Err(format!("a whole number of at least {min}")),
        (SettingKind::Choice(words), Value::Text(word)) if words.contains(&word.as_str()) => {
            Ok(Value::Text(word))
        }
        (SettingKind::Choice(words), _) => Err(format!("one of: {}", words.join(", "))),
        // One text where a list is wanted is what people write; there is no second meaning.
        (SettingKind::Texts(_), Value::Text(text)) => Ok(Value::List(vec![Value::Text(text)])),
        (SettingKind::Texts(_), Value::List(items)) if items.iter().all(|item| item.as_text().is_some()) => {
            Ok(Value::List(items))
        }
        (SettingKind::Texts(_), _) => Err("a list of texts".into()),
        (SettingKind::Tables(keys), Value::List(items)) => {
            items.into_iter().map(|item| fitting_table(keys, item)).collect::<Result<_, _>>().map(Value::List)
        }
        (SettingKind::Tables(_), _) => Err("a list of tables".into()),
        (SettingKind::Map, Value::Table(entries)) => {
            match entries.iter().find(|(_, text)| text.as_text().is_none()) {
                Some((key, _)) => Err(format!("a table of texts; `{key}` is none")),
                None => Ok(Value::Table(entries)),
            }
        }
        (SettingKind::Map, _) => Err("a table of texts".into()),
    }
}

/// A table of a list with the keys that it may have.
fn fitting_table(keys: &[Setting], item: Value) -> Result<Value, String> {
    let Value::Table(entries) = item else { return Err("a list of tables".into()) };
    let mut table = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let Some(setting) = keys.iter().find(|setting| setting.key == key) else {
            let known: Vec<&str> = keys.iter().map(|setting| setting.key).collect();
            return Err(format!("a list of tables with the keys {}; `{key}` is none", known.join(", ")));
        };
        let value = fitting(setting.kind, value)
            .map_err(|wanted| format!("a list of tables in which `{key}` is {wanted}"))?;
        table.push((key, value));
    }
    Ok(Value::Table(table))
}

/// A TOML item as a value of ours; dates have no use here.
fn to_value(item: &Item) -> Option<Value> {
    if let Some(table) = item.as_table_like() {
        let entries = table.iter().map(|(key, item)| Some((key.to_owned(), to_value(item)?)));
        return entries.collect::<Option<Vec<_>>>().map(Value::Table);
    }
    if let Some(tables) = item.as_array_of_tables() {
        let items = tables.iter().map(|table| to_value(&Item::Table(table.clone())));
        return items.collect::<Option<Vec<_>>>().map(Value::List);
    }
    match item.as_value()? {
        toml_edit::Value::String(text) => Some(Value::Text(text.value().clone())),
        toml_edit::Value::Integer(number) => Some(Value::Int(*number.value())),
        toml_edit::Value::Float(number) => Some(Value::Float(*number.value())),
        toml_edit::Value::Boolean(on) => Some(Value::Bool(*on.value())),
        toml_edit::Value::Array(items) => {
            let items = items.iter().map(|value| to_value(&Item::Value(value.clone())));
            items.collect::<Option<Vec<_>>>().map(Value::List)
        }
        toml_edit::Value::Datetime(_) | toml_edit::Value::InlineTable(_) => None,
    }
}

/// The known name that a person most likely meant.
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_a_list_of_tables_is_named_with_its_key() {
        let fault = |text: &str| {
            let (_, errors) = parse(text, Path::new("config.toml"), &[]);
            errors.first().map(|error| format!("{}: {}", error.line, error.what)).unwrap_or_default()
        };
        assert_eq!(
            fault("[verify]\n[[verify.checkers]]\nname = \"x\"\nrole = \"compile\"\n"),
            "2: `checkers` in [verify] must be a list of tables in which `role` is one of: lint, build, syntax"
        );
        assert_eq!(
            fault("[knowledge]\nclassify_rules = [{ patern = \"x\" }]\n"),
            "2: `classify_rules` in [knowledge] must be a list of tables with the keys pattern, profile, session_type; \
             `patern` is none"
        );
        assert_eq!(
            fault("[hook.mine]\nenv = { PORT = 80 }\n"),
            "2: `env` in [hook.mine] must be a table of texts; `PORT` is none"
        );
        assert_eq!(fault("[verify]\ncheckers = [{ name = \"x\", endings = \".foo\" }]\n"), "");
    }
}
