//! What must survive a compaction: the last requests, the latest files, recent decisions and failures.

use super::digest::{Digest, below};
use super::{Knowledge, KnowledgeError, ProjectMemory, Result, entries, text};
use sprag_base::files;
use sprag_base::time::Stamp;
use std::path::{Path, PathBuf};
use std::time::Duration;

const MAX_FILES: usize = 10;

/// Why the summariser is told.
pub const FRAME: &str = "Keep what follows in the summary: it is the work in progress.";

/// The summary's text; empty when there is nothing to keep.
pub fn render(digest: &Digest, memory: &ProjectMemory, root: &str) -> String {
    let mut sections = Vec::new();
    let mut add = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
            sections.push(format!("## {title}\n{}", lines.join("\n")));
        }
    };
    add("Tasks in progress", digest.requests.iter().cloned().collect());
    add("Open todos", digest.open_todos().iter().take(10).map(|todo| todo.text.clone()).collect());
    let files = digest.touched.iter().rev().take(MAX_FILES).map(|file| below(file, root).to_owned());
    add("Files worked on", files.collect());
    let summaries = |path: &Path| -> Vec<String> {
        entries::last(path, 3)
            .iter()
            .map(|record| text::cut(entries::field(record, "summary"), 200))
            .collect()
    };
    add("Recent decisions", summaries(&memory.decisions()));
    add("Recent failures", summaries(&memory.failures()));
    sections.join("\n\n")
}

/// Keeps the summary, or removes the last one when there is nothing to keep: it would come back for ever.
pub fn save(memory: &ProjectMemory, session: &str, summary: &str, now: Stamp) -> Result<()> {
    let path = memory.summary();
    if summary.is_empty() {
        return match files::remove(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(KnowledgeError::at(&path)(error))
            }
            _ => Ok(()),
        };
    }
    let text = format!("<!-- {now} session={} -->\n{summary}\n", sprag_base::id::safe_name(session));
    files::write_atomic(&path, text.as_bytes()).map_err(KnowledgeError::at(&path))
}

/// The kept summary, when it is of this session, or young and younger than `after`.
pub fn read(
    memory: &ProjectMemory,
    session: &str,
    now: Stamp,
    keep: Duration,
    after: Option<Stamp>,
) -> Option<String> {
    let bytes = files::read_limited(&memory.summary(), 64 << 10).ok().flatten()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once('\n')?;
    let mut words = head.strip_prefix("<!-- ")?.split_whitespace();
    let written = words.next().and_then(Stamp::parse)?;
    let own = words.any(|word| word.strip_prefix("session=") == Some(&sprag_base::id::safe_name(session)));
    let young = written >= now.before(keep) && after.is_none_or(|after| written > after);
    (own || young).then(|| body.trim().to_owned()).filter(|body| !body.is_empty())
}

/// How many copies of transcripts stay.
#[derive(Clone, Copy, Debug)]
pub struct KeepBackups {
    /// At most so many.
    pub files: usize,
    /// Together at most so many bytes.
    pub bytes: u64,
    /// None older than this.
    pub age: Duration,
}

/// A larger transcript is not copied.
const MAX_BYTES: u64 = 4 << 30;

/// Copies a transcript before it is compacted, then removes copies that are too many, too large or too old.
/// The newest always stays.
pub fn backup(
    knowledge: &Knowledge,
    transcript: &Path,
    project: &str,
    keep: KeepBackups,
    now: Stamp,
) -> Result<PathBuf> {
    let dir = knowledge.backups();
    let (year, month, day, hour, minute, second) = now.civil();
    let stamp = format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}");
    let path = dir.join(format!("{stamp}-{}.jsonl", text::slug(project, 60)));
    let scratch = files::scratch_name(&path);
    files::make_dir(&dir).map_err(KnowledgeError::at(&dir))?;
    let copied = files::copy(transcript, &scratch, MAX_BYTES).and_then(|()| files::rename(&scratch, &path));
    if let Err(error) = copied {
        let _ = files::remove(&scratch);
        return Err(KnowledgeError::at(&path)(error));
    }
    prune_backups(&dir, keep, now);
    Ok(path)
}

/// Removes copies of transcripts that are too many, too large together or too old. Returns how many went.
pub fn prune_backups(dir: &Path, keep: KeepBackups, now: Stamp) -> usize {
    let own = [".jsonl", ".tmp"].into_iter().flat_map(|end| files::list(dir, "", end));
    let copy = |path: PathBuf| {
        let meta = std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        Some((meta.modified().map(Stamp::from).unwrap_or_default(), meta.len(), path))
    };
    let mut copies: Vec<(Stamp, u64, PathBuf)> = own.filter_map(copy).collect();
    copies.sort_by(|a, b| b.cmp(a));
    let (mut kept, mut bytes, mut gone) = (0, 0, 0);
    for (at, size, path) in copies {
        bytes += size;
        let fits = kept == 0 || (kept < keep.files && bytes <= keep.bytes && at >= now.before(keep.age));
        if fits {
            kept += 1;
        } else if files::remove(&path).is_ok() {
            gone += 1;
        }
    }
    gone
}
