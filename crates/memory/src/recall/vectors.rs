//! The vectors of all memories in one flat file, for a scan that a hook can afford. Derived from the store: a record per
//! vector, in the store's order, so that what is missing is what comes after the last record. Records of memories that
//! are gone stay until the file is rebuilt; the store is asked about every hit, so they are never shown.

use super::Error;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_encoder::{Query, Vector};
use sprag_store::{MemoryState, Reach, Store, StoredVector};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"SPRGVEC1";
const HEADER: usize = 64;
/// In front of a record's numbers: number, memory, whose it is, scale, padding.
const FRONT: usize = 32;
/// Rows per question to the store.
const PAGE: i64 = 2_000;
/// Bytes that one thread holds at a time: what was just copied is still near the processor.
const CHUNK: usize = 128 << 10;
/// From this many records on, two threads share the work.
const SHARE: u64 = 40_000;

/// The file with the vectors.
#[derive(Clone, Debug)]
pub struct VectorFile {
    path: PathBuf,
}

/// How the file and the store compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synced {
    /// The file has what the store has.
    Whole,
    /// It is this store's and this model's, and too much is missing for now: the background shall do it.
    Behind,
    /// There is none, or it is another store's or another model's.
    Foreign,
}

/// What a file must be to be believed: of this store, of this model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    key: [u8; 32],
    dimensions: usize,
}

impl Fit {
    /// A file of this store, with vectors of this model.
    pub fn new(state: &MemoryState, model: &str, dimensions: usize) -> Self {
        let hash = short_hash(format!("{}\0{model}", state.store).as_bytes());
        let mut key = [0; 32];
        key.iter_mut().zip(hash.bytes()).for_each(|(to, from)| *to = from);
        Self { key, dimensions }
    }
}

/// What a scan found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The nearest: number of the memory and cosine, the nearest first.
    pub nearest: Vec<(i64, f32)>,
    /// How many were compared.
    pub compared: u64,
    /// The mean of all cosines.
    pub mean: f32,
    /// How much they spread.
    pub deviation: f32,
}

impl Fit {
    fn read(file: &mut File) -> Option<Self> {
        let mut bytes = [0u8; HEADER];
        file.read_exact(&mut bytes).ok()?;
        let (magic, rest) = bytes.split_first_chunk::<8>()?;
        let (dimensions, rest) = rest.split_first_chunk::<4>()?;
        let (key, _) = rest.split_first_chunk::<32>()?;
        let dimensions = u32::from_le_bytes(*dimensions) as usize;
        (magic == MAGIC && (1..=8192).contains(&dimensions)).then_some(Self { key: *key, dimensions })
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(self.dimensions as u32).to_le_bytes());
        bytes.extend_from_slice(&self.key);
        bytes.resize(HEADER, 0);
        bytes
    }

    const fn record(&self) -> usize {
        FRONT + self.dimensions
    }
}

/// Whose a memory is, as a number.
fn owner(scope: &str, place: &str) -> u64 {
    if scope == "user" {
        return 0;
    }
    let hash = short_hash(format!("{scope}\0{place}").as_bytes());
    hash.get(..16).and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(1).max(1)
}

fn record(vector: &StoredVector, out: &mut Vec<u8>) {
    out.extend_from_slice(&vector.number.to_le_bytes());
    out.extend_from_slice(&vector.seq.to_le_bytes());
    out.extend_from_slice(&owner(&vector.scope, &vector.place).to_le_bytes());
    out.extend_from_slice(&vector.scale.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&vector.numbers);
}

impl VectorFile {
    /// The file in sprag's state folder. Nothing is opened.
    pub fn new(state: &Path) -> Self {
        Self { path: state.join("memory").join("vectors.bin") }
    }

