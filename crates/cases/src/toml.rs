//! TOML with its lines: tables whose unknown keys and wrong types are faults that name the place.

use super::keys::{Key, names};
use super::model::Fault;
use serde_json::{Map, Value};
use sprag_config::parse::nearest;
use std::cell::RefCell;
use std::path::Path;
use toml_edit::{Item, TableLike};

/// The text that is read, and what was found wrong with it.
pub(crate) struct Source<'a> {
    pub file: &'a Path,
    /// Where lines end: a file has thousands of keys, and each is asked for its line.
    ends: Vec<usize>,
    faults: RefCell<Vec<Fault>>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(file: &'a Path, text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
        Self { file, ends, faults: RefCell::default() }
    }

    pub(crate) fn faults(self) -> Vec<Fault> {
        self.faults.into_inner()
    }

    pub(crate) fn line_at(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end < at) + 1
    }

    pub(crate) fn fault(&self, line: usize, what: impl Into<String>, hint: impl Into<String>) {
        let (file, what, hint) = (self.file.to_path_buf(), what.into(), hint.into());
        self.faults.borrow_mut().push(Fault { file, line, what, hint });
    }

    pub(crate) fn unknown(&self, line: usize, what: &str, name: &str, known: &[&str]) {
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", known.join(", ")),
        };
        self.fault(line, format!("unknown {what} `{name}`"), hint);
    }
}

/// A table of the file and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    pub source: &'a Source<'a>,
    pub table: &'a dyn TableLike,
    pub line: usize,
    /// How a person would call it: `[case.expect]`.
    pub what: &'a str,
}

impl<'a> Node<'a> {
    /// The line of a key.
    pub(crate) fn line_of(&self, key: &str) -> usize {
        let span = self.table.get_key_value(key).and_then(|(key, _)| key.span());
        span.map_or(self.line, |span| self.source.line_at(span.start))
    }

