//! Seals of the journal: what was written before a seal cannot be changed or removed unnoticed.
//!
//! A seal says how many bytes of a journal file there were and what their hash is, carries the code of the seal before
//! it, and is authenticated with a key. The worker makes them; events append their line as ever and know nothing of it.
//! A file keeps its name for a moment only (the journal in use is renamed), so it is known by its first line.

use crate::journal;
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::{full_hash, keyed_hash, random_key};
use sprag_base::paths::{Paths, from_home};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_project::Project;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The journal in use gets a new seal when the last one is older than this; closed files get theirs at once.
pub const EVERY: Duration = Duration::from_secs(600);
/// The most bytes of seals that are kept.
const MAX_SEALS_BYTES: usize = 4 << 20;

/// Why a seal was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Lines were added.
    #[default]
    Grown,
    /// Rotation removed the file: more than `[journal] keep` were there, or more than `[disk] budget_mb`.
    Rotated,
    /// `sprag data delete` wrote the file without some entries.
    Rewritten,
    /// `sprag data delete` removed the file, or wrote it under another first line.
    Deleted,
}

/// One seal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// Its number, from 1.
    pub n: u64,
    /// When, RFC 3339.
    pub t: String,
    /// The file, by the hash of its first line.
    pub file: String,
    /// Why.
    pub reason: Reason,
    /// How many bytes of the file are sealed.
    pub bytes: u64,
    /// How many lines they are.
    pub lines: u64,
    /// Their hash.
    pub hash: String,
    /// The code of the seal before this one; empty for the first.
    pub prev: String,
    /// The code of this seal.
    pub mac: String,
}

impl Seal {
    fn code(&self, key: &[u8; 32]) -> String {
        let Self { n, t, file, reason, bytes, lines, hash, prev, mac: _ } = self;
        keyed_hash(key, format!("{n}\0{t}\0{file}\0{reason:?}\0{bytes}\0{lines}\0{hash}\0{prev}").as_bytes())
    }

    fn is_end(&self) -> bool {
        matches!(self.reason, Reason::Rotated | Reason::Deleted)
    }
}

/// A line of the file outside of the state folder: the newest seal at a point in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The seal's number.
    pub n: u64,
    /// When it was made.
    pub t: String,
    /// Its code.
    pub mac: String,
}

/// The seals.
pub fn file(paths: &Paths) -> PathBuf {
    paths.state.join("seals.jsonl")
}

/// The key of the seals. It is not in the state folder, which is what backups and clean-up jobs handle.
pub fn key_file(paths: &Paths) -> PathBuf {
    paths.config.join("journal.key")
}

fn key(paths: &Paths) -> io::Result<Option<[u8; 32]>> {
    let Some(text) = files::read_whole(&key_file(paths), files::SMALL)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&text);
    let byte = |at: usize| u8::from_str_radix(text.trim().get(at * 2..at * 2 + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
    let key = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    key.map(Some).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it holds no key of 64 digits"))
}

fn key_or_new(paths: &Paths) -> io::Result<[u8; 32]> {
    if let Some(key) = key(paths)? {
        return Ok(key);
    }
    let key = random_key();
    let text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    files::write_durable(&key_file(paths), format!("{text}\n").as_bytes())?;
    Ok(key)
}

/// Reads the seals; lines that are none are an error, because nobody but sprag writes there.
fn seals(paths: &Paths) -> io::Result<Vec<Seal>> {
    let bytes = files::read_whole(&file(paths), files::STATE)?.unwrap_or_default();
    lines_of(&bytes)
}

fn lines_of<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> io::Result<Vec<T>> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            serde_json::from_slice(line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
        })
        .collect()
}

/// A journal file as it is now.
struct Segment {
    path: PathBuf,
    id: String,
    bytes: Vec<u8>,
    /// Events still write to it.
    open: bool,
}

/// The journal's files, oldest first. What stands behind the last line's end is not there yet.
fn segments(paths: &Paths) -> io::Result<Vec<Segment>> {
    let mut found = Vec::new();
    for path in journal::all_files(paths) {
        let Some(mut bytes) = files::read_whole(&path, files::STATE)? else { continue };
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
        if let Some(id) = id_of(&bytes) {
            found.push(Segment { open: path == paths.journal(), path, id, bytes });
        }
    }
    Ok(found)
}

