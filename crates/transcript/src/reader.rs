//! Reads a transcript from a position on. Never more than one line in memory; a last line that is half written
//! is left for the next time.

use crate::database;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_protocol::AgentId;
use sprag_protocol::agents::AGENTS;
use sprag_protocol::agents::spec::TranscriptFormat;
use sprag_protocol::decode::parse_object;
use sprag_protocol::transcript::{Facts, Record};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// A line with more bytes is passed over, without holding it.
pub const MAX_LINE: usize = 16 << 20;

/// A chat file that is one JSON document is not read beyond this size.
const MAX_DOCUMENT: u64 = 64 << 20;

/// So many records are remembered, to know one that is written again.
const REMEMBERED: usize = 32;

/// Where a reading ended, to go on from there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Bytes that were read.
    pub offset: u64,
    /// The last records, so that one that is written again is told only as far as it has grown.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    recent: VecDeque<Seen>,
    /// Messages that were told, of a file that is one document.
    #[serde(default, skip_serializing_if = "is_zero")]
    taken: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Cursor {
    /// A position in bytes.
    pub fn at(offset: u64) -> Self {
        Self { offset, ..Self::default() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    uuid: String,
    text: String,
    calls: usize,
    results: usize,
}

/// Records of a transcript, one after another.
pub struct Reader {
    input: Option<Input>,
    /// The format of a transcript in a database, which its lines alone need not show.
    format: Option<&'static TranscriptFormat>,
    cursor: Cursor,
    facts: Facts,
    ready: VecDeque<Record>,
    line: Vec<u8>,
    broken: u64,
    error: Option<io::Error>,
}

/// Where lines come from.
enum Input {
    File(BufReader<File>),
    Rendered(io::Cursor<Vec<u8>>),
}

impl Input {
    fn lines(&mut self) -> &mut dyn BufRead {
        match self {
            Self::File(file) => file,
            Self::Rendered(text) => text,
        }
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        match self {
            Self::File(file) => file.seek(SeekFrom::Start(offset)).map(drop),
            Self::Rendered(text) => text.seek(SeekFrom::Start(offset)).map(drop),
        }
    }

    fn len(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.get_ref().metadata()?.len()),
            Self::Rendered(text) => Ok(text.get_ref().len() as u64),
        }
    }
}

enum Line {
    Whole,
    TooLong,
    Half,
    End,
}

impl Reader {
    /// Opens a transcript at a position. A file that is not what it was (shorter, or no line ends there) is read
    /// from its beginning.
    pub fn open(path: &Path, cursor: Cursor) -> io::Result<Self> {
        if let Some(lines) = database::lines(path)? {
            return Self::rendered(path, lines, cursor);
        }
        let Some((mut file, len)) = files::open_regular(path)? else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let cursor = if line_ends_at(&mut file, cursor.offset, len)? { cursor } else { Cursor::default() };
        let mut reader = Self::new(cursor);
        if path.extension().is_some_and(|ext| ext == "json") {
            reader.read_document(file, len)?;
        } else {
            file.seek(SeekFrom::Start(reader.cursor.offset))?;
            reader.input = Some(Input::File(BufReader::with_capacity(64 << 10, file)));
        }
        Ok(reader)
    }

    fn new(cursor: Cursor) -> Self {
        Self {
            input: None,
            format: None,
            cursor,
            facts: Facts::default(),
            ready: VecDeque::new(),
            line: Vec::new(),
            broken: 0,
            error: None,
        }
    }

    /// The transcript of a session in a database.
    fn rendered(path: &Path, lines: Vec<u8>, cursor: Cursor) -> io::Result<Self> {
        let mut input = io::Cursor::new(lines);
        let len = input.get_ref().len() as u64;
        let cursor = if line_ends_at(&mut input, cursor.offset, len)? { cursor } else { Cursor::default() };
        let mut reader = Self::new(cursor);
        reader.format = database::agent(path).and_then(|agent| agent.transcript.format.as_ref());
        let mut input = Input::Rendered(input);
        input.seek(reader.cursor.offset)?;
        reader.input = Some(input);
        Ok(reader)
    }

    /// Opens a transcript so that at most the last `bytes` are read; begins with a whole line.
    pub fn tail(path: &Path, bytes: u64) -> io::Result<Self> {
        let mut reader = Self::open(path, Cursor::default())?;
        if let Some(input) = &mut reader.input {
            let len = input.len()?;
            if len > bytes {
                reader.cursor.offset = len - bytes;
                input.seek(reader.cursor.offset)?;
                reader.next_line()?;
            }
        }
        Ok(reader)
    }

    /// Where the next reading goes on. Right once all records were taken.
    pub const fn cursor(&self) -> &Cursor {
        &self.cursor
    }

    /// What the records so far said about the session.
    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Lines that were no JSON object, or too long.
    pub const fn broken(&self) -> u64 {
        self.broken
    }

