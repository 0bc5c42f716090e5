//! What lessons did: a call leaves a line, the background folds the lines into the store, each once.

use crate::library;
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_store::{Error, Fire, Store};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a lesson did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Did {
    /// It was shown.
    Shown,
    /// It denied the call.
    Denied,
    /// A pattern of it was given up: it takes too many steps.
    Gaveup,
}

#[derive(Serialize, Deserialize)]
struct Line {
    lesson: String,
    session: String,
    did: Did,
    at: i64,
}

fn file(paths: &Paths) -> PathBuf {
    library::folder(paths).join("fired.jsonl")
}

/// Where patterns that were given up are noted, for `doctor`.
fn slow_file(paths: &Paths) -> PathBuf {
    library::folder(paths).join("given-up.jsonl")
}

/// Leaves a line. Losing one costs a count, so an error is no error.
pub fn note(paths: &Paths, lesson: &str, session: &str, did: Did, at: i64) {
    let line = Line { lesson: lesson.to_owned(), session: session.to_owned(), did, at };
    let path = if did == Did::Gaveup { slow_file(paths) } else { file(paths) };
    let full = path.metadata().is_ok_and(|meta| meta.len() > 4 << 20);
    if !full && let Ok(mut text) = serde_json::to_string(&line) {
        text.push('\n');
        let _ = files::append(&path, text.as_bytes());
    }
}

/// Lessons with a pattern that was given up.
pub fn given_up(paths: &Paths) -> Vec<String> {
    let text = files::read_text(slow_file(paths), files::STATE).unwrap_or_default();
    let mut found: Vec<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Line>(line).ok())
        .map(|line| line.lesson)
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Folds what is waiting into the store. A file is set aside by renaming, so a line is either in it or in the next;
/// its name is the batch's id, so one that was sent before a crash counts once.
pub fn fold(paths: &Paths, store: &mut Store, now: i64) -> Result<usize, Error> {
    let waiting = file(paths);
    if waiting.exists() {
        let aside = library::folder(paths).join(format!("fired-{}.batch", sprag_store::new_id()));
        let _ = files::rename(&waiting, aside);
    }
    let mut folded = 0;
    for batch in batches(&library::folder(paths)) {
        let text = files::read_text(&batch, files::STATE).unwrap_or_default();
        let mut sums: BTreeMap<(String, String), Fire> = BTreeMap::new();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            let fire = sums.entry((line.lesson.clone(), line.session.clone())).or_insert_with(|| Fire {
                lesson: line.lesson,
                session: line.session,
                ..Fire::default()
            });
            match line.did {
                Did::Shown => fire.shown += 1,
                Did::Denied => fire.denied += 1,
                Did::Gaveup => {}
            }
            fire.last = fire.last.max(line.at);
        }
        let fires: Vec<Fire> = sums.into_values().collect();
        let name = batch.file_name().unwrap_or_default().to_string_lossy().into_owned();
        store.add_fires(&name, now, &fires)?;
        folded += fires.len();
        let _ = files::remove(&batch);
    }
    Ok(folded)
}

fn batches(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "batch"))
        .collect();
    found.sort();
    found
}

/// Whether a lesson must still be silent after it spoke in some session.
pub fn is_cooling(paths: &Paths, lesson: &str, minutes: u32, now: sprag_base::time::Stamp) -> bool {
    if minutes == 0 {
        return false;
    }
    let mark = library::folder(paths).join("cooling").join(sprag_base::id::safe_name(lesson));
    let spoke = mark.metadata().and_then(|meta| meta.modified()).map(sprag_base::time::Stamp::from);
    spoke.is_ok_and(|at| at > now.before(std::time::Duration::from_secs(u64::from(minutes) * 60)))
}

/// Begins a lesson's silence.
pub fn cool(paths: &Paths, lesson: &str, minutes: u32) {
    if minutes > 0 {
        let mark = library::folder(paths).join("cooling").join(sprag_base::id::safe_name(lesson));
        let _ = files::write_atomic(&mark, b"");
    }
}
