//! Opens an index and checks it against the files: what changed is read again, what is new is found, what is gone
//! is forgotten. A file is asked for its identity only; its content is read when that changed.

use super::base::{Base, Listing};
use super::delta::{self, Delta, Record};
use super::{Entry, Index, Newer, ask, build, walk};
use crate::extract::Depth;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A person: an index is made when there is none, and every change is read.
    Patient,
    /// A hook: no index is made, and at most so many changed files are read.
    Quick(usize),
}

/// What came of the check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// Files that were read again.
    pub read: usize,
    /// Changed files that were not, because they are too many for a hook; their old symbols are not shown.
    pub unread: usize,
    /// The base is due to be written again.
    pub due: bool,
}

/// Changes that make the base due.
const DUE: usize = 256;
/// Files of which only the symbols are known; more of them and the background reads their calls.
const SCANNED: usize = 24;
/// Bytes of text that a hook parses for the calls of a name; the rest is for the background.
const QUICK_PARSE: usize = 1 << 20;
/// Files that look changed and are not; the base is due to learn their new identity.
const SAME: usize = 16;
/// More files than this are looked at by two threads.
const MANY: usize = 1_000;

pub(super) fn open(state: &Path, root: &Path, mode: Mode) -> io::Result<Option<Index>> {
    let dir = super::dir(state, root);
    let base_path = dir.join("base");
    let opened = match (Base::open(&base_path)?, mode) {
        (Some(opened), _) => opened,
        (None, Mode::Quick(_)) => return Ok(None),
        (None, Mode::Patient) => {
            build::build(state, root, Depth::Symbols)?;
            match Base::open(&base_path)? {
                Some(opened) => opened,
                None => return Ok(None),
            }
        }
    };
    let (base, listing) = opened;
    let known = delta::read(&dir.join("delta"), base.id)?;
    let mut state = known.state;
    let mut check = Check::new(root, base, listing, &known);
    let fresh = check.changes();
    let (most, parse_bytes) = match mode {
        Mode::Patient => (usize::MAX, usize::MAX),
        Mode::Quick(most) => (most, QUICK_PARSE),
    };
    let records = check.read(fresh, most);
    if !records.is_empty() {
        delta::keep(&dir, check.base.id, &mut state, &records);
    }
    let changed = known.records.len() + records.len() > DUE || check.unread > 0 || check.same > SAME;
    let refreshed = Refreshed { read: records.len(), unread: check.unread, due: changed };
    let Check { base, entries, newer, .. } = check;
    let mut index = Index::new(root.to_path_buf(), dir, base, entries, newer, refreshed);
    index.delta.set(state);
    index.parse_bytes = parse_bytes;
    index.refreshed.due |= index.scanned().len() > SCANNED;
    Ok(Some(index))
}

struct Check<'a> {
    root: &'a Path,
    base: Base,
    entries: Vec<Entry>,
    folders: Vec<(String, u64)>,
    newer: HashMap<u32, Newer>,
    numbers: HashMap<String, u32>,
    unread: usize,
    /// Files that had to be read to see that they are the same.
    same: usize,
}

/// What is not as it was.
struct Changes {
    /// Files with another identity.
    changed: Vec<u32>,
    /// Files that are gone.
    gone: Vec<u32>,
    /// Files that were not there.
    new: Vec<String>,
}

impl<'a> Check<'a> {
    fn new(root: &'a Path, base: Base, listing: Listing, known: &Delta) -> Self {
        let mut check = Self {
            root,
            base,
            entries: listing.entries,
            folders: listing.folders,
            newer: HashMap::new(),
            numbers: HashMap::new(),
            unread: 0,
            same: 0,
        };
        if !known.records.is_empty() {
            check.number();
            for record in &known.records {
                check.set(record.clone());
            }
        }
        check
    }

    fn number(&mut self) {
        if self.numbers.is_empty() {
            self.numbers = self.entries.iter().enumerate().map(|(n, e)| (e.path.clone(), n as u32)).collect();
        }
    }

    /// The present word on a file.
    fn set(&mut self, record: Record) {
        let next = self.entries.len() as u32;
        let number = *self.numbers.entry(record.entry.path.clone()).or_insert(next);
        if number == next {
            self.entries.push(record.entry.clone());
        }
        self.newer.insert(number, Newer { entry: record.entry, facts: record.facts.map(Rc::new) });
    }

