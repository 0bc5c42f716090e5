//! What the agent's file was before sprag: a copy beside it, or a marker that there was none.
//! Taken once, by the deploy that first adds an entry; undeploy restores it. Names and texts only: `file` reads and writes.

use std::path::{Path, PathBuf};

use super::edit::Origin;

const MARKER_TEXT: &str = "sprag deploy made this file; undeploy removes it when nothing else is left in it.\n\
                           folders made: ";

/// The file before the first deploy, as far as it was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SavedOriginal {
    /// Never deployed here, or the copy is gone.
    Nothing,
    /// There was no file, nor this many folders above it.
    Absent { folders: usize },
    /// The file's text.
    Text(String),
}

/// `name` with something before and after it, in the same folder.
pub(crate) fn beside(file: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(before);
    name.push(file.file_name().unwrap_or_default());
    name.push(after);
    file.with_file_name(name)
}

/// The copy of `file`: beside the path that the agent reads, also when that is a link.
pub(crate) fn backup_path(file: &Path) -> PathBuf {
    beside(file, "", ".sprag-backup")
}

/// The marker that there was no `file`.
pub(crate) fn marker_path(file: &Path) -> PathBuf {
    beside(file, "", ".sprag-created")
}

/// What a marker says when deploy made this many folders.
pub(crate) fn marker_text(folders: usize) -> String {
    format!("{MARKER_TEXT}{folders}\n")
}

impl SavedOriginal {
    /// The state that a marker describes.
    pub(crate) fn from_marker(marker: &str) -> Self {
        let folders = marker.rsplit(": ").next().and_then(|count| count.trim().parse().ok());
        Self::Absent { folders: folders.unwrap_or(0) }
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