fn id_of(bytes: &[u8]) -> Option<String> {
    let first = bytes.split(|byte| *byte == b'\n').next().filter(|line| !line.is_empty())?;
    Some(full_hash(first))
}

fn sealed_part<'a>(segment: &'a Segment, seal: &Seal) -> Option<&'a [u8]> {
    segment.bytes.get(..usize::try_from(seal.bytes).ok()?)
}

fn holds(segment: &Segment, seal: &Seal) -> bool {
    sealed_part(segment, seal).is_some_and(|part| full_hash(part) == seal.hash)
}

/// The chain that new seals are added to.
struct Chain {
    key: [u8; 32],
    seals: Vec<Seal>,
    added: Vec<u8>,
    now: Stamp,
}

impl Chain {
    fn open(paths: &Paths, now: Stamp) -> io::Result<Self> {
        Ok(Self { key: key_or_new(paths)?, seals: seals(paths)?, added: Vec::new(), now })
    }

    fn last_of(&self, id: &str) -> Option<&Seal> {
        self.seals.iter().rev().find(|seal| seal.file == id)
    }

    fn add(&mut self, id: &str, part: &[u8], reason: Reason) {
        let last = self.seals.last();
        let mut seal = Seal {
            n: last.map_or(1, |last| last.n + 1),
            t: self.now.to_string(),
            file: id.to_owned(),
            reason,
            bytes: part.len() as u64,
            lines: count_lines(part),
            hash: full_hash(part),
            prev: last.map(|last| last.mac.clone()).unwrap_or_default(),
            mac: String::new(),
        };
        seal.mac = seal.code(&self.key);
        self.added.extend(serde_json::to_vec(&seal).unwrap_or_default());
        self.added.push(b'\n');
        self.seals.push(seal);
    }

    /// Writes the new seals, and the last one's code to the place outside.
    fn close(self, paths: &Paths, head: Option<&Path>) -> io::Result<()> {
        let Some(last) = self.seals.last().filter(|_| !self.added.is_empty()) else { return Ok(()) };
        files::append(&file(paths), &self.added)?;
        if let Some(head) = head {
            let line = Head { n: last.n, t: last.t.clone(), mac: last.mac.clone() };
            let mut line = serde_json::to_vec(&line).map_err(io::Error::other)?;
            line.push(b'\n');
            files::append_foreign(head, &line)?;
        }
        Ok(())
    }
}

fn count_lines(part: &[u8]) -> u64 {
    (part.split(|byte| *byte == b'\n').count() - 1) as u64
}

/// Seals what the journal has gained. `keep`: how many rotated files stay. `head`: the file outside.
/// A file that does not hold what was sealed of it gets no new seal, so that `verify` goes on finding it.
pub fn run(paths: &Paths, keep: u32, head: Option<&Path>, now: Stamp) -> io::Result<()> {
    let lock = files::open_lock(&paths.state.join("journal.lock"))?;
    lock.lock()?;
    let segments = segments(paths)?;
    if segments.is_empty() {
        return Ok(());
    }
    let mut chain = Chain::open(paths, now)?;
    let recent = chain.seals.last().and_then(|seal| Stamp::parse(&seal.t));
    let due = recent.is_none_or(|last| last.after(EVERY) <= now);
    for segment in segments.iter().filter(|segment| !segment.open || due) {
        let reason = match chain.last_of(&segment.id) {
            Some(seal) if seal.bytes >= segment.bytes.len() as u64 || !holds(segment, seal) => continue,
            _ => Reason::Grown,
        };
        chain.add(&segment.id, &segment.bytes, reason);
    }
    for gone in rotated_away(&chain.seals, &segments, keep) {
        chain.add(&gone, b"", Reason::Rotated);
    }
    shorten(paths, &mut chain, &segments)?;
    chain.close(paths, head)
}