    /// Asks every file and folder for its identity.
    fn changes(&mut self) -> Changes {
        let asked: Vec<(u32, &str, u64)> = self
            .entries
            .iter()
            .enumerate()
            .map(|(number, entry)| {
                let newer = self.newer.get(&(number as u32));
                (number as u32, entry.path.as_str(), newer.map_or(entry.stamp, |newer| newer.entry.stamp))
            })
            .collect();
        let root = self.root;
        let ask = |part: &[(u32, &str, u64)]| -> Vec<(u32, bool)> {
            let mut folder = ask::Folder::none();
            part.iter()
                .filter_map(|(number, path, stamp)| match folder.file(root, path) {
                    Some(now) => (now != *stamp || *stamp == 0).then_some((*number, true)),
                    None => Some((*number, false)),
                })
                .collect()
        };
        let differ = if asked.len() > MANY {
            let (one, two) = asked.split_at(asked.len() / 2);
            std::thread::scope(|scope| {
                let other = scope.spawn(|| ask(two));
                let mut differ = ask(one);
                differ.extend(other.join().unwrap_or_default());
                differ
            })
        } else {
            ask(&asked)
        };
        let is_gone = |number: &u32| self.newer.get(number).is_some_and(|newer| newer.facts.is_none());
        let mut changes = Changes { changed: Vec::new(), gone: Vec::new(), new: Vec::new() };
        for (number, there) in differ {
            match there {
                true => changes.changed.push(number),
                false if is_gone(&number) => {}
                false => changes.gone.push(number),
            }
        }
        changes.new = self.new_files();
        changes
    }

    /// Files in folders that changed, and in folders that are new.
    fn new_files(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        let differs: Vec<PathBuf> = self
            .folders
            .iter()
            .filter(|(folder, stamp)| {
                let now = ask::folder(self.root, folder);
                now.is_some_and(|now| now != *stamp || *stamp == 0)
            })
            .map(|(folder, _)| PathBuf::from(folder))
            .collect();
        if differs.is_empty() {
            return found;
        }
        self.number();
        let folders: HashSet<&str> = self.folders.iter().map(|(folder, _)| folder.as_str()).collect();
        let mut take = |files: Vec<PathBuf>| {
            let unknown =
                files.iter().map(|file| walk::text(file)).filter(|file| !self.numbers.contains_key(file));
            found.extend(unknown);
        };
        for folder in differs {
            let (files_here, folders_here) = walk::list(self.root, &folder, false);
            take(files_here);
            for below in folders_here.iter().filter(|below| **below != folder) {
                if !folders.contains(walk::text(below).as_str()) {
                    take(walk::list(self.root, below, true).0);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Reads what changed; what is beyond `most` is not shown.
    fn read(&mut self, changes: Changes, most: usize) -> Vec<Record> {
        let mut records = Vec::new();
        for number in changes.gone {
            let Some(entry) = self.entries.get(number as usize).cloned() else { continue };
            records.push(Record { entry, facts: None });
        }
        let changed = changes.changed.iter().filter_map(|number| {
            let entry = self.entries.get(*number as usize)?;
            let newer = self.newer.get(number);
            let gone = newer.is_some_and(|newer| newer.facts.is_none());
            let hash = newer.map_or(entry.hash, |newer| newer.entry.hash);
            Some((entry.path.clone(), Some(hash).filter(|_| !gone)))
        });
        let all: Vec<(String, Option<[u8; 16]>)> =
            changed.chain(changes.new.into_iter().map(|path| (path, None))).collect();
        if all.len() > most {
            self.number();
        }
        let mut parsed = 0;
        for (path, hash) in all {
            if parsed >= most {
                self.unread += 1;
                if let Some(entry) =
                    self.numbers.get(&path).and_then(|number| self.entries.get(*number as usize)).cloned()
                {
                    // Not kept: the next question tries again.
                    self.set(Record { entry: Entry { stamp: 0, ..entry }, facts: None });
                }
                continue;
            }
            let Some(mut read) = build::read(self.root, &path) else { continue };
            if hash == Some(read.entry.hash) {
                self.same += 1;
                continue;
            }
            parsed += 1;
            let facts = build::facts(&mut read.entry, &read.bytes, Depth::Symbols);
            records.push(Record { entry: read.entry, facts: Some(facts) });
        }
        if !records.is_empty() {
            self.number();
            for record in records.clone() {
                self.set(record);
            }
        }
        records
    }
}
