//! The append-only record of every event: one line, one `write`, safe under concurrent processes.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_base::text::cut;
use sprag_base::time::Stamp;
use sprag_scan::scrub::scrub;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// One hook's part in an event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The hook.
    pub hook: String,
    /// What it said: pass, allow, ask, deny, block.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verdict: String,
    /// Why it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<String>,
    /// Microseconds it took.
    #[serde(default)]
    pub us: u64,
    /// Characters it put before the model.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub chars: u64,
    /// Its reason, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The rule that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The part of the call that the rule is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its word did not count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// What an external hook said on standard error, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// Tokens that the model was spared, estimated; below zero takes back what was counted before.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub saved: i64,
}

/// A call, a turn or a prompt that was stopped: what `sprag allow` and `sprag why` find it by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// The short id in the message.
    pub id: String,
    /// What an approval of it is kept under; `None` when no approval lifts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The project's root.
    #[serde(default)]
    pub project: String,
    /// The call as a person reads it, scrubbed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub shown: String,
    /// That is all of it, character by character.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
}

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When, RFC 3339.
    pub t: String,
    /// The agent.
    #[serde(default)]
    pub agent: String,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The subagent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// Where.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// The event, canonical.
    #[serde(default)]
    pub event: String,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// What the call is about: the beginning of its command, or its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The chain's decision; `answer` when a hook answered the call in the tool's place.
    #[serde(default)]
    pub verdict: String,
    /// Microseconds from the start of the process to the answer.
    #[serde(default)]
    pub us: u64,
    /// Characters that reached the model.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub chars: u64,
    /// The same in tokens, estimated.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// What the agent cannot do with the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// What went wrong with the event as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was stopped or asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// The hooks, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_nothing(number: &i64) -> bool {
    *number == 0
}

/// Tokens in a text of this many characters, roughly; Claude's tokenizer is not public.
pub fn estimate_tokens(chars: u64) -> u64 {
    chars.div_ceil(4)
}

/// The most characters of a reason or an error that are kept.
const KEEP: usize = 400;

/// A text as the journal keeps it: scrubbed and short.
pub fn keep(text: &str) -> String {
    cut(&scrub(text), KEEP)
}

/// Appends an entry; rotates the file when it has grown over `max_bytes`.
pub fn write(paths: &Paths, entry: &Entry, max_bytes: u64, keep: u32) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry).map_err(io::Error::other)?;
    line.push(b'\n');
    let path = paths.journal();
    let len = files::append_sized(&path, &line)?;
    if max_bytes > 0 && len > max_bytes {
        rotate(paths, max_bytes, keep)?;
    }
    Ok(())
}

/// Renames the journal. A process that still has it open writes its line into the renamed file: none is lost.
fn rotate(paths: &Paths, max_bytes: u64, keep: u32) -> io::Result<()> {
    let lock = files::open_lock(&paths.state.join("journal.lock"))?;
    if lock.try_lock().is_err() {
        // Another process is at it.
        return Ok(());
    }
    let path = paths.journal();
    if path.metadata().map_or(0, |meta| meta.len()) <= max_bytes {
        return Ok(());
    }
    let name = format!("journal-{:020}.jsonl", Stamp::from(std::time::SystemTime::now()).0);
    files::rename(&path, path.with_file_name(name))?;
    let old = rotated(paths);
    for file in old.iter().take(old.len().saturating_sub(keep as usize)) {
        let _ = files::remove(file);
    }
    Ok(())
}

/// Removes the entries that `gone` picks. The journal in use is renamed first, so that events of the meantime are kept.
pub fn remove(paths: &Paths, gone: impl Fn(&Entry) -> bool) -> io::Result<()> {
    let lock = files::open_lock(&paths.state.join("journal.lock"))?;
    lock.lock()?;
    let path = paths.journal();
    if path.is_file() {
        let name = format!("journal-{:020}.jsonl", Stamp::from(std::time::SystemTime::now()).0);
        files::rename(&path, path.with_file_name(name))?;
    }
    for file in rotated(paths) {
        let mut kept = Vec::new();
        read(&file, |entry| {
            if !gone(&entry) {
                kept.extend(serde_json::to_vec(&entry).unwrap_or_default());
                kept.push(b'\n');
            }
        })?;
        if kept.is_empty() { files::remove(&file)? } else { files::write_atomic(&file, &kept)? }
    }
    crate::seal::rewritten(paths, Stamp::from(std::time::SystemTime::now()))
}

/// Removes a rotated file for the sake of its room; its seals say so.
pub fn remove_rotated(paths: &Paths, file: &Path) -> io::Result<()> {
    let lock = files::open_lock(&paths.state.join("journal.lock"))?;
    lock.lock()?;
    if !rotated(paths).iter().any(|known| known == file) {
        return Ok(());
    }
    crate::seal::removed(paths, file, Stamp::from(std::time::SystemTime::now()))?;
    files::remove(file)
}

