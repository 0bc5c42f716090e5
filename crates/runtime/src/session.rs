//! A session's own state: a folder of small files, most of them append-only.

use sprag_base::files;
use sprag_base::id::safe_name;
use sprag_base::paths::Paths;
use std::io;
use std::path::{Path, PathBuf};

/// The file of a session that keeps what session-init found out about the workspace, as JSON.
pub const WORKSPACE_FACTS: &str = "facts.json";

/// The marker of a turn that ended in an API error.
pub(crate) const RECOVERY: &str = "recovery";

/// The state of one session of an agent.
#[derive(Clone, Debug)]
pub struct Session {
    dir: PathBuf,
}

impl Session {
    /// The session with this id. Nothing is made until something is written.
    pub fn new(paths: &Paths, id: &str) -> Self {
        Self { dir: paths.sessions().join(safe_name(id)) }
    }

    /// Its folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A file of the session.
    pub fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Appends one line in one piece.
    pub fn append(&self, name: &str, line: &str) -> io::Result<()> {
        let mut text = String::with_capacity(line.len() + 1);
        text.push_str(line);
        text.push('\n');
        files::append(&self.file(name), text.as_bytes())
    }

    /// A file's text; absent or not UTF-8 is empty.
    pub fn read(&self, name: &str) -> String {
        files::read_limited(&self.file(name), 4 << 20)
            .ok()
            .flatten()
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    /// A file's text, and the file is gone. Of two that take it at once, one gets it.
    pub fn take(&self, name: &str) -> String {
        files::take_text(&self.file(name)).unwrap_or_default()
    }

    /// Replaces a file.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        files::write_atomic(&self.file(name), text.as_bytes())
    }

    /// Removes a file; one that is not there is fine.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match files::remove(self.file(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// True from a failure of the model's service until the user speaks again: hooks that only remind are silent.
    pub fn is_recovering(&self) -> bool {
        self.has(RECOVERY)
    }

    /// True when the file is there.
    pub fn has(&self, name: &str) -> bool {
        self.file(name).exists()
    }
}
