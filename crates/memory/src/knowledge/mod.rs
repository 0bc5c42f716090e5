//! The knowledge folder: what sessions leave for the next ones, as plain markdown and JSON lines that a person can
//! read, edit, sync and grep. `sessions/`, `learnings/`, `memory/<project>/`, `compact-backups/`.

mod decided;
pub mod digest;
pub mod entries;
pub mod evaluate;
pub mod export;
pub mod find;
pub mod front;
pub mod handoff;
pub mod history;
pub mod import;
pub mod index;
pub mod learning;
pub mod open;
mod open_items;
pub mod outcome;
mod places;
pub mod prompt;
pub mod prune;
pub mod repository;
pub mod sections;
pub mod summary;
pub mod task;
pub mod text;
pub mod work;

pub use decided::is_decision;
pub use places::{Class, Knowledge, ProjectMemory, project_key, project_name};

use std::path::{Path, PathBuf};

/// Why something could not be kept or read. The path is part of the message: what to look at.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// A file or folder.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The search index.
    #[error("the search index: {0}")]
    Index(#[from] rusqlite::Error),
    /// The model.
    #[error(transparent)]
    Model(#[from] sprag_llm::LlmError),
    /// The model's answer is not what was asked for.
    #[error("the model's answer cannot be used: {0}")]
    Answer(#[from] prompt::JudgementError),
    /// Something that was named is not there, or is not one thing.
    #[error("{0}")]
    Unknown(String),
}

impl KnowledgeError {
    /// An error at a path.
    pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |error| Self::File { path, error }
    }
}

/// The result of this module's functions.
pub type Result<T> = std::result::Result<T, KnowledgeError>;
