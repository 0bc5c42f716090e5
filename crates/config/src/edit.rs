//! Changes to a configuration file that leave its comments and order alone.

use sprag_base::files;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Table, value};

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It is not TOML.
    #[error("{file} is not valid TOML: {message}")]
    Broken {
        /// The file.
        file: String,
        /// Where and why.
        message: String,
    },
    /// It could not be read or written.
    #[error("{file}: {error}")]
    Io {
        /// The file.
        file: String,
        /// Why.
        error: std::io::Error,
    },
}

impl EditError {
    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Broken { .. } => "run `sprag check` and fix it first; nothing was written",
            Self::Io { .. } => "check that the folder is yours and the disk is not full; nothing was changed",
        }
    }
}

/// Changes a file through `change`; a file that is not there starts empty. True when the text changed.
pub fn edit(file: &Path, change: impl FnOnce(&mut DocumentMut)) -> Result<bool, EditError> {
    let io = |error| EditError::Io { file: file.display().to_string(), error };
    let old = match files::read_text(file, crate::OWN_LIMIT) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(io(error)),
    };
    let mut document = old.parse::<DocumentMut>().map_err(|error| EditError::Broken {
        file: file.display().to_string(),
        message: error.to_string().lines().next().unwrap_or_default().to_owned(),
    })?;
    if old.is_empty() {
        document.insert("version", value(1));
    }
    change(&mut document);
    let new = document.to_string();
    if new == old {
        return Ok(false);
    }
    files::write_durable(file, new.as_bytes()).map_err(io)?;
    Ok(true)
}

/// The table `[outer.inner]`, made when it is not there.
pub fn subtable<'d>(document: &'d mut DocumentMut, outer: &str, inner: &str) -> Option<&'d mut Table> {
    let outer = document.entry(outer).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let inner = outer.as_table_mut()?.entry(inner).or_insert_with(|| {
        // A header of its own appears with the first value of its own: one that holds only further tables needs none.
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    inner.as_table_mut()
}

/// Sets a text; a comment behind the old value stays.
pub fn set_text(table: &mut Table, key: &str, text: &str) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = text.into();
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(key, value(text));
        }
    }
}

/// Puts `name` at the end of a list of texts, once.
pub fn push_once(table: &mut Table, key: &str, name: &str) {
    let item = table.entry(key).or_insert_with(|| value(toml_edit::Array::new()));
    if let Some(one) = item.as_str() {
        // One text may stand where a list is meant.
        *item = value(toml_edit::Array::from_iter([one]));
    }
    if let Some(array) = item.as_array_mut()
        && !array.iter().any(|entry| entry.as_str() == Some(name))
    {
        array.push(name);
    }
}

/// Takes `name` out of a list of texts.
pub fn remove_from(table: &mut Table, key: &str, name: &str) {
    if table.get(key).and_then(Item::as_str) == Some(name) {
        table.remove(key);
    } else if let Some(array) = table.get_mut(key).and_then(Item::as_array_mut) {
        array.retain(|entry| entry.as_str() != Some(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_order_survive() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        let text = "# mine\nversion = 1 # one\n\n[store]\nurl = \"sqlite\" # here\n\n[hook.a] # keep\nmode = \"enforce\"\n";
        std::fs::write(&file, text).unwrap();
        let changed = edit(&file, |document| {
            if let Some(table) = subtable(document, "hook", "b") {
                table.insert("mode", value("off"));
            }
        });
        assert!(changed.unwrap());
        let new = std::fs::read_to_string(&file).unwrap();
        assert!(new.starts_with(text.trim_end()), "{new}");
        assert!(new.ends_with("[hook.b]\nmode = \"off\"\n"), "{new}");
        assert!(!edit(&file, |_| {}).unwrap(), "no change writes nothing");
    }

    #[test]
    fn a_comment_behind_a_value_survives_its_change() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        std::fs::write(&file, "[hook.a]\nmode = \"enforce\" # because\n").unwrap();
        edit(&file, |document| set_text(subtable(document, "hook", "a").unwrap(), "mode", "off")).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "[hook.a]\nmode = \"off\" # because\n");
    }

    #[test]
    fn a_broken_file_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        std::fs::write(&file, "preset = \n").unwrap();
        let error = edit(&file, |_| {}).unwrap_err();
        assert!(error.hint().contains("sprag check"), "{error}");

        assert_eq!(std::fs::read_to_string(&file).unwrap(), "preset = \n");
    }
}
