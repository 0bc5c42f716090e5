//! What a session was told already: one file per lesson and agent, made by exactly one process. So of calls that run
//! at the same time one shows a lesson, and none needs a lock.

use sprag_base::files;
use sprag_base::id::safe_name;
use sprag_runtime::session::Session;
use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// What begins the name of every folder of claims.
const FOLDER: &str = "lessons-";
/// A file in it that is no lesson.
const OTHER: &str = "~";

/// What one agent of a session was told.
#[derive(Clone, Debug)]
pub struct Seen {
    /// `None` for a session without an id: sessions that cannot be told apart share nothing.
    folder: Option<PathBuf>,
    names: BTreeSet<String>,
    given: Vec<String>,
}

fn folder(session: &Session, agent: Option<&str>) -> PathBuf {
    session.file(&format!("{FOLDER}{}", agent.map_or_else(|| "main".to_owned(), safe_name)))
}

impl Seen {
    /// What the agent was told; `given` are slugs that the caller says were shown.
    pub fn of(session: &Session, session_id: &str, agent: Option<&str>, given: &str) -> Self {
        let folder = (!session_id.is_empty()).then(|| folder(session, agent));
        let names = folder.as_deref().map(listed).unwrap_or_default();
        let given =
            given.split(',').map(str::trim).filter(|slug| !slug.is_empty()).map(str::to_owned).collect();
        Self { folder, names, given }
    }

    /// Whether a lesson was shown.
    pub fn has(&self, slug: &str) -> bool {
        self.given.iter().any(|known| known == slug) || self.names.contains(&safe_name(slug))
    }

    /// Takes a lesson for this process. False when another one has it.
    pub fn claim(&mut self, slug: &str, priority: u8) -> bool {
        let won = match &self.folder {
            None => true,
            Some(folder) => {
                // Where nothing can be written, saying it twice is better than never.
                make(&folder.join(safe_name(slug)), &format!("{priority} {slug}\n")).unwrap_or(true)
            }
        };
        if won {
            self.given.push(slug.to_owned());
        }
        won
    }

    /// Takes something that is no lesson, such as a threshold that was crossed. False when it was taken.
    pub fn claim_other(&self, what: &str) -> bool {
        self.folder
            .as_ref()
            .is_some_and(|folder| make(&folder.join(format!("{OTHER}{what}")), "").unwrap_or(false))
    }

    /// Counts a call: gives how many there were.
    pub fn count(&self, what: &str) -> u64 {
        let Some(folder) = &self.folder else { return 0 };
        let path = folder.join(format!("{OTHER}{what}"));
        let _ = files::append(&path, b".");
        path.metadata().map_or(0, |meta| meta.len())
    }

    /// Every slug that was shown: what the caller said, then what is known here.
    pub fn slugs(&self) -> Vec<String> {
        let mut all = self.given.clone();
        for name in &self.names {
            let text = self
                .folder
                .as_ref()
                .and_then(|folder| files::read_text(folder.join(name), files::SMALL).ok());
            let slug = text
                .as_deref()
                .and_then(|text| text.trim_end().split_once(' '))
                .map(|(_, slug)| slug.to_owned());
            if let Some(slug) = slug.filter(|slug| !all.contains(slug)) {
                all.push(slug);
            }
        }
        all
    }
}

fn listed(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with(OTHER))
        .collect()
}

/// Makes a file that was not there. False when it was.
fn make(path: &Path, text: &str) -> io::Result<bool> {
    match files::create_new(path) {
        Ok(mut file) => {
            let _ = file.write_all(text.as_bytes());
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// What is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forget {
    /// Everything: the conversation is new.
    All,
    /// What the main agent was told with at least this priority: the conversation was compacted.
    AtLeast(u8),
}

/// Forgets what a session was told.
pub fn forget(session: &Session, what: Forget) {
    match what {
        Forget::All => {
            for entry in std::fs::read_dir(session.dir()).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(FOLDER) && entry.path().is_dir() {
                    let _ = std::fs::remove_dir_all(entry.path());
                }
            }
        }
        Forget::AtLeast(threshold) => {
            for entry in std::fs::read_dir(folder(session, None)).into_iter().flatten().flatten() {
                let other = entry.file_name().to_string_lossy().starts_with(OTHER);
                let text = files::read_text(entry.path(), files::SMALL).unwrap_or_default();
                let priority = text.split(' ').next().and_then(|number| number.parse::<u8>().ok());
                if other || priority.is_some_and(|priority| priority >= threshold) {
                    let _ = files::remove(entry.path());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::env::Env;
    use sprag_base::paths::Paths;

    fn session(dir: &Path) -> Session {
        let env = Env::Fixed([("HOME".to_owned(), dir.display().to_string())].into());
        Session::new(&Paths::from_env(&env), "s1")
    }

    #[test]
    fn of_many_at_once_one_wins() {
        let dir = tempfile::tempdir().unwrap();
        let session = session(dir.path());
        let won: usize = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..32)
                .map(|_| scope.spawn(|| usize::from(Seen::of(&session, "s1", None, "").claim("../a/b", 5))))
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(won, 1, "and a slug with a slash is a slug");
        assert!(Seen::of(&session, "s1", None, "").has("../a/b"));
        assert!(!Seen::of(&session, "s1", Some("sub"), "").has("../a/b"), "a subagent was told nothing");
    }

    #[test]
    fn fault_3_a_compaction_forgets_what_is_important_and_a_clear_everything() {
        let dir = tempfile::tempdir().unwrap();
        let session = session(dir.path());
        let mut seen = Seen::of(&session, "s1", None, "");
        let mut sub = Seen::of(&session, "s1", Some("sub"), "");
        assert!(
            seen.claim("low", 6) && seen.claim("high", 7) && seen.claim("top", 10) && sub.claim("high", 7)
        );
        assert!(seen.claim_other("refresh-30") && !seen.claim_other("refresh-30"));
        forget(&session, Forget::AtLeast(7));
        let after = Seen::of(&session, "s1", None, "");
        assert!(
            after.has("low") && !after.has("high") && !after.has("top") && after.claim_other("refresh-30")
        );
        assert!(Seen::of(&session, "s1", Some("sub"), "").has("high"), "a subagent has its own conversation");
        forget(&session, Forget::All);
        assert!(
            !Seen::of(&session, "s1", None, "").has("low")
                && !Seen::of(&session, "s1", Some("sub"), "").has("high")
        );
    }

    #[test]
    fn fault_13_sessions_without_an_id_share_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let session = session(dir.path());
        assert!(Seen::of(&session, "", None, "").claim("a", 5));
        assert!(!Seen::of(&session, "", None, "").has("a"));
        assert!(!session.dir().exists());
    }

    #[test]
    fn what_the_caller_says_was_shown_counts() {
        let dir = tempfile::tempdir().unwrap();
        let session = session(dir.path());
        let mut seen = Seen::of(&session, "s1", None, " a, ,b ");
        assert!(seen.has("a") && seen.has("b") && !seen.has("c"));
        assert!(seen.claim("c", 5));
        assert_eq!(Seen::of(&session, "s1", None, "a").slugs(), ["a", "c"]);
        assert_eq!((seen.count("calls"), seen.count("calls")), (1, 2));
    }
}
