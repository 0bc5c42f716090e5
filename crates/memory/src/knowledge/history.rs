//! What the background work did with sessions: one line each, for people. A failure is shown as one.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use std::path::{Path, PathBuf};

/// The file is cut to its younger half at this size.
const MAX_BYTES: u64 = 512 << 10;

/// One piece of work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// When.
    pub ts: String,
    /// `export` or `evaluate`.
    pub what: String,
    /// The session.
    pub session: String,
    /// The project's key.
    pub project: String,
    /// `ok`, `skipped` or `failed`.
    pub result: String,
    /// What was written, or why not.
    pub detail: String,
}

fn file(state: &Path) -> PathBuf {
    state.join("history.jsonl")
}

/// Adds a line. What cannot be written is not worth an error of its own.
pub fn add(state: &Path, done: &Done) {
    let path = file(state);
    if path.metadata().is_ok_and(|meta| meta.len() > MAX_BYTES) {
        let all = read(state);
        let younger = all.get(all.len() / 2..).unwrap_or_default();
        let text: String = younger
            .iter()
            .filter_map(|done| serde_json::to_string(done).ok())
            .map(|line| line + "\n")
            .collect();
        let _ = files::write_atomic(&path, text.as_bytes());
    }
    if let Ok(mut line) = serde_json::to_vec(done) {
        line.push(b'\n');
        let _ = files::append(&path, &line);
    }
}

/// Every line, oldest first.
pub fn read(state: &Path) -> Vec<Done> {
    let bytes = files::read_limited(&file(state), 4 * MAX_BYTES).ok().flatten().unwrap_or_default();
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}
