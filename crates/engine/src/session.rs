//! A session's own state: a folder of small files, most of them append-only.

use crate::files;
use crate::paths::Paths;
use std::io;
use std::path::{Path, PathBuf};

/// The state of one session of an agent.
#[derive(Clone, Debug)]
pub struct Session {
    dir: PathBuf,
}

/// A payload's id as a file name: kept when it is harmless, else replaced by its hash.
pub fn safe_name(id: &str) -> String {
    let harmless = !id.is_empty()
        && id.len() <= 64
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && !id.starts_with('-');
    if harmless { id.to_owned() } else { format!("x{}", short_hash(id.as_bytes())) }
}

/// 128 bits of a hash as text.
pub fn short_hash(bytes: &[u8]) -> String {
    let hash = blake3::hash(bytes).to_hex();
    hash.get(..32).unwrap_or_default().to_owned()
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
        let path = self.file(name);
        let taken = files::scratch_name(&path);
        if std::fs::rename(&path, &taken).is_err() {
            return String::new();
        }
        let text = std::fs::read_to_string(&taken).unwrap_or_default();
        let _ = std::fs::remove_file(&taken);
        text
    }

    /// Replaces a file.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        files::write_atomic(&self.file(name), text.as_bytes())
    }

    /// Removes a file; one that is not there is fine.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match std::fs::remove_file(self.file(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// True when the file is there.
    pub fn has(&self, name: &str) -> bool {
        self.file(name).exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_never_leaves_its_folder() {
        for id in ["../../etc", "a/b", "", ".", "..", "a\0b", &"x".repeat(200), "-rf", "é"] {
            let name = safe_name(id);
            assert!(name.starts_with('x') && name.len() == 33, "{id:?} -> {name}");
            assert!(!name.contains(['/', '.', '\0']));
        }
        assert_eq!(safe_name("d42fd80c-f318-4c21-8d81-95853a8e12c2"), "d42fd80c-f318-4c21-8d81-95853a8e12c2");
        assert_ne!(safe_name("a/b"), safe_name("a/c"));
    }
}
