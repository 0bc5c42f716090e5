//! Makes the base: walks, reads and parses with all cores, keeps what did not change.

use super::Entry;
use super::base::{self, Base, Packed};
use super::delta;
use super::walk::{self, WalkEntry};
use crate::extract::{self, Depth};
use crate::facts::Facts;
use crate::language::Language;
use crate::parse::{Limits, ParseError};
use sprag_base::files;
use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Files in the index.
    pub files: usize,
    /// Of these, read and parsed now.
    pub parsed: usize,
    /// Symbols in the index.
    pub symbols: usize,
    /// Lines of the files.
    pub lines: u64,
    /// Bytes of the index.
    pub bytes: usize,
    /// There are more files than an index takes.
    pub cut: bool,
}

/// The most bytes of a file that are read.
const LARGEST: u64 = 8 << 20;
/// A file that was changed a moment ago may change again within the clock's grain.
const GRAIN: Duration = Duration::from_millis(100);

/// What tells one version of a file from another without reading it; 0 when it may still change unseen.
pub(super) fn stamp(meta: &std::fs::Metadata, now: SystemTime) -> u64 {
    let settled = meta.modified().is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > GRAIN));
    if settled { identity(meta) } else { 0 }
}

/// Length, times and place of a file as one number, never 0.
pub(super) fn identity(meta: &std::fs::Metadata) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let times = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()].map(|n| n as u64);
        mixed(meta.len(), times, [meta.dev(), meta.ino()])
    }
    #[cfg(not(unix))]
    {
        let since = meta.modified().ok().and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        mixed(meta.len(), [since.map_or(0, |since| since.as_nanos() as u64), 0, 0, 0], [0, 0])
    }
}