/// The files that rotation removed: older than all that are there, while as many as are kept are there.
fn rotated_away(seals: &[Seal], segments: &[Segment], keep: u32) -> Vec<String> {
    let closed = segments.iter().filter(|segment| !segment.open).count();
    if closed < keep as usize {
        return Vec::new();
    }
    let first_seal_of_present =
        seals.iter().position(|seal| segments.iter().any(|segment| segment.id == seal.file));
    let older = seals.iter().take(first_seal_of_present.unwrap_or(seals.len()));
    let mut gone: Vec<String> = Vec::new();
    for seal in older {
        let ended = seals.iter().any(|other| other.file == seal.file && other.is_end());
        if !ended && !gone.contains(&seal.file) {
            gone.push(seal.file.clone());
        }
    }
    gone
}

/// Drops seals at the beginning whose files are gone, when there are very many.
fn shorten(paths: &Paths, chain: &mut Chain, segments: &[Segment]) -> io::Result<()> {
    let len = files::read_whole(&file(paths), files::STATE)?.map_or(0, |bytes| bytes.len());
    if len <= MAX_SEALS_BYTES {
        return Ok(());
    }
    let present = |seal: &Seal| segments.iter().any(|segment| segment.id == seal.file);
    let from = chain.seals.iter().position(present).unwrap_or_default();
    chain.seals.drain(..from);
    let mut kept = Vec::new();
    for seal in &chain.seals {
        kept.extend(serde_json::to_vec(seal).unwrap_or_default());
        kept.push(b'\n');
    }
    // What was added is in `kept` already.
    files::write_atomic(&file(paths), kept.get(..kept.len() - chain.added.len()).unwrap_or_default())
}

/// Seals that a rotated file goes for the sake of its room. One that does not hold what was sealed of it stays, so that `verify` goes on
/// finding it. The caller holds the journal's lock.
pub(crate) fn removed(paths: &Paths, rotated: &Path, now: Stamp) -> io::Result<()> {
    if !file(paths).exists() {
        return Ok(());
    }
    let segments = segments(paths)?;
    let Some(segment) = segments.iter().find(|segment| segment.path == rotated) else { return Ok(()) };
    let mut chain = Chain::open(paths, now)?;
    let Some(seal) = chain.last_of(&segment.id) else { return Ok(()) };
    if !holds(segment, seal) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the journal does not hold what was sealed of it",
        ));
    }
    chain.add(&segment.id, b"", Reason::Rotated);
    chain.close(paths, None)
}

/// Seals the files as `sprag data delete` left them. The caller holds the journal's lock.
pub(crate) fn rewritten(paths: &Paths, now: Stamp) -> io::Result<()> {
    if !file(paths).exists() {
        return Ok(());
    }
    let segments = segments(paths)?;
    let mut chain = Chain::open(paths, now)?;
    let mut known: Vec<String> = chain.seals.iter().map(|seal| seal.file.clone()).collect();
    known.sort();
    known.dedup();
    for id in known {
        let gone = !segments.iter().any(|segment| segment.id == id);
        if gone && chain.last_of(&id).is_some_and(|seal| !seal.is_end()) {
            chain.add(&id, b"", Reason::Deleted);
        }
    }
    for segment in &segments {
        if chain.last_of(&segment.id).is_none_or(|seal| !holds(segment, seal)) {
            chain.add(&segment.id, &segment.bytes, Reason::Rewritten);
        }
    }
    chain.close(paths, None)
}

/// What `verify` found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Lines of a file are not what they were: from the line after the last seal that holds to the first that does not.
    Changed {
        /// The file.
        path: PathBuf,
        /// The first line that may be meant, from 1.
        from: u64,
        /// The last.
        to: u64,
        /// The seal that does not hold.
        seal: u64,
    },
    /// A sealed file is not there, and rotation did not remove it.
    Missing {
        /// How many lines were sealed.
        lines: u64,
        /// Its last seal.
        seal: u64,
        /// When that was made.
        t: String,
    },
    /// A seal does not fit its neighbours or was not made with the key.
    Chain {
        /// Its number.
        seal: u64,
    },
    /// The place outside knows a seal that is not there any more, or another one of that number.
    Head {
        /// Its number.
        seal: u64,
    },
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// How many seals there are.
    pub seals: u64,
    /// When the last one was made.
    pub last: Option<String>,
    /// Lines under a seal that holds.
    pub sealed: u64,
    /// Lines that no seal covers yet.
    pub unsealed: u64,
    /// Sealed files that rotation removed.
    pub rotated: usize,
    /// Seals that `sprag data delete` made: their times.
    pub rewritten: Vec<String>,
    /// How many heads were compared.
    pub heads: usize,
}

