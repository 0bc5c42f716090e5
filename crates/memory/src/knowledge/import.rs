//! Takes over a knowledge folder of lazy-harness: sessions, learnings and the memory of projects, as they are.
//! What is here already stays; lines that are already known are not added again.

use super::{Knowledge, KnowledgeError, Result, entries};
use sprag_base::files;
use std::path::{Component, Path, PathBuf};

/// What was taken over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Exports of sessions.
    pub sessions: usize,
    /// Learnings.
    pub learnings: usize,
    /// Lines of decisions, failures and grades.
    pub entries: usize,
    /// Other files of projects.
    pub files: usize,
    /// Files that were here already.
    pub known: usize,
}

/// A file with more bytes is not knowledge.
const MAX_FILE: u64 = 64 << 20;

/// Reads the folder names off `knowledge.toml`; without one, the usual names.
fn names(dir: &Path) -> [String; 3] {
    let marker = files::read_text(dir.join("knowledge.toml"), files::SMALL).unwrap_or_default();
    ["sessions", "learnings", "memory"].map(|name| {
        let line =
            marker.lines().find_map(|line| line.trim().strip_prefix(name)?.trim_start().strip_prefix('='));
        let value = line.map(|value| value.trim().trim_matches('"').to_owned()).unwrap_or_default();
        let inside = !value.is_empty()
            && Path::new(&value).components().all(|part| matches!(part, Component::Normal(_)));
        if inside { value } else { name.to_owned() }
    })
}

/// Takes the folder over.
pub fn lazy_harness(knowledge: &Knowledge, dir: &Path) -> Result<Imported> {
    let [sessions, learnings, memory] = names(dir);
    let found = [&sessions, &learnings, &memory].iter().any(|name| dir.join(name).is_dir());
    if !found {
        return Err(KnowledgeError::Unknown(format!(
            "{} has no folder `{sessions}`, `{learnings}` or `{memory}`",
            dir.display()
        )));
    }
    let mut done = Imported::default();
    for (from, to, count) in [
        (dir.join(sessions), knowledge.sessions(), &mut done.sessions),
        (dir.join(learnings), knowledge.learnings.clone(), &mut done.learnings),
    ] {
        for path in walk(&from).into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "md")) {
            let below = path.strip_prefix(&from).unwrap_or(&path);
            if copy_new(&path, &to.join(below))? {
                *count += 1;
            } else {
                done.known += 1;
            }
        }
    }
    let from = dir.join(memory);
    for path in walk(&from) {
        let below = path.strip_prefix(&from).unwrap_or(&path);
        // Folder names of projects are in lower case here; file names are not changed.
        let folder = below.parent().map(|folder| folder.to_string_lossy().to_lowercase()).unwrap_or_default();
        let Some(name) = below.file_name() else { continue };
        let to = knowledge.memories().join(folder).join(name);
        if matches!(name.to_str(), Some("decisions.jsonl" | "failures.jsonl")) {
            done.entries += entries::add_new(&to, entries::read(&path))?.len();
        } else if matches!(path.extension().and_then(|ext| ext.to_str()), Some("md" | "jsonl")) {
            if copy_new(&path, &to)? {
                done.files += 1;
            } else {
                done.known += 1;
            }
        }
    }
    Ok(done)
}

fn copy_new(from: &Path, to: &Path) -> Result<bool> {
    if to.exists() {
        return Ok(false);
    }
    let Some(bytes) = files::read_whole(from, MAX_FILE).map_err(KnowledgeError::at(from))? else {
        return Ok(false);
    };
    files::write_atomic(to, &bytes).map_err(KnowledgeError::at(to))?;
    Ok(true)
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !entry.file_name().as_encoded_bytes().starts_with(b".") => {
                    folders.push(entry.path());
                }
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}
