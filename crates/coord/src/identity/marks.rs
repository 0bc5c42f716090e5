//! What this home last wrote to each document, for good; and what a session saw of each, for its own time.

use super::decide::Mark;
use super::{Doc, DocState, hash, look};
use serde::{Deserialize, Serialize};
use sprag_base::files::{self, Identity};
use sprag_base::id::{safe_name, short_hash};
use sprag_base::paths::Paths;
use sprag_runtime::session::Session;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn file(paths: &Paths, agent: &str, doc: &Doc) -> PathBuf {
    // The same document in two places has two marks.
    let place = short_hash(format!("{}\0{}", doc.name, doc.path.display()).as_bytes());
    paths.state.join("identity").join(safe_name(agent)).join(format!("{place}.json"))
}

/// What was last written to a document or stored from it.
pub fn mark(paths: &Paths, agent: &str, doc: &Doc) -> Option<Mark> {
    serde_json::from_slice(&files::read(file(paths, agent, doc), files::STATE).ok()?).ok()
}

/// From now on the file is known as this version.
pub fn set_mark(paths: &Paths, agent: &str, doc: &Doc, mark: &Mark) -> std::io::Result<()> {
    files::write_atomic(&file(paths, agent, doc), &serde_json::to_vec(mark).map_err(std::io::Error::other)?)
}

/// What a session saw of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    stat: Option<Identity>,
    /// The text's hash; empty when there was none.
    pub hash: String,
    /// The store was unavailable: to be tried again.
    #[serde(default)]
    pub pending: bool,
}

/// What a session saw of all its documents, by name.
pub type Baseline = BTreeMap<String, Seen>;

const FILE: &str = "identity";

/// The session's baseline; `None` when it has none.
pub fn baseline(session: &Session) -> Option<Baseline> {
    let text = session.read(FILE);
    (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap_or_default())
}

/// Keeps the session's baseline.
pub fn set_baseline(session: &Session, baseline: &Baseline) -> std::io::Result<()> {
    session.write(FILE, &serde_json::to_string(baseline).map_err(std::io::Error::other)?)
}

/// A document as it is now.
pub fn see(doc: &Doc) -> (Seen, DocState) {
    let stat = files::identity(&doc.path);
    let found = look(&doc.path);
    let hash = if let DocState::Text(text) = &found { hash(text) } else { String::new() };
    (Seen { stat, hash, pending: false }, found)
}

/// True when a document may have changed: one look at the file's time and place, nothing is read.
pub fn may_differ(seen: Option<&Seen>, doc: &Doc) -> bool {
    match seen {
        Some(seen) => seen.pending || files::identity(&doc.path) != seen.stat,
        None => true,
    }
}