/// The parts of an identity as one number, never 0.
pub(super) fn mixed(length: u64, times: [u64; 4], place: [u64; 2]) -> u64 {
    let mut mixed = 0xcbf2_9ce4_8422_2325_u64;
    for part in std::iter::once(length).chain(times).chain(place) {
        mixed = (mixed ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
    mixed.max(1)
}

/// 128 bits of the content's hash.
pub(crate) fn hash(bytes: &[u8]) -> [u8; 16] {
    let mut short = [0; 16];
    for (to, from) in short.iter_mut().zip(blake3::hash(bytes).as_bytes()) {
        *to = *from;
    }
    short
}

/// A file as it is now.
pub(super) struct Read {
    pub entry: Entry,
    pub bytes: Vec<u8>,
}

/// Reads a file; `None` when it is gone, no file, or too large to be anybody's.
pub(super) fn read(root: &Path, path: &str) -> Option<Read> {
    let full = root.join(path);
    let language = Language::of_path(&full)?;
    let now = SystemTime::now();
    let (file, length) = files::open_regular(&full).ok()??;
    let meta = file.metadata().ok()?;
    let mut bytes = Vec::with_capacity(length.min(LARGEST) as usize + 1);
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    let (stamp, hash) = (stamp(&meta, now), hash(&bytes));
    let entry = Entry { path: path.to_owned(), language, stamp, hash, calls: false };
    Some(Read { entry, bytes })
}

/// What is known of a file; a file that cannot be parsed has a note.
pub(super) fn facts(entry: &mut Entry, bytes: &[u8], depth: Depth) -> Facts {
    match extract::file(Path::new(&entry.path), bytes, Limits::PATIENT, depth) {
        Ok(found) => {
            (entry.language, entry.calls) = (found.language, found.calls);
            found.facts
        }
        Err(error) => {
            // There are no calls in it, and that is known.
            entry.calls = true;
            match error {
                ParseError::TextError(_) | ParseError::NoLanguage => Facts::default(),
                ParseError::Tangled | ParseError::NoGrammar => {
                    Facts { notes: vec![error.to_string()], ..Facts::default() }
                }
            }
        }
    }
}

/// Writes the index of a project. What a former index knows of a file with the same content is taken over. Another
/// process at it is waited for.
pub fn build(state: &Path, root: &Path, depth: Depth) -> io::Result<Built> {
    let dir = super::dir(state, root);
    let lock = files::open_lock(&dir.join("lock"))?;
    lock.lock()?;
    let base_path = dir.join("base");
    let old = Former::open(&dir);
    let now = SystemTime::now();
    let (parsed, lines) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (packed, folders) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16);
    // Whoever finds a file reads it: a walk waits for the disk, a reader for nothing.
    let cut = walk::each(root, threads, |met| match met {
        WalkEntry::File(path) => {
            let one = pack(root, path, &old, depth, &parsed, &lines);
            if let (Some(one), Ok(mut packed)) = (one, packed.lock()) {
                packed.push(one);
            }
        }
        WalkEntry::Folder(path) => {
            let meta = std::fs::metadata(root.join(path));
            let stamp = meta.map_or(0, |meta| stamp(&meta, now));
            if let Ok(mut folders) = folders.lock() {
                folders.push((walk::text(path), stamp));
            }
        }
    });
    let mut packed: Vec<Packed> = packed.into_inner().unwrap_or_default();
    packed.sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
    let mut folders: Vec<(String, u64)> = folders.into_inner().unwrap_or_default();
    folders.sort_unstable();
    let mut built = Built {
        files: packed.len(),
        parsed: parsed.into_inner(),
        symbols: packed.iter().map(|one| one.symbols as usize).sum(),
        lines: lines.into_inner() as u64,
        cut,
        bytes: 0,
    };
    let id = now.duration_since(SystemTime::UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
    let bytes = base::encode(packed, folders, id);
    built.bytes = bytes.len();
    files::write_atomic(&base_path, &bytes)?;
    Ok(built)
}

/// What a former index knows.
#[derive(Default)]
struct Former {
    base: Option<Base>,
    /// Files of the base.
    files: HashMap<String, (u32, Entry)>,
    /// What was appended to it.
    newer: HashMap<String, (Entry, Facts)>,
}

impl Former {
    fn open(dir: &Path) -> Self {
        let Some((base, listing)) = Base::open(&dir.join("base")).ok().flatten() else {
            return Self::default();
        };
        let entries = listing.entries.into_iter().enumerate();
        let files = entries.map(|(number, entry)| (entry.path.clone(), (number as u32, entry))).collect();
        let records = delta::read(&dir.join("delta"), base.id).map(|delta| delta.records).unwrap_or_default();
        let newer = records
            .into_iter()
            .filter_map(|record| Some((record.entry.path.clone(), (record.entry, record.facts?))))
            .collect();
        Self { base: Some(base), files, newer }
    }

    /// What is known of a file in a state that `same` takes, when it is deep enough.
    fn facts(&self, path: &str, depth: Depth, same: impl Fn(&Entry) -> bool) -> Option<(Entry, Facts)> {
        let wanted = |entry: &Entry| same(entry) && (entry.calls || depth == Depth::Symbols);
        if let Some((entry, facts)) = self.newer.get(path).filter(|(entry, _)| wanted(entry)) {
            return Some((entry.clone(), facts.clone()));
        }
        let (number, entry) = self.files.get(path).filter(|(_, entry)| wanted(entry))?;
        Some((entry.clone(), self.base.as_ref()?.facts(*number)?))
    }
}

fn pack(
    root: &Path,
    path: &Path,
    old: &Former,
    depth: Depth,
    parsed: &AtomicUsize,
    lines: &AtomicUsize,
) -> Option<Packed> {
    let path = walk::text(path);
    let packed = |entry: Entry, facts: &Facts| {
        lines.fetch_add(facts.lines as usize, Ordering::Relaxed);
        Some(Packed::new(entry, facts))
    };
    let meta = std::fs::metadata(root.join(&path));
    let unchanged =
        |entry: &Entry| entry.stamp != 0 && meta.as_ref().is_ok_and(|meta| identity(meta) == entry.stamp);
    if let Some((entry, facts)) = old.facts(&path, depth, unchanged) {
        return packed(entry, &facts);
    }
    let mut read = read(root, &path)?;
    if let Some((entry, facts)) = old.facts(&path, depth, |entry| entry.hash == read.entry.hash) {
        return packed(Entry { stamp: read.entry.stamp, ..entry }, &facts);
    }
    let facts = facts(&mut read.entry, &read.bytes, depth);
    parsed.fetch_add(1, Ordering::Relaxed);
    packed(read.entry, &facts)
}