    /// Why reading ended before the file did.
    pub const fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// A chat file that is one document: it is rewritten whole, so it is read whole.
    fn read_document(&mut self, mut file: File, len: u64) -> io::Result<()> {
        if len > MAX_DOCUMENT {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the chat file is larger than 64 MB"));
        }
        let mut bytes = Vec::with_capacity(len as usize);
        file.seek(SeekFrom::Start(0))?;
        file.take(MAX_DOCUMENT).read_to_end(&mut bytes)?;
        // Half written is unreadable; the next reading finds it whole.
        let Ok(value) = serde_json::from_slice::<Value>(&bytes) else {
            self.broken += 1;
            return Ok(());
        };
        self.cursor.offset = 0;
        let mut documents = formats().filter(|format| format.whole_document);
        let format = formats()
            .find(|format| format.whole_document && (format.is_own)(&value))
            .or_else(|| documents.next());
        let records = format.map(|format| (format.read)(&value, &mut self.facts)).unwrap_or_default();
        let told = self.cursor.taken.saturating_sub(REMEMBERED);
        self.cursor.taken = records.len();
        for record in records.into_iter().skip(told) {
            self.offer(record, 0);
        }
        Ok(())
    }

    /// Takes one line into `self.line`, without its end.
    fn next_line(&mut self) -> io::Result<Line> {
        self.line.clear();
        let Some(input) = &mut self.input else { return Ok(Line::End) };
        let input = input.lines();
        let mut length = 0;
        loop {
            let chunk = input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(if length == 0 { Line::End } else { Line::Half });
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = end.map_or(chunk, |end| chunk.get(..end).unwrap_or_default());
            if length + part.len() <= MAX_LINE {
                self.line.extend_from_slice(part);
            } else {
                self.line = Vec::new();
            }
            length += part.len();
            let used = part.len() + usize::from(end.is_some());
            input.consume(used);
            if end.is_some() {
                self.cursor.offset += length as u64 + 1;
                return Ok(if length > MAX_LINE { Line::TooLong } else { Line::Whole });
            }
        }
    }

    /// Reads lines until there is a record.
    fn fill(&mut self) -> io::Result<()> {
        while self.ready.is_empty() {
            let start = self.cursor.offset;
            match self.next_line()? {
                Line::End => return Ok(()),
                Line::TooLong => {
                    self.broken += 1;
                    continue;
                }
                Line::Whole if self.line.iter().all(u8::is_ascii_whitespace) => continue,
                Line::Whole => {}
                Line::Half => {
                    self.input = None;
                    // An object that is closed is whole, though its line is not.
                    if serde_json::from_slice::<serde::de::IgnoredAny>(&self.line).is_err() {
                        return Ok(());
                    }
                    self.cursor.offset += self.line.len() as u64;
                }
            }
            if !is_skipped(&self.line) {
                self.parse(start);
            }
        }
        Ok(())
    }

    fn parse(&mut self, start: u64) {
        let Ok(object) = parse_object(&self.line) else {
            self.broken += 1;
            return;
        };
        let value = Value::Object(object);
        let own = || formats().find(|format| (format.is_own)(&value));
        let format = self.format.or_else(own).or(AgentId::CANONICAL.spec().transcript.format.as_ref());
        let records = format.map(|format| (format.read)(&value, &mut self.facts)).unwrap_or_default();
        for record in records {
            self.offer(record, start);
        }
    }

    /// Keeps a record, or what is new of it.
    fn offer(&mut self, mut record: Record, start: u64) {
        record.offset = start;
        if !record.uuid.is_empty() {
            let text =
                if record.text.is_empty() { String::new() } else { short_hash(record.text.as_bytes()) };
            let known = self.cursor.recent.iter().position(|seen| seen.uuid == record.uuid);
            let (calls, results) = (record.calls.len(), record.results.len());
            if let Some(known) = known.and_then(|at| self.cursor.recent.remove(at)) {
                if known.text == text {
                    record.text.clear();
                    record.usage = None;
                }
                record.calls.drain(..known.calls.min(calls));
                record.results.drain(..known.results.min(results));
            }
            self.cursor.recent.push_back(Seen { uuid: record.uuid.clone(), text, calls, results });
            if self.cursor.recent.len() > REMEMBERED {
                self.cursor.recent.pop_front();
            }
        }
        if !record.is_empty() {
            self.ready.push_back(record);
        }
    }
}

impl Iterator for Reader {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        if self.ready.is_empty()
            && let Err(error) = self.fill()
        {
            self.error = Some(error);
            self.input = None;
        }
        self.ready.pop_front()
    }
}

/// The agents' formats.
fn formats() -> impl Iterator<Item = &'static TranscriptFormat> {
    AGENTS.iter().filter_map(|agent| agent.transcript.format.as_ref())
}

/// True for a line that need not be parsed.
fn is_skipped(line: &[u8]) -> bool {
    formats().flat_map(|format| format.skipped).any(|start| line.starts_with(start.as_bytes()))
}

/// True when a line ends right before or right at the position.
fn line_ends_at(file: &mut (impl io::Read + io::Seek), offset: u64, len: u64) -> io::Result<bool> {
    if offset == 0 || offset > len {
        return Ok(offset == 0);
    }
    file.seek(SeekFrom::Start(offset - 1))?;
    let mut around = [0; 2];
    let count = file.read(&mut around)?;
    Ok(around.get(..count).is_some_and(|bytes| count < 2 || bytes.contains(&b'\n')))
}
