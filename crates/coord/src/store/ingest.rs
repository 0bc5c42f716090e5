//! Folds the journal and the heartbeats into the store: each file from where the last time ended, each line once.
//! A file is known by its first line, so a rotation (a rename) changes nothing; its position is moved in the
//! transaction that counts its lines.

use super::micros;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use sprag_runtime::heartbeat::Beat;
use sprag_runtime::journal::{self, Run};
use sprag_runtime::summary::hook_name;
use sprag_store::{Batch, Counts, Error, Position, RunKey, Store};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes per transaction: bounds the memory and the time that others wait.
const PART: u64 = 1 << 20;

/// Heartbeats are put aside at this size, and removed when they are old.
const BEATS_MAX: u64 = 256 << 10;

/// How lines become counts.
type Add = fn(&mut Batch, &[u8]) -> bool;

/// Lines that were ingested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ingested {
    /// Lines that counted.
    pub lines: i64,
    /// Lines that could not be read.
    pub broken: i64,
}

/// Ingests everything new.
pub fn run(paths: &Paths, home: &str, store: &mut Store, now: Stamp) -> Result<Ingested, Error> {
    let mut done = Ingested::default();
    for path in beat_files(paths) {
        let whole = file(store, home, "beats", &path, add_beat, now, &mut done)?;
        if whole {
            put_aside(paths, &path, now);
        }
    }
    for path in journal::all_files(paths) {
        file(store, home, "journal", &path, add_entry, now, &mut done)?;
    }
    Ok(done)
}

fn beat_files(paths: &Paths) -> Vec<PathBuf> {
    let mut found = sprag_base::files::list(&paths.state, "heartbeats-", ".jsonl");
    found.push(paths.heartbeats());
    found
}

/// Renames a file that has grown; removes one that was renamed long enough ago for nobody to hold it open.
fn put_aside(paths: &Paths, path: &Path, now: Stamp) {
    let Ok(meta) = path.metadata() else { return };
    if path != paths.heartbeats() {
        let old = meta.modified().map(Stamp::from).is_ok_and(|at| at.after(Duration::from_secs(600)) < now);
        if old {
            let _ = sprag_base::files::remove(path);
        }
    } else if meta.len() > BEATS_MAX {
        let _ =
            sprag_base::files::rename(path, path.with_file_name(format!("heartbeats-{:020}.jsonl", now.0)));
    }
}

/// Folds one file in, part by part; true when nothing is left of it.
fn file(
    store: &mut Store,
    home: &str,
    kind: &str,
    path: &Path,
    add: Add,
    now: Stamp,
    done: &mut Ingested,
) -> Result<bool, Error> {
    let unreadable = |error: io::Error| Error::Rejected(format!("{}: {error}", path.display()));
    let mut reader = match sprag_base::files::open(path) {
        Ok((file, _)) => BufReader::new(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(unreadable(error)),
    };
    let mut first = Vec::new();
    reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut first).map_err(unreadable)?;
    if first.last() != Some(&b'\n') {
        return Ok(false);
    }
    let source = format!("{home}/{kind}/{}", short_hash(&first));
    loop {
        let start = store.position(&source)?;
        let from = start.position.max(0) as u64;
        reader.seek(SeekFrom::Start(from)).map_err(unreadable)?;
        let batch = part(&mut reader, &start, add).map_err(unreadable)?;
        if batch.end.position == start.position {
            let len = reader.get_ref().metadata().map_err(unreadable)?.len();
            return Ok(len == from);
        }
        sprag_store::crash_point("before-fold");
        if store.ingest(home, &source, start.position, &batch, micros(now))? {
            sprag_store::crash_point("after-fold");
            done.lines += batch.end.lines - start.lines;
            done.broken += batch.end.broken - start.broken;
        }
    }
}

/// Far more than a line has; what is longer was not written by sprag and is not read.
const MAX_LINE: u64 = 16 << 20;

/// Adds up whole lines from here on; a last line without its end waits for the next time.
fn part(reader: &mut BufReader<File>, start: &Position, add: Add) -> io::Result<Batch> {
    let mut batch = Batch { end: start.clone(), ..Batch::default() };
    let mut line = Vec::new();
    let mut read = 0;
    while read < PART {
        line.clear();
        let bytes = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            break;
        }
        read += bytes as u64;
        batch.end.position += bytes as i64;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if add(&mut batch, &line) {
            batch.end.lines += 1;
        } else {
            batch.end.broken += 1;
        }
    }
    Ok(batch)
}

fn add_beat(batch: &mut Batch, line: &[u8]) -> bool {
    let Ok(beat) = serde_json::from_slice::<Beat>(line) else { return false };
    let (at, lease) = (beat.at as i64, beat.lease as i64 * 1_000_000);
    let known = batch.heartbeats.entry((beat.agent, beat.session)).or_default();
    if !beat.doing.is_empty() && at >= known.at {
        known.doing = beat.doing;
    }
    if at > known.at {
        (known.at, known.lease) = (at, lease);
    }
    true
}

/// Counts an entry as `engine::summary` does, by the hour.
fn add_entry(batch: &mut Batch, line: &[u8]) -> bool {
    let Some(entry) = journal::read_line(line).entry else { return false };
    let Some(at) = Stamp::parse(&entry.t).map(micros) else { return false };
    let name = if entry.event.is_empty() { "(not an event)" } else { &entry.event };
    let event = batch.runs.entry(RunKey::new(at, &entry.agent, name, "")).or_default();
    event.fires += 1;
    event.took(entry.us);
    said(event, &entry.verdict);
    event.chars += entry.chars as i64;
    event.saw(at, &entry.verdict);
    failed(event, entry.error.as_ref());
    for run in &entry.runs {
        event.errors += i64::from(run.error.is_some());
        event.skips += i64::from(run.skip.is_some());
        event.shadow += i64::from(run.shadow && !matches!(run.verdict.as_str(), "" | "pass"));
    }
    for run in &entry.runs {
        let hook = batch.runs.entry(RunKey::new(at, &entry.agent, name, hook_name(run))).or_default();
        add_run(hook, at, run);
    }
    true
}

fn add_run(hook: &mut Counts, at: i64, run: &Run) {
    if run.skip.is_some() {
        hook.skips += 1;
    } else {
        hook.fires += 1;
        hook.took(run.us);
    }
    if !run.shadow {
        said(hook, &run.verdict);
    } else if !matches!(run.verdict.as_str(), "" | "pass") {
        hook.shadow += 1;
    }
    hook.chars += run.chars as i64;
    hook.saw(at, if run.skip.is_some() { "skipped" } else { &run.verdict });
    failed(hook, run.error.as_ref());
}

fn said(counts: &mut Counts, verdict: &str) {
    match verdict {
        "deny" => counts.deny += 1,
        "block" => counts.block += 1,
        "ask" => counts.ask += 1,
        _ => {}
    }
}

fn failed(counts: &mut Counts, error: Option<&String>) {
    if let Some(error) = error {
        counts.errors += 1;
        counts.last_error = Some(error.clone());
    }
}
