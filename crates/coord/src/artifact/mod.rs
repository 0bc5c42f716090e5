//! Background processes that somebody declared: what is recorded of them, and how they are ended without harm to others.

pub mod cleanup;
pub mod process;

use serde::{Deserialize, Serialize};
use sprag_base::id::safe_name;
use sprag_base::paths::Paths;
use sprag_runtime::session::Session;
use std::path::PathBuf;

/// The session's file of declared processes, one per line.
pub const DECLARED: &str = "artifacts";

/// A declared process.
pub use sprag_runtime::work::Artifact;

/// What a session's end stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// The session.
    pub session: String,
    /// The project's folder.
    pub root: String,
    /// When, in microseconds.
    pub at: u64,
    /// What was stopped.
    pub stopped: Vec<Artifact>,
    /// What was not ended, and why.
    pub left: Vec<String>,
}

/// Where the list of what a session's end stopped is kept.
pub fn saved_file(paths: &Paths, session: &str) -> PathBuf {
    paths.state.join("artifacts").join(format!("{}.json", safe_name(session)))
}

/// The processes that were declared in a session.
pub fn declared(session: &Session) -> Vec<Artifact> {
    session.read(DECLARED).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Declares a process.
pub fn declare(session: &Session, artifact: &Artifact) -> std::io::Result<()> {
    session.append(DECLARED, &serde_json::to_string(artifact).map_err(std::io::Error::other)?)
}
