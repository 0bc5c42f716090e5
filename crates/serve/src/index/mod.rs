//! The journal for people who look: a small record per line, read from the newest line backwards, kept up to date by what
//! is appended. A journal of any length is open at once; what is older comes while somebody already looks.

pub(crate) mod names;
pub(crate) mod segment;

use names::Dictionary;
use segment::{FolderSums, HookDay, Record, RuleDay, Segment, Sums, Verdict};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_runtime::journal::{self, Entry};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much is read at a time.
const PIECE: u64 = 8 << 20;
/// A segment that grows is followed by another one from here on.
const SEGMENT: u64 = 16 << 20;
/// The longest line that is shown.
const LINE: u64 = 1 << 20;

/// A journal file. It is known by its first line, which stays when it is renamed.
#[derive(Debug)]
struct JournalFile {
    id: String,
    path: PathBuf,
    /// Lines before this are to be read.
    unread: u64,
    /// Lines up to here are read, but for those before `unread`.
    end: u64,
    /// The parts that were read, oldest first: where each begins.
    segments: Vec<(u64, Segment)>,
}

/// All that is known of the journal.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Oldest first.
    files: Vec<JournalFile>,
    names: Dictionary,
    /// Grows with every change.
    pub(crate) version: u64,
}

/// Where an event's line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventId {
    file: String,
    offset: u64,
}

impl EventId {
    /// Reads what [`EventId`]'s text was.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (file, offset) = text.split_once('-')?;
        let hex = !file.is_empty() && file.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(Self { file: hex.then(|| file.to_owned())?, offset: offset.parse().ok()? })
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}-{}", self.file, self.offset)
    }
}

/// Which events are wanted; what is empty does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) session: String,
    pub(crate) hook: String,
    pub(crate) tool: String,
    pub(crate) event: String,
    pub(crate) agent: String,
    pub(crate) rule: String,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) errors: bool,
    /// Before this time, in microseconds.
    pub(crate) before: Option<u64>,
}

/// One event with its texts.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) id: EventId,
    pub(crate) at: u64,
    pub(crate) us: u32,
    pub(crate) chars: u32,
    pub(crate) session: String,
    pub(crate) rule: String,
    pub(crate) tool: String,
    pub(crate) event: String,
    pub(crate) agent: String,
    pub(crate) verdict: Verdict,
    pub(crate) error: bool,
    path: PathBuf,
}

impl Listed {
    /// The whole entry.
    pub(crate) fn entry(&self) -> Option<Entry> {
        serde_json::from_str(&read_line(&self.path, self.id.offset)?).ok()
    }
}

fn read_line(path: &Path, offset: u64) -> Option<String> {
    let (mut file, _) = files::open_regular(path).ok()??;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut line = Vec::new();
    BufReader::new(file).take(LINE).read_until(b'\n', &mut line).ok()?;
    String::from_utf8(line).ok()
}

/// The index, shared by whoever looks.
#[derive(Debug)]
pub(crate) struct Index {
    paths: Paths,
    known: Mutex<Known>,
}

impl Index {
    /// Nothing is read yet.
    pub(crate) fn new(paths: Paths) -> Self {
        Self { paths, known: Mutex::new(Known::default()) }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known now, with what was appended since.
    pub(crate) fn look(&self) -> MutexGuard<'_, Known> {
        let mut known = self.lock();
        known.refresh(&self.paths);
        known
    }

    /// Reads one more piece of what is older; false when there is none.
    pub(crate) fn read_older(&self) -> bool {
        let Some((id, path, unread)) = self.lock().next_unread() else { return false };
        let (mut names, mut segment) = (Dictionary::default(), Segment::default());
        let start = read_back(&path, unread, &mut names, &mut segment).unwrap_or(0);
        let mut known = self.lock();
        known.absorb(&id, unread, start, names, segment);
        true
    }
}

/// Reads the lines before `end`, at most a piece of them. Gives where the first of them begins.
fn read_back(path: &Path, end: u64, names: &mut Dictionary, segment: &mut Segment) -> io::Result<u64> {
    let Some((mut file, _)) = files::open_regular(path)? else { return Ok(0) };
    let begin = end.saturating_sub(PIECE);
    file.seek(SeekFrom::Start(begin))?;
    let mut bytes = Vec::with_capacity((end - begin) as usize);
    file.take(end - begin).read_to_end(&mut bytes)?;
    // The line that was cut belongs to the next piece, unless it is longer than a piece.
    let cut =
        if begin == 0 { 0 } else { bytes.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1) };
    segment.read(bytes.get(cut..).unwrap_or_default(), 0, names);
    Ok(begin + cut as u64)
}

/// What tells a journal file from others, whatever its name.
fn file_id(path: &Path) -> Option<String> {
    const LOOK: u64 = 4 << 10;
    let (file, _) = files::open_regular(path).ok()??;
    let mut line = Vec::new();
    BufReader::new(file).take(LOOK).read_until(b'\n', &mut line).ok()?;
    let mut id = short_hash(&line);
    id.truncate(12);
    (!line.is_empty()).then_some(id)
}

