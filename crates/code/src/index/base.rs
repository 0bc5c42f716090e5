//! The flat file: a header, the list of files, the names in order with the files that define and call them, and the
//! facts of each file. A question reads the header, the list, and the few places of the name; never the whole file.

use super::Entry;
use crate::facts::Facts;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// Changes when what is kept changes; an index of another version is made again.
const MAGIC: &[u8; 8] = b"SPRAGCX4";
/// What another release of the program found in a text may differ.
const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// Bytes of the header: the magic, then eight numbers.
const HEADER: usize = 8 + 8 * 8;

/// The files that define, that call and that mention a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Postings {
    pub defined: Vec<u32>,
    pub called: Vec<u32>,
    /// Files that import it, or read it from something, without calling it.
    pub mentioned: Vec<u32>,
}

/// The list of files.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Listing {
    pub entries: Vec<Entry>,
    /// Folders that were walked, with what tells a change in them.
    pub folders: Vec<(String, u64)>,
    /// Where each file's facts end, from the end of the one before.
    lengths: Vec<u32>,
    /// Symbols of each file.
    symbols: Vec<u32>,
}

/// A base that is open.
pub(super) struct Base {
    file: File,
    /// Which base it is: what is appended elsewhere belongs to one.
    pub id: u64,
    names_at: u64,
    names: u64,
    names_data: u64,
    facts_at: u64,
    starts: Vec<u64>,
    counts: Vec<u32>,
    /// Symbols in all.
    pub symbols: usize,
}

impl Base {
    /// Opens the file; `None` when there is none or it is of another version or not whole.
    pub(super) fn open(path: &Path) -> io::Result<Option<(Self, Listing)>> {
        let Some((file, whole)) = sprag_base::files::open_regular(path)? else { return Ok(None) };
        let mut header = [0; HEADER];
        if read_at(&file, 0, &mut header).is_err() || !header.starts_with(MAGIC) {
            return Ok(None);
        }
        let number = |at: usize| {
            let bytes = header.get(8 + at * 8..16 + at * 8).and_then(|bytes| bytes.try_into().ok());
            u64::from_le_bytes(bytes.unwrap_or_default())
        };
        let [id, list_at, names_at, names, names_data, facts_at, end, release] =
            [0, 1, 2, 3, 4, 5, 6, 7].map(number);
        let rising = [HEADER as u64, list_at, names_at, names_data, facts_at, end, whole];
        if release != this_release()
            || end != whole
            || !rising.is_sorted()
            || (names_data - names_at) / 4 != names + 1
        {
            return Ok(None);
        }
        let mut bytes = vec![0; (names_at - list_at) as usize];
        read_at(&file, list_at, &mut bytes)?;
        let Ok(mut listing) = postcard::from_bytes::<Listing>(&bytes) else { return Ok(None) };
        let mut starts = Vec::with_capacity(listing.lengths.len() + 1);
        let mut at = facts_at;
        for length in &listing.lengths {
            starts.push(at);
            at += u64::from(*length);
        }
        starts.push(at);
        if listing.lengths.len() != listing.entries.len() || at != end {
            return Ok(None);
        }
        let counts = std::mem::take(&mut listing.symbols);
        let symbols = counts.iter().map(|count| *count as usize).sum();
        let base = Self { file, id, names_at, names, names_data, facts_at, starts, counts, symbols };
        Ok(Some((base, listing)))
    }

    /// What is known of a file.
    pub(super) fn facts(&self, file: u32) -> Option<Facts> {
        postcard::from_bytes(&self.encoded(file)?).ok()
    }

    /// The same as it is kept.
    pub(super) fn encoded(&self, file: u32) -> Option<Vec<u8>> {
        let start = *self.starts.get(file as usize)?;
        let end = *self.starts.get(file as usize + 1)?;
        debug_assert!(start >= self.facts_at);
        self.read(start, end)
    }

    pub(super) fn symbols_of(&self, file: u32) -> usize {
        self.counts.get(file as usize).copied().unwrap_or(0) as usize
    }