    /// True when there may be something to recall. One look at the file system.
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Brings the file up to date with the store, adding at most `most` records when it fits the store at all.
    pub fn sync(
        &self,
        store: &mut Store,
        state: &MemoryState,
        model: &str,
        dimensions: usize,
        most: i64,
    ) -> Result<Synced, Error> {
        let wanted = Fit::new(state, model, dimensions);
        if self.last(&wanted) == Some(state.newest) {
            return Ok(Synced::Whole);
        }
        let lock = files::open_lock(&self.path.with_extension("lock"))?;
        if lock.try_lock().is_err() {
            // Somebody else is at it; what is there is good enough for now.
            return Ok(if self.last(&wanted).is_some() { Synced::Behind } else { Synced::Foreign });
        }
        match self.last(&wanted) {
            Some(last) if last <= state.newest => self.append(store, model, &wanted, last, most),
            _ if state.newest == 0 || most >= state.newest => self.rebuild(store, model, &wanted),
            _ => Ok(Synced::Foreign),
        }
    }

    /// Rebuilds the file, without what is gone.
    pub fn remake(&self, store: &mut Store, model: &str, dimensions: usize) -> Result<(), Error> {
        let lock = files::open_lock(&self.path.with_extension("lock"))?;
        lock.lock()?;
        let wanted = Fit::new(&store.memory_state(model)?, model, dimensions);
        self.rebuild(store, model, &wanted).map(|_| ())
    }

    /// How many records it has.
    pub fn records(&self) -> u64 {
        let open = || {
            let (mut file, _) = files::open(&self.path).ok()?;
            let header = Fit::read(&mut file)?;
            let bytes = file.metadata().ok()?.len().saturating_sub(HEADER as u64);
            Some(bytes / header.record() as u64)
        };
        open().unwrap_or(0)
    }

    /// The number of the last record; 0 for an empty file, `None` when there is none that fits.
    fn last(&self, wanted: &Fit) -> Option<i64> {
        let (mut file, _) = files::open(&self.path).ok()?;
        let header = Fit::read(&mut file)?;
        if header != *wanted {
            return None;
        }
        let size = header.record() as u64;
        let count = file.metadata().ok()?.len().saturating_sub(HEADER as u64) / size;
        if count == 0 {
            return Some(0);
        }
        file.seek(SeekFrom::Start(HEADER as u64 + (count - 1) * size)).ok()?;
        let mut number = [0u8; 8];
        file.read_exact(&mut number).ok()?;
        Some(i64::from_le_bytes(number))
    }

    fn append(
        &self,
        store: &mut Store,
        model: &str,
        header: &Fit,
        last: i64,
        most: i64,
    ) -> Result<Synced, Error> {
        let (mut file, _) = files::open_existing(&self.path)?;
        // A writer that died may have left a part of a record.
        let size = header.record() as u64;
        let whole = file.metadata()?.len().saturating_sub(HEADER as u64) / size * size + HEADER as u64;
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        let (mut last, mut added) = (last, 0);
        loop {
            let page = store.vectors_after(model, last, PAGE.min(most - added))?;
            let Some(newest) = page.last().map(|vector| vector.number) else { return Ok(Synced::Whole) };
            let mut bytes = Vec::new();
            page.iter().filter(|v| v.numbers.len() == header.dimensions).for_each(|v| record(v, &mut bytes));
            file.write_all(&bytes)?;
            added += page.len() as i64;
            last = newest;
            if added >= most {
                return Ok(Synced::Behind);
            }
        }
    }

    fn rebuild(&self, store: &mut Store, model: &str, header: &Fit) -> Result<Synced, Error> {
        let scratch = files::scratch_name(&self.path);
        files::write_atomic(&scratch, &header.bytes())?;
        let mut fill = || -> Result<(), Error> {
            let (mut file, _) = files::open_append(&scratch)?;
            let mut last = 0;
            loop {
                let page = store.vectors_after(model, last, PAGE)?;
                let Some(newest) = page.last().map(|vector| vector.number) else { break };
                let mut bytes = Vec::new();
                page.iter()
                    .filter(|v| v.numbers.len() == header.dimensions)
                    .for_each(|v| record(v, &mut bytes));
                file.write_all(&bytes)?;
                last = newest;
            }
            files::rename(&scratch, &self.path)?;
            Ok(())
        };
        let filled = fill();
        if filled.is_err() {
            let _ = files::remove(&scratch);
        }
        filled.map(|()| Synced::Whole)
    }

    /// Removes the file: there is nothing to recall.
    pub fn remove(&self) {
        let _ = files::remove(&self.path);
    }