impl Known {
    /// Finds files that came, went or were renamed, and reads what was appended.
    fn refresh(&mut self, paths: &Paths) {
        let mut before: HashMap<String, JournalFile> =
            self.files.drain(..).map(|file| (file.id.clone(), file)).collect();
        for path in journal::all_files(paths) {
            let Some(id) = file_id(&path) else { continue };
            let len = path.metadata().map_or(0, |meta| meta.len());
            let known = before.remove(&id).filter(|known| known.end <= len);
            let mut file = known.unwrap_or_else(|| {
                // The end of the file is where the last whole line ends; what is before it is read bit by bit.
                let end = last_line_end(&path, len);
                JournalFile { id, path: path.clone(), unread: end, end, segments: Vec::new() }
            });
            file.path = path;
            if file.segments.is_empty() && file.unread > 0 && file.unread <= PIECE {
                self.version += 1;
                let mut segment = Segment::default();
                file.unread =
                    read_back(&file.path, file.unread, &mut self.names, &mut segment).unwrap_or_default();
                file.segments.push((file.unread, segment));
            }
            if len > file.end && file.append(len, &mut self.names) {
                self.version += 1;
            }
            self.files.push(file);
        }
        if !before.is_empty() {
            self.version += 1;
        }
    }

    fn next_unread(&self) -> Option<(String, PathBuf, u64)> {
        let file = self.files.iter().rev().find(|file| file.unread > 0)?;
        Some((file.id.clone(), file.path.clone(), file.unread))
    }

    fn absorb(&mut self, id: &str, unread: u64, start: u64, names: Dictionary, mut segment: Segment) {
        segment.renumber(&names, &mut self.names);
        let file = self.files.iter_mut().find(|file| file.id == id && file.unread == unread);
        if let Some(file) = file {
            file.unread = start.min(unread.saturating_sub(1));
            file.segments.insert(0, (start, segment));
            self.version += 1;
        }
    }

    /// How much of the journal is read, in percent.
    pub(crate) fn percent(&self) -> u64 {
        let (all, unread) =
            self.files.iter().fold((0, 0), |sum, file| (sum.0 + file.end, sum.1 + file.unread));
        (all.saturating_sub(unread) * 100).checked_div(all).unwrap_or(100)
    }

    /// Events that are known.
    pub(crate) fn count(&self) -> usize {
        self.segments().map(|segment| segment.records.len()).sum()
    }

    /// Lines that are no entry.
    pub(crate) fn broken(&self) -> usize {
        self.segments().map(|segment| segment.broken).sum()
    }

    fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.files.iter().flat_map(|file| file.segments.iter().map(|(_, segment)| segment))
    }

    /// The text of a word.
    pub(crate) fn word(&self, number: u16) -> &str {
        self.names.words.text(u32::from(number))
    }

    /// The text of a session or a folder.
    pub(crate) fn place(&self, number: u32) -> &str {
        self.names.places.text(number)
    }

    /// The records, the newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &Record> {
        self.placed().map(|(_, _, record)| record)
    }

    fn placed(&self) -> impl Iterator<Item = (&JournalFile, u64, &Record)> {
        self.files.iter().rev().flat_map(|file| {
            file.segments.iter().rev().flat_map(move |(start, segment)| {
                segment.records.iter().rev().map(move |record| (file, *start, record))
            })
        })
    }

    /// Sums by hook since a day.
    pub(crate) fn hooks_since(&self, day: u32) -> HashMap<HookDay, Sums> {
        let mut all: HashMap<HookDay, Sums> = HashMap::new();
        let found = self.segments().flat_map(|segment| &segment.hooks);
        for (key, sums) in found.filter(|(key, _)| key.day >= day) {
            all.entry(*key).or_default().add(sums);
        }
        all
    }

    /// Stops by rule since a day.
    pub(crate) fn rules_since(&self, day: u32) -> HashMap<RuleDay, u32> {
        let mut all: HashMap<RuleDay, u32> = HashMap::new();
        let found = self.segments().flat_map(|segment| &segment.rules);
        for (key, count) in found.filter(|(key, _)| key.day >= day) {
            *all.entry(*key).or_default() += count;
        }
        all
    }

    /// Sums by folder since a day.
    pub(crate) fn folders_since(&self, day: u32) -> BTreeMap<String, FolderSums> {
        let mut all: HashMap<u32, FolderSums> = HashMap::new();
        let found = self.segments().flat_map(|segment| &segment.folders);
        for ((_, cwd), sums) in found.filter(|((at, _), _)| *at >= day) {
            all.entry(*cwd).or_default().add(sums);
        }
        all.into_iter().map(|(cwd, sums)| (self.place(cwd).to_owned(), sums)).collect()
    }

    /// The events that a filter picks, the newest first.
    pub(crate) fn list(&self, filter: &Filter, most: usize) -> Vec<Listed> {
        let Some(wanted) = Wanted::of(filter, self) else { return Vec::new() };
        let found = self.placed().filter(|(_, _, record)| wanted.has(record)).take(most);
        found.map(|(file, start, record)| self.listed(file, start, record)).collect()
    }

    /// The event with this id.
    pub(crate) fn event(&self, id: &EventId) -> Option<Listed> {
        let file = self.files.iter().find(|file| file.id == id.file)?;
        let (start, segment) = file.segments.iter().rfind(|(start, _)| *start <= id.offset)?;
        let offset = u32::try_from(id.offset - start).ok()?;
        let at = segment.records.binary_search_by_key(&offset, |record| record.offset).ok()?;
        Some(self.listed(file, *start, segment.records.get(at)?))
    }

    fn listed(&self, file: &JournalFile, start: u64, record: &Record) -> Listed {
        Listed {
            id: EventId { file: file.id.clone(), offset: start + u64::from(record.offset) },
            at: record.at,
            us: record.us,
            chars: record.chars,
            session: self.place(record.session).to_owned(),
            rule: self.word(record.rule).to_owned(),
            tool: self.word(record.tool).to_owned(),
            event: self.word(record.event).to_owned(),
            agent: self.word(record.agent).to_owned(),
            verdict: record.verdict,
            error: record.error,
            path: file.path.clone(),
        }
    }
}

