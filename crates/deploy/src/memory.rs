//! What the agent's file was before sprag: a copy beside it, or a marker that there was none.
//! Taken once, by the deploy that first adds an entry; undeploy goes back to it.

use std::path::{Path, PathBuf};

use super::edit::Origin;
use super::error::DeployError;
use super::file;

const MARKER_TEXT: &str = "sprag deploy made this file; undeploy removes it when nothing else is left in it.\n\
                           folders made: ";

/// The remembered state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Never deployed here, or the copy is gone.
    Nothing,
    /// There was no file, nor this many folders above it.
    Absent { folders: usize },
    /// The file's text.
    Text(String),
}

/// Where the copy of `file` is kept: beside the path that the agent reads, also when that is a link.
pub(crate) fn backup_path(file: &Path) -> PathBuf {
    file::beside(file, "", ".sprag-backup")
}

/// Where it is remembered that there was no `file`.
pub(crate) fn marker_path(file: &Path) -> PathBuf {
    file::beside(file, "", ".sprag-created")
}

impl Memory {
    /// What is remembered about `file`. The marker is the younger one if both are there.
    pub(crate) fn load(file: &Path) -> Self {
        if let Ok(Some(marker)) = file::read(&marker_path(file)) {
            let folders = marker.rsplit(": ").next().and_then(|count| count.trim().parse().ok());
            return Self::Absent { folders: folders.unwrap_or(0) };
        }
        match file::read(&backup_path(file)) {
            Ok(Some(text)) => Self::Text(text),
            _ => Self::Nothing,
        }
    }

    /// Writes it down; `target` is the file whose permissions a copy takes.
    pub(crate) fn save(&self, file: &Path, target: &Path) -> Result<(), DeployError> {
        match self {
            Self::Nothing => Ok(()),
            Self::Absent { folders } => {
                file::replace(&marker_path(file), &format!("{MARKER_TEXT}{folders}\n"), 0o600)
            }
            Self::Text(text) => {
                file::replace(&backup_path(file), text, file::mode(target))?;
                file::remove(&marker_path(file))
            }
        }
    }

    /// The state as the editor takes it.
    pub(crate) fn origin(&self) -> Origin<'_> {
        match self {
            Self::Nothing => Origin::Unknown,
            Self::Absent { .. } => Origin::Absent,
            Self::Text(text) => Origin::Text(text),
        }
    }
}
