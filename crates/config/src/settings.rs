//! A hook's settings: what a builtin declares, what the configuration says, and typed access to both.

use serde::{Deserialize, Serialize};

/// A configured value, in a form that the compiled cache can hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A table, in the order of the file.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// The text of a text value.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a list; nothing for other values.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// A table's value.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Table(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// What a setting may hold, with its default.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A switch.
    Bool(bool),
    /// A whole number of at least `min`.
    Int {
        /// Without a word in the configuration.
        default: i64,
        /// The least that makes sense.
        min: i64,
    },
    /// Text.
    Text(&'static str),
    /// One of several words; the first is the default.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts(&'static [&'static str]),
    /// A list of tables with these keys.
    Tables(&'static [&'static str]),
    /// A table of tables or of anything: the hook reads it itself.
    Free,
}

/// In which direction an untrusted project may move a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tighten {
    /// In none.
    Never,
    /// Down.
    Lower,
    /// Up.
    Raise,
    /// A switch may be set to true.
    ToTrue,
    /// A list may become longer.
    Add,
    /// A list of tables may become longer by those whose `decision` is not `allow`.
    AddStops,
}

/// One setting that a builtin declares.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key under `[hook.<name>]`.
    pub key: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What an untrusted project may do to it.
    pub tighten: Tighten,
    /// One line for the reference.
    pub doc: &'static str,
}

impl Setting {
    /// A setting that only a trusted file may change.
    pub const fn new(key: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self { key, kind, tighten: Tighten::Never, doc }
    }

    /// The same, which an untrusted project may move in one direction.
    pub const fn tighten(mut self, tighten: Tighten) -> Self {
        self.tighten = tighten;
        self
    }

    /// The default of a list, as a value.
    pub fn default_list(&self) -> Option<Value> {
        match self.kind {
            Kind::Texts(texts) => {
                Some(Value::List(texts.iter().map(|text| Value::Text((*text).to_owned())).collect()))
            }
            _ => None,
        }
    }

    /// The default as it would stand in the file.
    pub fn default_text(&self) -> String {
        match self.kind {
            Kind::Bool(on) => on.to_string(),
            Kind::Int { default, .. } => default.to_string(),
            Kind::Text(text) => format!("{text:?}"),
            Kind::Choice(words) => format!("{:?}", words.first().copied().unwrap_or_default()),
            Kind::Texts(texts) => format!("{texts:?}"),
            Kind::Tables(_) => "[]".to_owned(),
            Kind::Free => "{}".to_owned(),
        }
    }
}

/// A hook's settings as they apply to one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    values: Vec<(String, Value)>,
}

impl Settings {
    /// The configured value, when there is one.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.values.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Sets a value.
    pub fn set(&mut self, key: &str, value: Value) {
        match self.values.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.values.push((key.to_owned(), value)),
        }
    }

    /// Takes a value out.
    pub fn unset(&mut self, key: &str) {
        self.values.retain(|(name, _)| name != key);
    }

    /// Sets everything that `other` sets.
    pub fn merge(&mut self, other: &Self) {
        for (key, value) in &other.values {
            self.set(key, value.clone());
        }
    }

    /// Nothing set.
    pub const fn empty() -> Self {
        Self { values: Vec::new() }
    }

    /// The keys that are set.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(key, _)| key.as_str())
    }
}

/// Settings seen through a builtin's declaration, so that a default stands in one place.
#[derive(Clone, Copy)]
pub struct Typed<'a> {
    /// What the configuration says.
    pub values: &'a Settings,
    /// What the builtin declares.
    pub declared: &'static [Setting],
}

impl<'a> Typed<'a> {
    fn declared(&self, key: &str) -> Option<&'static Setting> {
        self.declared.iter().find(|setting| setting.key == key)
    }

    /// A switch.
    pub fn flag(&self, key: &str) -> bool {
        match (self.values.get(key), self.declared(key).map(|s| s.kind)) {
            (Some(Value::Bool(on)), _) => *on,
            (_, Some(Kind::Bool(default))) => default,
            _ => false,
        }
    }

    /// A whole number.
    pub fn int(&self, key: &str) -> i64 {
        match (self.values.get(key), self.declared(key).map(|s| s.kind)) {
            (Some(Value::Int(number)), Some(Kind::Int { min, .. })) => (*number).max(min),
            (_, Some(Kind::Int { default, .. })) => default,
            _ => 0,
        }
    }

    /// A count: a whole number that cannot be negative.
    pub fn count(&self, key: &str) -> usize {
        usize::try_from(self.int(key)).unwrap_or(0)
    }

    /// Text, or one of several words.
    pub fn text(&self, key: &str) -> &'a str {
        match (self.values.get(key), self.declared(key).map(|s| s.kind)) {
            (Some(Value::Text(text)), _) => text,
            (_, Some(Kind::Text(default))) => default,
            (_, Some(Kind::Choice(words))) => words.first().copied().unwrap_or_default(),
            _ => "",
        }
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Vec<&'a str> {
        match (self.values.get(key), self.declared(key).map(|s| s.kind)) {
            (Some(value), _) => value.items().iter().filter_map(Value::as_text).collect(),
            (None, Some(Kind::Texts(default))) => default.to_vec(),
            _ => Vec::new(),
        }
    }

    /// A list of tables.
    pub fn tables(&self, key: &str) -> &'a [Value] {
        self.values.get(key).map_or(&[], Value::items)
    }

    /// Whatever stands there.
    pub fn raw(&self, key: &str) -> Option<&'a Value> {
        self.values.get(key)
    }
}