    /// The nearest vectors in reach; none of a file that does not fit. Memory is bounded whatever the size.
    pub fn scan(&self, fit: &Fit, query: &Vector, reach: &Reach, most: usize) -> Result<Scan, Error> {
        let Some((mut file, _)) = files::open_regular(&self.path)? else { return Ok(Scan::default()) };
        let Some(header) = Fit::read(&mut file) else { return Ok(Scan::default()) };
        if header != *fit || header.dimensions != query.numbers.len() {
            return Ok(Scan::default());
        }
        let size = header.record();
        let count = file.metadata()?.len().saturating_sub(HEADER as u64) / size as u64;
        let owners = [0, owner("project", &reach.project), owner("agent", &reach.agent)];
        let owners = (!reach.all).then_some(owners);
        let part = |from: u64, to: u64| self.scan_part(query, owners.as_ref(), (from, to), size, most);
        let parts = if count >= SHARE {
            let middle = count / 2;
            std::thread::scope(|scope| {
                let second = scope.spawn(|| part(middle, count));
                let first = part(0, middle);
                let second =
                    second.join().unwrap_or_else(|_| Err(Error::Broken("the scan's thread died".into())));
                [first, second]
            })
        } else {
            [part(0, count), Ok(Tally::default())]
        };
        let mut all = Tally::default();
        for tally in parts {
            let tally = tally?;
            all.count += tally.count;
            all.sum += tally.sum;
            all.squares += tally.squares;
            all.nearest.extend(tally.nearest);
        }
        Ok(all.finish(most))
    }

    fn scan_part(
        &self,
        query: &Vector,
        owners: Option<&[u64; 3]>,
        (from, to): (u64, u64),
        size: usize,
        most: usize,
    ) -> Result<Tally, Error> {
        let (mut file, _) = files::open(&self.path)?;
        file.seek(SeekFrom::Start(HEADER as u64 + from * size as u64))?;
        let query = Query::new(query);
        let mut left = (to - from) as usize;
        let per_chunk = (CHUNK / size).max(1);
        let mut buffer = vec![0u8; per_chunk.min(left.max(1)) * size];
        let mut tally = Tally::default();
        while left > 0 {
            let now = per_chunk.min(left);
            let Some(part) = buffer.get_mut(..now * size) else { break };
            file.read_exact(part)?;
            for record in part.chunks_exact(size) {
                tally.take(record, &query, owners, most);
            }
            left -= now;
        }
        Ok(tally)
    }
}

/// What one thread has seen so far.
#[derive(Default)]
struct Tally {
    nearest: Vec<(i64, f32)>,
    floor: f32,
    count: u64,
    sum: f64,
    squares: f64,
}

impl Tally {
    fn take(&mut self, record: &[u8], query: &Query, owners: Option<&[u64; 3]>, most: usize) {
        let Some((front, numbers)) = record.split_first_chunk::<FRONT>() else { return };
        let word = |at: usize| front.as_chunks::<8>().0.get(at).copied().unwrap_or_default();
        if owners.is_some_and(|owners| !owners.contains(&u64::from_le_bytes(word(2)))) {
            return;
        }
        let [a, b, c, d, ..] = word(3);
        let cosine = query.cosine(numbers, f32::from_le_bytes([a, b, c, d]));
        self.count += 1;
        self.sum += f64::from(cosine);
        self.squares += f64::from(cosine * cosine);
        if self.nearest.len() >= 2 * most {
            self.cut(most);
        }
        if self.nearest.len() < most || cosine > self.floor {
            self.nearest.push((i64::from_le_bytes(word(1)), cosine));
        }
    }

    fn cut(&mut self, most: usize) {
        self.nearest.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        self.nearest.truncate(most);
        self.floor = self.nearest.last().map_or(f32::MIN, |(_, cosine)| *cosine);
    }

    fn finish(mut self, most: usize) -> Scan {
        self.cut(most);
        let count = self.count.max(1) as f64;
        let mean = self.sum / count;
        let deviation = (self.squares / count - mean * mean).max(0.0).sqrt();
        Scan { nearest: self.nearest, compared: self.count, mean: mean as f32, deviation: deviation as f32 }
    }
}
