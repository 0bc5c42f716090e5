//! Where a reader of the journal is: each file from where the last time ended. A file is known by its first line, so that a
//! rotation (a rename) changes nothing.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_runtime::journal::{self, Entry};
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::Path;

/// The place in each file of the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Cursor {
    places: BTreeMap<String, u64>,
}

impl Cursor {
    /// Reads on, until `each` says that it has enough. True when nothing is left.
    pub(crate) fn read(&mut self, paths: &Paths, mut each: impl FnMut(Entry) -> bool) -> io::Result<bool> {
        let mut seen = BTreeMap::new();
        let mut whole = true;
        for path in journal::all_files(paths) {
            if let Some((name, at)) = self.file(&path, &mut whole, &mut each)? {
                seen.insert(name, at);
            }
        }
        // What is no longer there is forgotten.
        self.places = seen;
        Ok(whole)
    }

    /// Reads one file from its place, unless somebody has enough; gives its name and its new place.
    fn file(
        &self,
        path: &Path,
        goes_on: &mut bool,
        each: &mut impl FnMut(Entry) -> bool,
    ) -> io::Result<Option<(String, u64)>> {
        let Some((file, _)) = files::open_regular(path)? else { return Ok(None) };
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        let name = short_hash(&line);
        let mut at = self.places.get(&name).copied().unwrap_or(0);
        if !*goes_on {
            return Ok(Some((name, at)));
        }
        reader.seek(SeekFrom::Start(at))?;
        loop {
            line.clear();
            let bytes = reader.read_until(b'\n', &mut line)?;
            // A last line without its end waits for the next time.
            if line.last() != Some(&b'\n') {
                return Ok(Some((name, at)));
            }
            at += bytes as u64;
            if let Ok(entry) = serde_json::from_slice(&line)
                && !each(entry)
            {
                *goes_on = false;
                return Ok(Some((name, at)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_config::host::Host;

    #[test]
    fn every_line_is_read_once_over_rotations_and_restarts() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Host::in_home(dir.path(), &[]).paths;
        let mut cursor = Cursor::default();
        let mut seen = Vec::new();
        for number in 0..300_u64 {
            let t = format!("2026-01-01T00:00:00.{number:06}Z");
            journal::write(&paths, &Entry { us: number, t, ..Entry::default() }, 2_000, 100).unwrap();
            if number % 7 == 0 {
                let mut left = 3;
                let whole = cursor.read(&paths, |entry| {
                    seen.push(entry.us);
                    left -= 1;
                    left > 0
                });
                whole.unwrap();
                let kept = serde_json::to_string(&cursor).unwrap();
                cursor = serde_json::from_str(&kept).unwrap();
            }
        }
        assert!(journal::all_files(&paths).len() > 3);
        let whole = cursor.read(&paths, |entry| {
            seen.push(entry.us);
            true
        });
        assert!(whole.unwrap());
        assert_eq!(seen, (0..300).collect::<Vec<_>>());
    }
}
