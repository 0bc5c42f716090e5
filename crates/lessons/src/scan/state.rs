//! How far each transcript was read.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// What is known of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileState {
    /// Where the next reading begins: at a line, early enough for a correction to find its error.
    pub(super) offset: u64,
    /// Its size when it was read; the same size means that there is nothing new.
    pub(super) size: u64,
    /// The hash of its beginning, which tells a file that took its place.
    pub(super) head: String,
    pub(super) session: String,
    pub(super) cwd: String,
    /// Its size when the model read it.
    #[serde(default)]
    pub(super) model_size: u64,
}

/// Everything that a scan remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) files: BTreeMap<String, FileState>,
    /// When the last scan ended, in microseconds.
    pub(super) last: i64,
}

fn file(paths: &Paths) -> PathBuf {
    crate::library::folder(paths).join("scan.json")
}

pub(super) fn load(paths: &Paths) -> State {
    let bytes = files::read_limited(&file(paths), 64 << 20).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

pub(super) fn save(paths: &Paths, state: &State) -> io::Result<()> {
    let text = serde_json::to_vec(state).map_err(io::Error::other)?;
    files::write_atomic(&file(paths), &text)
}

/// The file that one scan at a time holds; who waits gets it in the end.
pub(super) fn lock(paths: &Paths, wait: bool) -> io::Result<Option<std::fs::File>> {
    let file = files::open_lock(&crate::library::folder(paths).join("scan.lock"))?;
    if wait {
        file.lock()?;
        return Ok(Some(file));
    }
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

/// The size and the hash of the beginning of a file.
pub(super) fn look(path: &Path, known: &FileState) -> io::Result<(u64, String)> {
    const HEAD: u64 = 512;
    if let Some(lines) = sprag_transcript::lines(path)? {
        let size = lines.len() as u64;
        let length = if known.size == 0 { size.min(HEAD) } else { known.size.min(HEAD) };
        return Ok((size, short_hash(lines.get(..length as usize).unwrap_or(&lines))));
    }
    let Some((file, size)) = files::open_regular(path)? else { return Err(io::ErrorKind::NotFound.into()) };
    // As much as there was then: a file that only grew has the same beginning.
    let length = if known.size == 0 { size.min(HEAD) } else { known.size.min(HEAD) };
    let mut head = Vec::new();
    file.take(length).read_to_end(&mut head)?;
    Ok((size, short_hash(&head)))
}

/// The hash of the beginning, for what is remembered of a file of this size.
pub(super) fn head(path: &Path, size: u64) -> io::Result<String> {
    look(path, &FileState { size, ..FileState::default() }).map(|(_, head)| head)
}