/// The file outside of the state folder that the user named for the newest seal.
pub fn head_file(host: &Host) -> Option<PathBuf> {
    let resolved = sprag_config::load(host, &Project::default()).resolved;
    let named = resolved.sections.journal().seal_head;
    Some(from_home(named, &host.paths.home, Path::new(""))).filter(|path| path.is_absolute())
}

/// Compares the journal with its seals.
pub fn verify(paths: &Paths, head: Option<&Path>) -> io::Result<Verified> {
    let lock = files::open_lock(&paths.state.join("journal.lock"))?;
    lock.lock()?;
    let (segments, seals) = (segments(paths)?, seals(paths)?);
    let mut found = Verified {
        seals: seals.len() as u64,
        last: seals.last().map(|seal| seal.t.clone()),
        ..Verified::default()
    };
    let key = key(paths)?;
    let mut before: Option<&Seal> = None;
    for seal in &seals {
        let follows = before.is_none_or(|before| seal.prev == before.mac && seal.n == before.n + 1);
        // The seals of files that are long gone were dropped: then the first one has a number above 1.
        let first = before.is_some() || seal.n > 1 || seal.prev.is_empty();
        if !follows || !first || key.is_none_or(|key| seal.code(&key) != seal.mac) {
            found.faults.push(Fault::Chain { seal: seal.n });
        }
        before = Some(seal);
    }
    let mut by_file: BTreeMap<&str, Vec<&Seal>> = BTreeMap::new();
    for seal in &seals {
        by_file.entry(&seal.file).or_default().push(seal);
        if matches!(seal.reason, Reason::Rewritten | Reason::Deleted) && !found.rewritten.contains(&seal.t) {
            found.rewritten.push(seal.t.clone());
        }
    }
    for segment in &segments {
        let of_file = by_file.remove(segment.id.as_str()).unwrap_or_default();
        check(segment, &of_file, &mut found);
    }
    for of_file in by_file.into_values() {
        match of_file.last() {
            Some(last) if last.reason == Reason::Rotated => found.rotated += 1,
            Some(last) if !last.is_end() => {
                found.faults.push(Fault::Missing { lines: last.lines, seal: last.n, t: last.t.clone() });
            }
            _ => {}
        }
    }
    if let Some(head) = head {
        let bytes = files::read_whole(head, files::STATE)?.unwrap_or_default();
        for head in lines_of::<Head>(&bytes)? {
            found.heads += 1;
            let first = seals.first().map_or(u64::MAX, |seal| seal.n);
            let same = seals.iter().any(|seal| seal.n == head.n && seal.mac == head.mac);
            if !same && head.n >= first || seals.is_empty() {
                found.faults.push(Fault::Head { seal: head.n });
            }
        }
    }
    Ok(found)
}

fn check(segment: &Segment, seals: &[&Seal], found: &mut Verified) {
    // What was sealed before a deletion that the user wanted is no longer what the file has to hold.
    let from = seals.iter().rposition(|seal| seal.reason != Reason::Grown).unwrap_or_default();
    let mut good = 0;
    for seal in seals.get(from..).unwrap_or_default() {
        if holds(segment, seal) {
            good = seal.lines;
            continue;
        }
        found.faults.push(Fault::Changed {
            path: segment.path.clone(),
            from: good + 1,
            to: seal.lines,
            seal: seal.n,
        });
        found.sealed += good;
        return;
    }
    found.sealed += good;
    found.unsealed += count_lines(&segment.bytes).saturating_sub(good);
}

#[cfg(test)]
mod tests;