/// The rotated files, oldest first.
fn rotated(paths: &Paths) -> Vec<PathBuf> {
    files::list(&paths.state, "journal-", ".jsonl")
}

/// Every journal file, oldest first.
pub fn all_files(paths: &Paths) -> Vec<PathBuf> {
    let mut all = rotated(paths);
    all.push(paths.journal());
    all
}

/// What is on a line of the journal.
#[derive(Debug)]
pub struct Line {
    /// The entry; `None` when there is none.
    pub entry: Option<Box<Entry>>,
    /// True when something on the line cannot be read.
    pub is_broken: bool,
}

/// Reads a line. A crash of the machine may leave the beginning of one without its end, which the next one is appended
/// to: of the two, that one is whole and counts.
pub fn read_line(line: &[u8]) -> Line {
    /// What every line begins with; inside of a line its quotes are escaped.
    const BEGIN: &[u8] = b"{\"t\":\"";
    if let Ok(entry) = serde_json::from_slice(line) {
        return Line { entry: Some(entry), is_broken: false };
    }
    let last = line.windows(BEGIN.len()).rposition(|part| part == BEGIN).filter(|at| *at > 0);
    let entry = last.and_then(|at| serde_json::from_slice(line.get(at..)?).ok());
    Line { entry, is_broken: !line.iter().all(u8::is_ascii_whitespace) }
}

/// Reads a file's entries; lines that are none are counted, not fatal.
pub fn read(path: &Path, mut each: impl FnMut(Entry)) -> io::Result<usize> {
    /// Far more than an entry has: what it keeps of an event is short.
    const MAX_LINE: u64 = 16 << 20;
    let Some((file, _)) = files::open_regular(path)? else { return Ok(0) };
    let mut broken = 0;
    let mut line = Vec::new();
    let mut reader = BufReader::new(file);
    while reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? > 0 {
        if line.len() as u64 == MAX_LINE {
            // Not written by sprag, and without an end nearby.
            return Ok(broken + 1);
        }
        let found = read_line(&line);
        broken += usize::from(found.is_broken);
        if let Some(entry) = found.entry {
            each(*entry);
        }
        line.clear();
    }
    Ok(broken)
}

/// Reads all entries since `from`, oldest first.
pub fn read_all(paths: &Paths, mut each: impl FnMut(Entry)) -> io::Result<usize> {
    let mut broken = 0;
    for file in all_files(paths) {
        broken += read(&file, &mut each)?;
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::env::Env;

    fn paths(dir: &Path) -> Paths {
        Paths::from_env(&Env::Fixed([("HOME".to_owned(), dir.display().to_string())].into()))
    }

    #[test]
    fn rotation_keeps_every_line_and_bounds_the_files() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths(dir.path());
        for number in 0..200_u64 {
            let entry = Entry { us: number, event: "Stop".into(), ..Entry::default() };
            write(&paths, &entry, 1_000, 100).unwrap();
        }
        let mut seen = Vec::new();
        let broken = read_all(&paths, |entry| seen.push(entry.us)).unwrap();
        assert_eq!(broken, 0);
        assert_eq!(seen, (0..200).collect::<Vec<_>>());
        assert!(all_files(&paths).len() > 5);
        for number in 0..200_u64 {
            write(&paths, &Entry { us: number, ..Entry::default() }, 1_000, 3).unwrap();
        }
        assert!(all_files(&paths).len() <= 4);
    }

    #[test]
    fn a_torn_line_costs_itself_and_not_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths(dir.path());
        let write = |us| write(&paths, &Entry { us, ..Entry::default() }, 8 << 20, 5).unwrap();
        [1, 2].into_iter().for_each(write);
        let path = paths.journal();
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..40 {
            std::fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            [3, 4].into_iter().for_each(write);
            let mut seen = Vec::new();
            let broken = read_all(&paths, |entry| seen.push(entry.us)).unwrap();
            // Without its last byte alone, the line is whole, but not alone on its line.
            assert_eq!((seen.as_slice(), broken), (&[1, 3, 4][..], 1), "{cut}");
        }
        std::fs::write(&path, vec![0; 40 << 20]).unwrap();
        assert_eq!(read_all(&paths, |_| panic!("no entry")).unwrap(), 1);
    }

    #[test]
    fn what_is_kept_is_short_and_has_no_secret() {
        let text = keep(&format!("GITHUB=ghp_0123456789abcdefghijABCDEFGHIJ012345 {}", "x".repeat(1000)));
        assert!(!text.contains("ghp_0") && text.chars().count() <= KEEP + 1);
    }
}
