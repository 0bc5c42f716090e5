//! What a session has done that later calls are judged by: scripts that it wrote, secrets that it gave another name, what it
//! made and may take away again, and whether it took in text that a stranger may have written. One small append-only file per session.

use sprag_protocol::Event;
use sprag_runtime::hook::Cx;
use sprag_runtime::session::Session;

/// The file of the session.
const FILE: &str = "taint";

/// The largest record; what a session does after that is no longer recorded.
const MAX_BYTES: usize = 256 << 10;

/// The record of a session, as it was when the event came.
#[derive(Debug, Default)]
pub struct SessionRecord {
    text: String,
    /// The event names a session, so that there is a place to write to.
    is_kept: bool,
}

/// One thing that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A file with code was written.
    Wrote(&'a str),
    /// A file holds a secret under a name that does not say so.
    Secret(&'a str),
    /// A file that held one was overwritten.
    Clean(&'a str),
    /// Text from outside came in: a page, an issue, a message.
    Untrusted,
    /// Something was made that may be taken away again: a database, a container, a branch.
    Made(&'a str),
}

impl Entry<'_> {
    fn line(self) -> String {
        match self {
            Self::Wrote(path) => format!("w {path}"),
            Self::Secret(path) => format!("s {path}"),
            Self::Clean(path) => format!("c {path}"),
            Self::Untrusted => "u".to_owned(),
            Self::Made(what) => format!("m {what}"),
        }
    }
}

impl SessionRecord {
    /// The record of the event's session; empty when nothing was recorded.
    pub fn of(event: &Event, cx: &Cx<'_>) -> Self {
        if event.session_id.is_empty() {
            return Self::default();
        }
        Self { text: cx.session.read(FILE), is_kept: true }
    }

    /// Adds what is not there yet. A path with a line break in it is not recorded.
    pub fn add(&mut self, session: &Session, entry: Entry<'_>) {
        let line = entry.line();
        let known = match entry {
            Entry::Wrote(path) => self.wrote(path),
            Entry::Secret(path) => self.is_secret(path),
            Entry::Clean(path) => !self.is_secret(path),
            Entry::Untrusted => self.is_untrusted(),
            Entry::Made(what) => self.last(what, 'm', 'm'),
        };
        if !self.is_kept || known || line.contains('\n') || self.text.len() + line.len() > MAX_BYTES {
            return;
        }
        if session.append(FILE, &line).is_ok() {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    /// Whether the session wrote this file.
    pub fn wrote(&self, path: &str) -> bool {
        self.last(path, 'w', 'w')
    }

    /// Whether this file holds a secret that the session put there.
    pub fn is_secret(&self, path: &str) -> bool {
        self.last(path, 's', 'c')
    }

    /// Whether the session took in text from outside.
    pub fn is_untrusted(&self) -> bool {
        self.text.lines().any(|line| line == "u")
    }

    /// What a session made.
    pub fn made_in(session: &Session) -> Vec<String> {
        Self { text: session.read(FILE), is_kept: false }.made()
    }

    /// What the session made.
    fn made(&self) -> Vec<String> {
        self.text.lines().filter_map(|line| line.strip_prefix("m ")).map(str::to_owned).collect()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether the last line about `path` of the two kinds is of the kind `yes`.
    fn last(&self, path: &str, yes: char, no: char) -> bool {
        if self.text.is_empty() {
            return false;
        }
        let about = self.text.lines().rev().find(|line| {
            let mut chars = line.chars();
            let kind = chars.next();
            (kind == Some(yes) || kind == Some(no)) && chars.as_str().strip_prefix(' ') == Some(path)
        });
        about.is_some_and(|line| line.starts_with(yes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::env::Env;
    use sprag_base::paths::Paths;
    use std::path::Path;

    fn session(dir: &Path) -> Session {
        let home = dir.to_string_lossy().into_owned();
        Session::new(&Paths::from_env(&Env::Fixed([("HOME".to_owned(), home)].into())), "s1")
    }

    #[test]
    fn the_last_line_about_a_file_counts() {
        let dir = tempfile::tempdir().expect("a folder");
        let session = session(dir.path());
        let mut record = SessionRecord { is_kept: true, ..SessionRecord::default() };
        record.add(&session, Entry::Secret("/p/notes.txt"));
        record.add(&session, Entry::Secret("/p/notes.txt"));
        record.add(&session, Entry::Wrote("/p/run.sh"));
        assert!(record.is_secret("/p/notes.txt") && !record.is_secret("/p/notes"));
        assert!(record.wrote("/p/run.sh") && !record.is_untrusted());
        record.add(&session, Entry::Made("volume v"));
        assert_eq!(record.made(), ["volume v"]);
        record.add(&session, Entry::Clean("/p/notes.txt"));
        record.add(&session, Entry::Untrusted);
        assert!(!record.is_secret("/p/notes.txt") && record.is_untrusted());
        assert_eq!(session.read(FILE), "s /p/notes.txt\nw /p/run.sh\nm volume v\nc /p/notes.txt\nu\n");
    }

    #[test]
    fn without_a_session_nothing_is_written() {
        let dir = tempfile::tempdir().expect("a folder");
        let session = session(dir.path());
        SessionRecord::default().add(&session, Entry::Untrusted);
        assert!(!session.has(FILE));
    }

    #[test]
    fn a_path_cannot_forge_a_line() {
        let dir = tempfile::tempdir().expect("a folder");
        let session = session(dir.path());
        let mut record = SessionRecord { is_kept: true, ..SessionRecord::default() };
        record.add(&session, Entry::Wrote("/p/a\nc /p/notes.txt"));
        assert!(record.is_empty() && session.read(FILE).is_empty());
    }
}