    /// The files of a name, by halving.
    pub(super) fn postings(&self, name: &str) -> Option<Postings> {
        let (mut low, mut high) = (0, self.names);
        while low < high {
            let middle = low + (high - low) / 2;
            let (found, rest) = self.name(middle)?;
            match found.as_str().cmp(name) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return postcard::from_bytes(&rest).ok(),
            }
        }
        None
    }

    /// The name at a place, and what is kept of it.
    fn name(&self, at: u64) -> Option<(String, Vec<u8>)> {
        let bounds = self.read(self.names_at + at * 4, self.names_at + at * 4 + 8)?;
        let (start, end) = bounds.split_at_checked(4)?;
        let number = |bytes: &[u8]| Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?)));
        let entry = self.read(self.names_data + number(start)?, self.names_data + number(end)?)?;
        split(&entry).map(|(name, rest)| (name.to_owned(), rest.to_vec()))
    }

    /// The names of symbols that `wanted` takes.
    pub(super) fn names(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let Some(bytes) = self.read(self.names_at, self.facts_at) else { return Vec::new() };
        let table = (self.names_data - self.names_at) as usize;
        let Some((table, data)) = bytes.split_at_checked(table) else { return Vec::new() };
        let offset = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize);
        let ends = table.chunks_exact(4).skip(1).filter_map(offset);
        let starts = table.chunks_exact(4).filter_map(offset);
        starts
            .zip(ends)
            .filter_map(|(start, end)| {
                let (name, rest) = split(data.get(start..end)?)?;
                // The list of those that define it comes first; an empty one begins with a zero.
                (rest.first() != Some(&0) && wanted(name)).then(|| name.to_owned())
            })
            .collect()
    }

    fn read(&self, from: u64, to: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; to.checked_sub(from)? as usize];
        read_at(&self.file, from, &mut bytes).ok()?;
        Some(bytes)
    }
}

/// This release, as a number.
fn this_release() -> u64 {
    let hash = super::hash(RELEASE.as_bytes());
    hash.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// A name and what follows it.
fn split(entry: &[u8]) -> Option<(&str, &[u8])> {
    let end = entry.iter().position(|byte| *byte == 0)?;
    let (name, rest) = entry.split_at_checked(end)?;
    Some((std::str::from_utf8(name).ok()?, rest.get(1..)?))
}

fn read_at(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, bytes, at);
    #[cfg(windows)]
    {
        let mut done = 0;
        while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match std::os::windows::fs::FileExt::seek_read(file, rest, at + done as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
        Ok(())
    }
}

/// One file on its way into a base.
pub(super) struct Packed {
    pub entry: Entry,
    /// Its facts, as they are kept.
    pub facts: Vec<u8>,
    pub symbols: u32,
    /// Names that it defines, each once, each with a zero behind it.
    defined: String,
    /// Names that it calls, likewise.
    called: String,
    /// Names that it mentions otherwise, likewise.
    mentioned: String,
}

impl Packed {
    /// Packs what is known of a file.
    pub(super) fn new(entry: Entry, facts: &Facts) -> Self {
        let once = |mut names: Vec<&str>| {
            names.sort_unstable();
            names.dedup();
            let mut all = String::with_capacity(names.iter().map(|name| name.len() + 1).sum());
            for name in names.into_iter().filter(|name| !name.contains('\0')) {
                all.push_str(name);
                all.push('\0');
            }
            all
        };
        Self {
            entry,
            facts: postcard::to_stdvec(facts).unwrap_or_default(),
            symbols: facts.symbols.len() as u32,
            defined: once(facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect()),
            called: once(super::all_called(facts)),
            mentioned: once(super::mentioned(facts, facts.values.unpack().as_ref())),
        }
    }
}

/// The bytes of a base with these files.
pub(super) fn encode(files: Vec<Packed>, folders: Vec<(String, u64)>, id: u64) -> Vec<u8> {
    let mut names: HashMap<&str, Postings> = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        for name in file.defined.split_terminator('\0') {
            names.entry(name).or_default().defined.push(number as u32);
        }
        for name in file.called.split_terminator('\0') {
            names.entry(name).or_default().called.push(number as u32);
        }
        for name in file.mentioned.split_terminator('\0') {
            names.entry(name).or_default().mentioned.push(number as u32);
        }
    }
    let mut names: Vec<(&str, Postings)> = names.into_iter().collect();
    names.sort_unstable_by_key(|(name, _)| *name);
    let count = names.len() as u64;
    let (mut table, mut data) = (Vec::new(), Vec::new());
    for (name, postings) in names {
        table.extend((data.len() as u32).to_le_bytes());
        data.extend(name.as_bytes());
        data.push(0);
        data.extend(postcard::to_stdvec(&postings).unwrap_or_default());
    }
    let mut listing = Listing { folders, ..Listing::default() };
    let mut facts = Vec::with_capacity(files.iter().map(|file| file.facts.len()).sum());
    for file in files {
        listing.lengths.push(file.facts.len() as u32);
        listing.symbols.push(file.symbols);
        listing.entries.push(file.entry);
        facts.extend(file.facts);
    }
    table.extend((data.len() as u32).to_le_bytes());
    let listing = postcard::to_stdvec(&listing).unwrap_or_default();
    let list_at = HEADER as u64;
    let names_at = list_at + listing.len() as u64;
    let names_data = names_at + table.len() as u64;
    let facts_at = names_data + data.len() as u64;
    let end = facts_at + facts.len() as u64;
    let mut bytes = Vec::with_capacity(end as usize);
    bytes.extend(MAGIC);
    for number in [id, list_at, names_at, count, names_data, facts_at, end, this_release()] {
        bytes.extend(number.to_le_bytes());
    }
    for part in [listing, table, data, facts] {
        bytes.extend(part);
    }
    bytes
}
