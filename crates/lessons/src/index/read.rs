//! Reads the file piece by piece. Every piece is checked as it is read: a damaged file gives fewer matches or an
//! error, never a wrong place in memory.

use super::{Block, Entry, FORMAT, Header, PRELUDE, Rule, Span, VERSION, checksum};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io;
use std::path::Path;

/// The file cannot be used; it must be rebuilt.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is damaged, or of another version.
    #[error("the compiled lessons are damaged or of another version; `sprag lessons build` rebuilds them")]
    Damaged,
    /// It cannot be read.
    #[error("the compiled lessons cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// The compiled lessons, open.
#[derive(Debug)]
pub struct Index {
    source: Source,
    head: Vec<u8>,
    body: u64,
    /// What it says of itself.
    pub header: Header,
}

#[derive(Debug)]
enum Source {
    File(File),
    Bytes(Vec<u8>),
}

/// The header and, with few lessons, much of the rest come with the first read.
const FIRST: usize = 8 * 1024;
/// No piece is larger.
const MAX_SPAN: u32 = 64 << 20;

impl Index {
    /// Opens the file; `None` when there is none, or something that is no regular file.
    pub fn open(path: &Path) -> Result<Option<Self>, Unreadable> {
        match sprag_base::files::open_regular(path)? {
            Some((file, _)) => Self::read(Source::File(file)).map(Some),
            None => Ok(None),
        }
    }

    /// The same from memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Unreadable> {
        Self::read(Source::Bytes(bytes))
    }

    fn read(source: Source) -> Result<Self, Unreadable> {
        let mut head = vec![0; FIRST];
        let got = source.read_at(&mut head, 0)?;
        head.truncate(got);
        let rest = head.strip_prefix(FORMAT).ok_or(Unreadable::Damaged)?;
        let (version, rest) = rest.split_first_chunk::<4>().ok_or(Unreadable::Damaged)?;
        let (len, rest) = rest.split_first_chunk::<4>().ok_or(Unreadable::Damaged)?;
        let (sum, _) = rest.split_first_chunk::<8>().ok_or(Unreadable::Damaged)?;
        let (len, sum) = (u32::from_le_bytes(*len), u64::from_le_bytes(*sum));
        if u32::from_le_bytes(*version) != VERSION || len > MAX_SPAN {
            return Err(Unreadable::Damaged);
        }
        let end = PRELUDE + len as usize;
        if head.len() < end {
            head = vec![0; end];
            if source.read_at(&mut head, 0)? < end {
                return Err(Unreadable::Damaged);
            }
        }
        let bytes = head.get(PRELUDE..end).ok_or(Unreadable::Damaged)?;
        if checksum(bytes) != sum {
            return Err(Unreadable::Damaged);
        }
        let header: Header = postcard::from_bytes(bytes).map_err(|_| Unreadable::Damaged)?;
        Ok(Self { source, head, body: end as u64, header })
    }

    /// Bytes of the body.
    pub(super) fn bytes(&self, span: Span) -> Option<Vec<u8>> {
        if span.len > MAX_SPAN || span.start.checked_add(u64::from(span.len))? > self.header.length {
            return None;
        }
        let at = self.body.checked_add(span.start)?;
        let from = usize::try_from(at).ok()?;
        if let Some(known) = self.head.get(from..from.checked_add(span.len as usize)?) {
            return Some(known.to_vec());
        }
        let mut bytes = vec![0; span.len as usize];
        (self.source.read_at(&mut bytes, at).ok()? == bytes.len()).then_some(bytes)
    }

    fn value<T: DeserializeOwned>(&self, span: Span) -> Option<T> {
        postcard::from_bytes(&self.bytes(span)?).ok()
    }

    /// The span with this number in a table of spans.
    pub(super) fn span(&self, table: Span, number: u32) -> Option<Span> {
        let start = u64::from(number).checked_mul(12)?;
        if start + 12 > u64::from(table.len) {
            return None;
        }
        span_of(&self.bytes(Span { start: table.start + start, len: 12 })?)
    }

    pub(super) fn rule(&self, number: u32) -> Option<Rule> {
        self.value(self.span(self.header.rules, number)?)
    }

    /// The lesson of a rank; the best has rank 0.
    pub fn entry(&self, rank: u32) -> Option<Entry> {
        self.value(self.span(self.header.entries, rank)?)
    }

    /// The lessons that speak at the start of a session, best first.
    pub fn at_start(&self) -> Vec<Entry> {
        if !self.header.speaks_at_start {
            return Vec::new();
        }
        let ranks: Vec<u32> = self.value(self.header.at_start).unwrap_or_default();
        ranks.into_iter().filter_map(|rank| self.entry(rank)).collect()
    }

    /// What is known of a tool.
    pub(super) fn blocks(&self, name: &str, found: &mut Vec<Block>) {
        if let Some(span) = self.tool(name) {
            found.extend(self.value::<Block>(span));
        }
        if self.header.wild.len > 0 {
            let wild: Vec<(String, Span)> = self.value(self.header.wild).unwrap_or_default();
            for (prefix, span) in wild {
                if name.starts_with(prefix.as_str()) {
                    found.extend(self.value::<Block>(span));
                }
            }
        }
    }

    fn tool(&self, name: &str) -> Option<Span> {
        const ROW: usize = 20;
        let bytes = self.bytes(self.header.tools)?;
        let wanted = checksum(name.as_bytes());
        let row = |number: usize| bytes.get(number * ROW..(number + 1) * ROW);
        let hash = |number: usize| row(number)?.first_chunk::<8>().map(|hash| u64::from_le_bytes(*hash));
        let (mut low, mut high) = (0, bytes.len() / ROW);
        while low < high {
            let middle = low.midpoint(high);
            if hash(middle)? < wanted { low = middle + 1 } else { high = middle }
        }
        (hash(low)? == wanted).then(|| span_of(row(low)?.get(8..)?))?
    }
}

fn span_of(bytes: &[u8]) -> Option<Span> {
    let (start, rest) = bytes.split_first_chunk::<8>()?;
    let (len, _) = rest.split_first_chunk::<4>()?;
    Some(Span { start: u64::from_le_bytes(*start), len: u32::from_le_bytes(*len) })
}

impl Source {
    /// Fills the buffer from a place; gives how much there was.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        match self {
            Self::File(file) => read_file(file, buffer, at),
            Self::Bytes(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
                let count = rest.len().min(buffer.len());
                for (to, from) in buffer.iter_mut().zip(rest) {
                    *to = *from;
                }
                Ok(count)
            }
        }
    }
}

#[cfg(unix)]
fn read_file(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    use std::os::unix::fs::FileExt as _;
    let mut done = 0;
    while done < buffer.len() {
        let rest = buffer.get_mut(done..).unwrap_or_default();
        match file.read_at(rest, at + done as u64)? {
            0 => break,
            count => done += count,
        }
    }
    Ok(done)
}

#[cfg(not(unix))]
fn read_file(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    let mut done = 0;
    while done < buffer.len() {
        match file.read(buffer.get_mut(done..).unwrap_or_default())? {
            0 => break,
            count => done += count,
        }
    }
    Ok(done)
}
