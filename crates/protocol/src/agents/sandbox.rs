//! What an agent's own sandbox is told. Data and pure functions: `deploy` writes the files.

use serde_json::Value;

/// What commands of an agent may touch. A path that begins with `~/` or `/` is a place; any other is a glob below the
/// project's root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Files and folders that must not be read.
    pub deny_read: Vec<String>,
    /// Files and folders that must not be written.
    pub deny_write: Vec<String>,
    /// Folders outside of the project that may be written.
    pub allow_write: Vec<String>,
    /// Hosts that may be reached. None: what the agent does by itself.
    pub hosts: Vec<String>,
}

/// True for a path that does not depend on the project.
pub fn is_place(path: &str) -> bool {
    path.starts_with("~/") || path.starts_with('/')
}

/// One change of one file.
#[derive(Debug, Clone, PartialEq)]
pub enum SandboxPart {
    /// Members that are added to the agent's settings file; lists grow, other values are left alone.
    Merge(Value),
    /// Lines at the beginning and at the end of a TOML file beside it, between marks.
    Block {
        /// The file's name.
        file: &'static str,
        /// Keys of the whole file: before all tables.
        top: String,
        /// Tables.
        bottom: String,
        /// Top-level keys that say the same thing in another way: with one of them nothing is written.
        conflicts: &'static [&'static str],
    },
    /// A file of its own, by its path from the settings file's folder.
    Own {
        /// The path.
        file: &'static str,
        /// All of it.
        text: String,
    },
}

/// A text as a TOML string.
pub(crate) fn toml_string(text: &str) -> String {
    let escaped: String = text
        .chars()
        .flat_map(|c| match c {
            '"' | '\\' => vec!['\\', c],
            c if c.is_control() => vec![' '],
            c => vec![c],
        })
        .collect();
    format!("\"{escaped}\"")
}
