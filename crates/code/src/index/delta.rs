//! What changed since the base was written: records that are appended, each whole or not there. A change of one file
//! costs one record, however large the project is.

use super::Entry;
use crate::facts::Facts;
use serde::{Deserialize, Serialize};
use sprag_base::files;
use std::io;
use std::path::Path;

/// The most bytes that are read; more than this and the base is due to be written again.
const MAX_DELTA_BYTES: u64 = 32 << 20;

/// A file that was read again. Without facts it is gone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub entry: Entry,
    pub facts: Option<Facts>,
}

/// What is appended to one base.
#[derive(Default)]
pub(super) struct Delta {
    pub records: Vec<Record>,
    pub state: DeltaState,
}

/// Where the next record goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeltaState {
    /// Bytes that are whole records.
    whole: u64,
    /// The file has something behind them.
    torn: bool,
    /// The file is for this base.
    ours: bool,
}

/// Reads what is appended to the base with this id.
pub(super) fn read(path: &Path, base: u64) -> io::Result<Delta> {
    let bytes = files::read_limited(path, MAX_DELTA_BYTES)?.unwrap_or_default();
    let mut delta = Delta::default();
    let Some((head, mut rest)) = bytes.split_at_checked(8) else { return Ok(delta) };
    if head != base.to_le_bytes() {
        return Ok(delta);
    }
    delta.state = DeltaState { whole: 8, torn: false, ours: true };
    while let Some((record, after)) = next(rest) {
        delta.state.whole += (rest.len() - after.len()) as u64;
        delta.records.push(record);
        rest = after;
    }
    delta.state.torn = !rest.is_empty();
    Ok(delta)
}

/// The first record and what follows it: length, eight bytes of a hash, content.
fn next(bytes: &[u8]) -> Option<(Record, &[u8])> {
    let (length, rest) = bytes.split_at_checked(4)?;
    let (hash, rest) = rest.split_at_checked(8)?;
    let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
    let (content, rest) = rest.split_at_checked(length)?;
    if blake3::hash(content).as_bytes().get(..8) != Some(hash) {
        return None;
    }
    Some((postcard::from_bytes(content).ok()?, rest))
}

/// Appends records for the base with this id, unless another process writes: they will be read again then.
pub(super) fn keep(dir: &Path, base: u64, known: &mut DeltaState, records: &[Record]) {
    let Ok(lock) = files::open_lock(&dir.join("lock")) else { return };
    // What cannot be kept costs time at the next question, nothing else.
    if lock.try_lock().is_ok() && append(&dir.join("delta"), base, *known, records).is_ok() {
        *known = DeltaState { torn: false, ours: true, ..*known };
    }
}

fn append(path: &Path, base: u64, known: DeltaState, records: &[Record]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for record in records {
        let content = postcard::to_stdvec(record).map_err(io::Error::other)?;
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(blake3::hash(&content).as_bytes().iter().take(8));
        bytes.extend(content);
    }
    if known.ours && !known.torn {
        return files::append(path, &bytes);
    }
    let mut all = base.to_le_bytes().to_vec();
    if known.ours {
        all = files::read_limited(path, known.whole)?.unwrap_or(all);
    }
    all.extend(bytes);
    files::write_atomic(path, &all)
}