/// Where the last whole line ends.
fn last_line_end(path: &Path, len: u64) -> u64 {
    let tail = files::read_tail(path, LINE).unwrap_or_default();
    let rest = tail.iter().rev().position(|byte| *byte == b'\n').unwrap_or(tail.len());
    len.saturating_sub(rest as u64)
}

impl JournalFile {
    /// Reads whole lines up to `len`. False when there is none.
    fn append(&mut self, len: u64, names: &mut Dictionary) -> bool {
        let read = || -> io::Result<Vec<u8>> {
            let Some((mut file, _)) = files::open_regular(&self.path)? else { return Ok(Vec::new()) };
            file.seek(SeekFrom::Start(self.end))?;
            let mut bytes = Vec::new();
            file.take((len - self.end).min(PIECE)).read_to_end(&mut bytes)?;
            let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            bytes.truncate(whole);
            Ok(bytes)
        };
        let bytes = read().unwrap_or_default();
        if bytes.is_empty() {
            return false;
        }
        let full = self.segments.last().is_none_or(|(start, _)| self.end - start >= SEGMENT);
        if full {
            self.segments.push((self.end, Segment::default()));
        }
        if let Some((start, segment)) = self.segments.last_mut() {
            let mut fresh = Segment::default();
            fresh.read(&bytes, self.end - *start, names);
            segment.extend(fresh);
        }
        self.end += bytes.len() as u64;
        true
    }
}

/// A filter in the index's numbers.
struct Wanted {
    session: Option<u32>,
    tool: Option<u16>,
    event: Option<u16>,
    agent: Option<u16>,
    rule: Option<u16>,
    chains: Option<Vec<bool>>,
    verdict: Option<Verdict>,
    errors: bool,
    before: u64,
}

impl Wanted {
    /// `None` when a text is not known: then nothing has it.
    fn of(filter: &Filter, known: &Known) -> Option<Self> {
        let word = |text: &str| -> Option<Option<u16>> {
            if text.is_empty() {
                return Some(None);
            }
            known.names.words.find(text).map(|number| Some(number as u16))
        };
        let session = match filter.session.as_str() {
            "" => None,
            text => Some(known.names.places.find(text)?),
        };
        let hook = filter.hook.as_str();
        let chains = (!hook.is_empty()).then(|| {
            known.names.words.all().map(|chain| chain.split(' ').any(|name| name == hook)).collect()
        });
        Some(Self {
            session,
            tool: word(&filter.tool)?,
            event: word(&filter.event)?,
            agent: word(&filter.agent)?,
            rule: word(&filter.rule)?,
            chains,
            verdict: filter.verdict,
            errors: filter.errors,
            before: filter.before.unwrap_or(u64::MAX),
        })
    }

    fn has(&self, record: &Record) -> bool {
        let in_chain =
            |chains: &Vec<bool>| chains.get(usize::from(record.chain)).copied().unwrap_or_default();
        record.at < self.before
            && self.session.is_none_or(|wanted| wanted == record.session)
            && self.tool.is_none_or(|wanted| wanted == record.tool)
            && self.event.is_none_or(|wanted| wanted == record.event)
            && self.agent.is_none_or(|wanted| wanted == record.agent)
            && self.rule.is_none_or(|wanted| wanted == record.rule)
            && self.verdict.is_none_or(|wanted| wanted == record.verdict)
            && (!self.errors || record.error)
            && self.chains.as_ref().is_none_or(in_chain)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
