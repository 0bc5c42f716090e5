//! Where verification keeps things: one folder per project in the state, and a few small files per session.

use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_config::host::Host;
use std::path::{Path, PathBuf};

/// A project's folder.
#[derive(Clone, Debug)]
pub struct CheckFolder {
    /// The project's root.
    pub root: PathBuf,
    dir: PathBuf,
}

/// The files that a session's hooks edited, one path a line.
pub const EDITS: &str = "verify-edits";
/// When a file had been written before the session's first edit of it: `microseconds path` a line, the last counts.
pub const BEFORE: &str = "verify-before";
/// There was a shell call: it may have changed files too.
pub const SHELL: &str = "verify-shell";
/// What waits to be told to a session: one JSON object a line.
pub const NEWS: &str = "verify-news";
/// What a session was told once and is not told again.
pub const SAID: &str = "verify-said";
/// The session is over: nothing runs for it any more.
pub const ENDED: &str = "verify-ended";
/// The breaker's memory.
pub const BREAKER: &str = "verify-breaker";
/// The last request of the user, and when the session began.
pub const PROMPT: &str = "verify-prompt";

impl CheckFolder {
    /// The folder of the project with this root.
    pub fn new(paths: &Paths, root: &Path) -> Self {
        let dir = paths.state.join("verify").join(short_hash(root.as_os_str().as_encoded_bytes()));
        Self { root: root.to_path_buf(), dir }
    }

    /// The same for a job's payload.
    pub fn of(host: &Host, root: &str) -> Self {
        Self::new(&host.paths, Path::new(root))
    }

    /// The folder itself.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Requests that nobody has taken yet: one JSON object a line.
    pub fn wanted(&self) -> PathBuf {
        self.dir.join("wanted")
    }

    /// Held while checkers run: one run per project at a time.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// What is known of the project.
    pub fn ledger(&self) -> PathBuf {
        self.dir.join("ledger.json")
    }

    /// How long each hook's checkers took by the file's ending: `hook ending milliseconds` a line.
    pub fn learned(&self) -> PathBuf {
        self.dir.join("learned")
    }

    /// The process group that runs now, for whoever finds it left behind.
    pub fn running(&self) -> PathBuf {
        self.dir.join("running")
    }

    /// Made when a request has its answer.
    pub fn done(&self, id: &str) -> PathBuf {
        self.dir.join("done").join(id)
    }

    /// The agent ran the project's own code, so sprag may too.
    pub fn allowed(&self) -> PathBuf {
        self.dir.join("allowed")
    }

    /// The log of runs: one JSON object a line, for people and tests.
    pub fn runs(&self) -> PathBuf {
        self.dir.join("runs.jsonl")
    }
}
