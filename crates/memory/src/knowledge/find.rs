//! Looking things up by words and by name.

use super::index::{self, Index};
use super::{Knowledge, ProjectMemory, export, front, work};
use std::path::{Path, PathBuf};

/// The index; made when there is none yet, so that the first search finds what was synced here.
pub fn index(knowledge: &Knowledge, refresh: bool) -> super::Result<Index> {
    if !refresh && let Some(index) = Index::look(knowledge) {
        return Ok(index);
    }
    work::sync(knowledge)?;
    Index::open(knowledge)
}

/// Why a name is not one document.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// A document that every project gets, and this one does not have yet.
    #[error("{project} has no {name}")]
    NotYet {
        /// The project.
        project: String,
        /// The document.
        name: String,
    },
    /// Nothing has this name.
    #[error("nothing is called {0}")]
    Nothing(String),
    /// Several have it.
    #[error("{count} things are called {name}")]
    Several {
        /// How many.
        count: usize,
        /// The name.
        name: String,
    },
}

/// What a name means: the handoff of this project, a file, or a session by the start of its id.
pub fn named(knowledge: &Knowledge, memory: &ProjectMemory, name: &str) -> Result<PathBuf, NameError> {
    let own = match name {
        "handoff" => Some(memory.handoff()),
        "decisions" => Some(memory.decisions()),
        "failures" => Some(memory.failures()),
        "summary" => Some(memory.summary()),
        _ => None,
    };
    if let Some(path) = own {
        let not_yet = NameError::NotYet { project: memory.project.clone(), name: name.to_owned() };
        return if path.is_file() { Ok(path) } else { Err(not_yet) };
    }
    let path = knowledge.root.join(name);
    if path.is_file() && path.starts_with(&knowledge.root) && !name.contains("..") {
        return Ok(path);
    }
    let of_session = |path: &Path| {
        let pairs = export::front_of(path).unwrap_or_default();
        front::get(&pairs, "session_id").is_some_and(|id| id.starts_with(name))
    };
    let stem = |path: &Path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with(name));
    let all = index::all_files(knowledge);
    // By name first: it costs nothing.
    let mut found: Vec<PathBuf> = all.iter().filter(|path| stem(path)).cloned().collect();
    if found.is_empty() {
        let sessions = all.into_iter().filter(|path| path.starts_with(knowledge.sessions()));
        found = sessions.filter(|path| of_session(path)).collect();
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(NameError::Nothing(name.to_owned())),
        count => Err(NameError::Several { count, name: name.to_owned() }),
    }
}
