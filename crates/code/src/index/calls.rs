//! The calls of files that were only scanned: a question about a name parses the files that contain it, with all cores, and
//! keeps what was found. The background index reads the rest.

use super::build::{self, Read};
use super::delta::{self, Record};
use super::{Entry, Index};
use crate::extract::Depth;
use crate::facts::Facts;
use memchr::memmem;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file that was only scanned.
pub(super) struct Text {
    file: u32,
    read: Read,
}

/// Bytes of texts that are kept in memory between the names of one question.
const MAX_TEXT_BYTES: usize = 64 << 20;

impl Index {
    /// The calls of a file are known.
    fn has_calls(&self, file: u32) -> bool {
        let newer = self.newer.get(&file).map(|newer| &newer.entry);
        let entry = newer.or_else(|| self.entries.get(file as usize));
        entry.is_none_or(|entry| entry.calls) || self.parsed.borrow().contains(&file)
    }

    /// The files of which only the symbols are known.
    pub(super) fn scanned(&self) -> Vec<u32> {
        self.files().filter(|file| !self.has_calls(*file)).collect()
    }

    /// Files that contain a name that was asked for and were not parsed, because they are too many for a hook.
    pub fn unparsed(&self) -> usize {
        self.unparsed.get()
    }

    /// Makes the calls of a file known.
    pub fn read_calls_of(&self, file: u32) {
        if !self.has_calls(file)
            && let Some(read) = build::read(&self.root, self.path(file))
        {
            self.add(vec![parsed(&Text { file, read })]);
        }
    }

    /// Makes the calls of these files known, with all cores, as far as so many bytes of text go; how many bytes are left,
    /// and how many files were left out.
    pub(crate) fn read_calls_of_all(&self, files: &[u32], mut bytes: usize) -> (usize, usize) {
        let root = self.root.as_path();
        let unread: Vec<(u32, &str)> = files
            .iter()
            .filter(|file| !self.has_calls(**file))
            .map(|file| (*file, self.path(*file)))
            .collect();
        let mut texts =
            in_parallel(&unread, |(file, path)| Some(Text { file: *file, read: build::read(root, path)? }));
        texts.sort_by_key(|text| text.file);
        let mut left_out = 0;
        texts.retain(|text| {
            let rest = bytes.checked_sub(text.read.bytes.len());
            bytes = rest.unwrap_or(bytes);
            left_out += usize::from(rest.is_none());
            rest.is_some()
        });
        self.add(in_parallel(&texts, |text| Some(parsed(text))));
        (bytes, left_out)
    }

    /// Bytes of text that a question may parse.
    pub(crate) fn parse_bytes(&self) -> usize {
        self.parse_bytes
    }

    /// Makes the calls of a name known: in the files that contain it and were only scanned.
    pub(super) fn read_calls(&self, name: &str) {
        if name.is_empty() || !self.asked.borrow_mut().insert(name.to_owned()) {
            return;
        }
        let scanned = self.scanned();
        if scanned.is_empty() {
            return;
        }
        let texts = self.texts.take().unwrap_or_else(|| {
            let root = self.root.as_path();
            let files: Vec<(u32, &str)> = scanned.iter().map(|file| (*file, self.path(*file))).collect();
            in_parallel(&files, |(file, path)| Some(Text { file: *file, read: build::read(root, path)? }))
        });
        let finder = memmem::Finder::new(name);
        let mut left = self.parse_bytes;
        let mut wanted: Vec<&Text> = Vec::new();
        for text in texts.iter().filter(|text| !self.parsed.borrow().contains(&text.file)) {
            if !contains(&finder, &text.read.bytes, name) {
                continue;
            }
            match left.checked_sub(text.read.bytes.len()) {
                Some(rest) => {
                    left = rest;
                    wanted.push(text);
                }
                None => self.unparsed.set(self.unparsed.get() + 1),
            }
        }
        self.add(in_parallel(&wanted, |text| Some(parsed(text))));
        if texts.iter().map(|text| text.read.bytes.len()).sum::<usize>() <= MAX_TEXT_BYTES {
            self.texts.replace(Some(texts));
        }
    }

    /// Takes over and keeps what was parsed.
    fn add(&self, parsed: Vec<(u32, Entry, Facts)>) {
        if parsed.is_empty() {
            return;
        }
        let mut records = Vec::with_capacity(parsed.len());
        for (file, entry, facts) in parsed {
            self.known.borrow_mut().insert(file, Rc::new(facts.clone()));
            self.parsed.borrow_mut().insert(file);
            records.push(Record { entry, facts: Some(facts) });
        }
        let mut state = self.delta.get();
        delta::keep(&self.dir, self.base.id, &mut state, &records);
        self.delta.set(state);
    }
}

fn parsed(text: &Text) -> (u32, Entry, Facts) {
    let mut entry = text.read.entry.clone();
    let facts = build::facts(&mut entry, &text.read.bytes, Depth::Calls);
    (text.file, entry, facts)
}

/// A text has a name as a word of its own.
fn contains(finder: &memmem::Finder<'_>, text: &[u8], name: &str) -> bool {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80);
    finder.find_iter(text).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        !is_word(before) && !is_word(text.get(at + name.len()))
    })
}

/// Does something with each of a list, with all cores; in no order.
fn in_parallel<T: Sync, R: Send>(list: &[T], work: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16).min(list.len());
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(list.len())));
    let run = || {
        while let Some(one) = list.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let (Some(result), Ok(mut done)) = (work(one), done.lock()) {
                done.push(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    done.into_inner().unwrap_or_default()
}