    /// Names every key that is none of these.
    pub(crate) fn only(&self, keys: &[&'static [Key]]) {
        let known = names(keys);
        for (key, _) in self.table.iter() {
            if !known.contains(&key) {
                self.source.unknown(self.line_of(key), &format!("key in {}", self.what), key, &known);
            }
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    pub(crate) fn wrong(&self, key: &str, wanted: &str) {
        self.source.fault(
            self.line_of(key),
            format!("`{key}` in {} must be {wanted}", self.what),
            "see docs/testing.md",
        );
    }

    /// A value read by `read`; one that it cannot read is a fault.
    fn get<T>(&self, key: &str, wanted: &str, read: impl FnOnce(&'a Item) -> Option<T>) -> Option<T> {
        let value = read(self.table.get(key)?);
        if value.is_none() {
            self.wrong(key, wanted);
        }
        value
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.get(key, "text", |item| item.as_str().map(str::to_owned))
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key, "true or false", Item::as_bool)
    }

    pub(crate) fn count(&self, key: &str) -> Option<u64> {
        self.get(key, "a whole number that is not negative", |item| u64::try_from(item.as_integer()?).ok())
    }

    /// One text or a list of texts.
    pub(crate) fn texts(&self, key: &str) -> Option<Vec<String>> {
        self.get(key, "a text or a list of texts", |item| {
            if let Some(text) = item.as_str() {
                return Some(vec![text.to_owned()]);
            }
            item.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
        })
    }

    /// A table of texts.
    pub(crate) fn pairs(&self, key: &str) -> Vec<(String, String)> {
        let read = |item: &'a Item| {
            let pair = |(key, item): (&str, &Item)| Some((key.to_owned(), item.as_str()?.to_owned()));
            item.as_table_like()?.iter().map(pair).collect()
        };
        self.get(key, "a table of texts", read).unwrap_or_default()
    }

    /// A value as JSON.
    pub(crate) fn json(&self, key: &str) -> Option<Value> {
        self.get(key, "a plain value", json_of)
    }

    /// A table as JSON, or JSON as text.
    pub(crate) fn object(&self, key: &str) -> Option<Map<String, Value>> {
        match self.json(key)? {
            Value::Object(map) => Some(map),
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(map) => Some(map),
                Err(error) => {
                    self.wrong(key, &format!("a table or a JSON object as text ({error})"));
                    None
                }
            },
            _ => {
                self.wrong(key, "a table or a JSON object as text");
                None
            }
        }
    }

    /// TOML as text, or a table that is turned into such.
    pub(crate) fn toml(&self, key: &str) -> Option<String> {
        self.get(key, "a table or TOML as text", |item| {
            if let Some(text) = item.as_str() {
                return Some(text.to_owned());
            }
            let mut document = toml_edit::DocumentMut::new();
            for (name, item) in item.as_table_like()?.iter() {
                document.insert(name, item.clone());
            }
            Some(document.to_string())
        })
    }

    /// A table below.
    pub(crate) fn child(&self, key: &str, what: &'a str) -> Option<Node<'a>> {
        let table = self.get(key, "a table", Item::as_table_like)?;
        Some(Node { source: self.source, table, line: self.line_of(key), what })
    }

    /// Every entry of a table below, with its line.
    pub(crate) fn entries(&self, key: &str) -> Vec<(&'a str, &'a Item, usize)> {
        let Some(table) = self.get(key, "a table", Item::as_table_like) else { return Vec::new() };
        let place = |name: &str| {
            let span = table.get_key_value(name).and_then(|(key, _)| key.span());
            span.map_or_else(|| self.line_of(key), |span| self.source.line_at(span.start))
        };
        table.iter().map(|(name, item)| (name, item, place(name))).collect()
    }

    /// A list of tables, written as `[[…]]` or inline.
    pub(crate) fn children(&self, key: &str, what: &'a str) -> Vec<Node<'a>> {
        let Some(item) = self.table.get(key) else { return Vec::new() };
        let node = |table: &'a dyn TableLike, span: Option<std::ops::Range<usize>>| {
            let line = span.map_or_else(|| self.line_of(key), |span| self.source.line_at(span.start));
            Node { source: self.source, table, line, what }
        };
        if let Some(tables) = item.as_array_of_tables() {
            return tables.iter().map(|table| node(table, table.span())).collect();
        }
        let inline = item.as_array().and_then(|array| {
            array
                .iter()
                .map(|value| Some(node(value.as_inline_table()? as &dyn TableLike, value.span())))
                .collect::<Option<Vec<_>>>()
        });
        if inline.is_none() {
            self.wrong(key, "a list of tables");
        }
        inline.unwrap_or_default()
    }
}

/// A TOML value as JSON; a date is its text.
pub(crate) fn json_of(item: &Item) -> Option<Value> {
    if let Some(table) = item.as_table_like() {
        let entries = table.iter().map(|(key, item)| Some((key.to_owned(), json_of(item)?)));
        return entries.collect::<Option<Map<_, _>>>().map(Value::Object);
    }
    if let Some(tables) = item.as_array_of_tables() {
        let items = tables.iter().map(|table| json_of(&Item::Table(table.clone())));
        return items.collect::<Option<Vec<_>>>().map(Value::Array);
    }
    match item.as_value()? {
        toml_edit::Value::String(text) => Some(Value::from(text.value().as_str())),
        toml_edit::Value::Integer(number) => Some(Value::from(*number.value())),
        toml_edit::Value::Float(number) => Some(Value::from(*number.value())),
        toml_edit::Value::Boolean(on) => Some(Value::from(*on.value())),
        toml_edit::Value::Datetime(date) => Some(Value::from(date.value().to_string())),
        toml_edit::Value::Array(items) => {
            let items = items.iter().map(|value| json_of(&Item::Value(value.clone())));
            items.collect::<Option<Vec<_>>>().map(Value::Array)
        }
        toml_edit::Value::InlineTable(_) => None,
    }
}
