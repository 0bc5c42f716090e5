//! The vectors of a project's symbols: one file that is appended to, so that an interrupted run goes on where it was. A vector is kept
//! under the hash of its sentence: what did not change is not encoded again, and nothing needs to be removed.

use crate::rank::{is_document, key, sentence};
use sprag_base::files;
use sprag_code::index::{Index, dir};
use sprag_encoder::{DIMENSIONS, Encoder, Vector};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of a vector: its key, its scale, its numbers.
const RECORD: usize = 8 + 4 + DIMENSIONS;
/// The first bytes: another version or model makes another file.
const MAGIC: &[u8; 8] = b"SPRAGCV1";
/// The most bytes that are read: some 260,000 symbols.
const MAX_BYTES: u64 = 104 << 20;
/// Tokens of a sentence that are encoded.
const TOKENS: usize = 32;
/// Vectors that are written at once: so much is done again after an interruption at most.
const BATCH: usize = 64;

/// What came of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Embedded {
    /// Vectors that were made now.
    pub made: usize,
    /// Symbols that still have none.
    pub left: usize,
}

fn file(state: &Path, root: &Path) -> PathBuf {
    dir(state, root).join("vectors")
}

/// The vectors of a project: the scale and the numbers of each, by its key.
pub(crate) fn read(state: &Path, root: &Path) -> HashMap<[u8; 8], (f32, Vec<u8>)> {
    let bytes = files::read_limited(&file(state, root), MAX_BYTES).ok().flatten().unwrap_or_default();
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return HashMap::new() };
    rest.chunks_exact(RECORD)
        .filter_map(|record| {
            let (key, rest) = record.split_first_chunk::<8>()?;
            let (scale, numbers) = rest.split_first_chunk::<4>()?;
            Some((*key, (f32::from_le_bytes(*scale), numbers.to_vec())))
        })
        .collect()
}

/// Makes the vectors that are missing, at most so many.
pub fn embed(index: &Index, state: &Path, most: usize) -> io::Result<Embedded> {
    let path = file(state, index.root());
    let known: HashSet<[u8; 8]> = read(state, index.root()).into_keys().collect();
    let mut missing: Vec<([u8; 8], String)> = Vec::new();
    let mut seen = HashSet::new();
    for number in index.files() {
        let Some(facts) = index.facts_once(number) else { continue };
        for symbol in facts.symbols.iter().filter(|symbol| is_document(symbol)) {
            let text = sentence(&facts, symbol, index.path(number));
            let key = key(&text);
            if !known.contains(&key) && seen.insert(key) {
                missing.push((key, text));
            }
        }
    }
    let left = missing.len().saturating_sub(most);
    missing.truncate(most);
    if missing.is_empty() {
        return Ok(Embedded { made: 0, left });
    }
    let encoder = Encoder::new().map_err(io::Error::other)?;
    if known.is_empty() {
        files::write_atomic(&path, MAGIC)?;
    } else {
        repair(&path)?;
    }
    for batch in missing.chunks(BATCH) {
        let mut bytes = Vec::with_capacity(batch.len() * RECORD);
        for (key, text) in batch {
            let vector = Vector::quantize(&encoder.encode_first(text, TOKENS));
            bytes.extend(key);
            bytes.extend(vector.scale.to_le_bytes());
            bytes.extend(vector.numbers);
        }
        files::append(&path, &bytes)?;
    }
    Ok(Embedded { made: missing.len(), left })
}

/// Cuts a record off that was not written whole.
fn repair(path: &Path) -> io::Result<()> {
    let length = path.metadata()?.len();
    let torn = length.saturating_sub(MAGIC.len() as u64) % RECORD as u64;
    if torn == 0 {
        return Ok(());
    }
    let whole = files::read_limited(path, length - torn)?.unwrap_or_default();
    files::write_atomic(path, &whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_code::index::Mode;

    #[test]
    fn vectors_are_made_in_parts_and_only_for_what_is_new() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |text: &str| std::fs::write(root.path().join("a.py"), text).unwrap();
        let run = |most| {
            let index = Index::open(state.path(), root.path(), Mode::Patient).unwrap().unwrap();
            embed(&index, state.path(), most).unwrap()
        };
        write("def one():\n    pass\n\n\ndef two():\n    pass\n\n\ndef three():\n    pass\n");
        assert_eq!(run(2), Embedded { made: 2, left: 1 });
        assert_eq!(run(9), Embedded { made: 1, left: 0 });
        assert_eq!(run(9), Embedded { made: 0, left: 0 });
        // A run that was cut off in the middle of a vector.
        let path = file(state.path(), root.path());
        files::append(&path, &[1, 2, 3]).unwrap();
        write("def one():\n    pass\n\n\ndef four():\n    pass\n");
        assert_eq!(run(9), Embedded { made: 1, left: 0 });
        assert_eq!(read(state.path(), root.path()).len(), 4);
    }
}
