//! Sessions that began and have not been put away: what was not finished when an agent was killed is found here by
//! the next start.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::safe_name;
use sprag_base::paths::Paths;
use sprag_base::pid::{Process, parent_id};
use sprag_base::time::Stamp;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// So many are taken up by one start.
const MAX_SESSIONS: usize = 16;
/// A session whose transcript has not changed for this long is taken up too, whatever is known of its process.
const SILENT: Duration = Duration::from_secs(86_400);

/// A session that may need to be finished by somebody else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSession {
    /// The agent's name.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// The transcript.
    pub transcript: String,
    /// Where it works.
    pub cwd: String,
    /// The process that called the hook; [`begin`] fills it in.
    #[serde(flatten)]
    pub process: Process,
}

fn file(paths: &Paths, what: &str, session: &str) -> PathBuf {
    paths.state.join("knowledge").join(format!("open-{what}")).join(format!("{}.json", safe_name(session)))
}

/// Remembers that a session is at work. Cheap when that is known.
pub fn begin(paths: &Paths, what: &str, session: &OpenSession) -> io::Result<()> {
    let file = file(paths, what, &session.session);
    let known = files::read(&file, files::SMALL).ok();
    let known = known.and_then(|text| serde_json::from_slice::<OpenSession>(&text).ok());
    let is_same = |known: OpenSession| {
        known.process.id == parent_id() && OpenSession { process: session.process, ..known } == *session
    };
    if known.is_some_and(is_same) {
        return Ok(());
    }
    let session = OpenSession { process: Process::parent(), ..session.clone() };
    files::write_atomic(&file, &serde_json::to_vec(&session).map_err(io::Error::other)?)
}

/// Nothing of the session is left to be done.
pub fn end(paths: &Paths, what: &str, session: &str) {
    let _ = files::remove(file(paths, what, session));
}

/// Every session that is not put away.
pub fn all(paths: &Paths, what: &str) -> Vec<OpenSession> {
    let dir = paths.state.join("knowledge").join(format!("open-{what}"));
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| serde_json::from_slice(&files::read(entry.path(), files::SMALL).ok()?).ok())
        .collect()
}

/// Sessions whose agent is gone, but the one that asks. One without a transcript is forgotten.
pub fn abandoned(paths: &Paths, what: &str, own: &str, now: Stamp) -> Vec<OpenSession> {
    let dir = paths.state.join("knowledge").join(format!("open-{what}"));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let known = files::read(&path, files::SMALL)
            .ok()
            .and_then(|text| serde_json::from_slice::<OpenSession>(&text).ok());
        let Some(session) = known else { continue };
        if session.session == own || found.len() == MAX_SESSIONS {
            continue;
        }
        let written =
            std::fs::metadata(&session.transcript).and_then(|meta| meta.modified()).map(Stamp::from);
        match written {
            Err(_) => {
                // A session that was opened and closed without a word has no transcript.
                let begun = entry.metadata().and_then(|meta| meta.modified()).map(Stamp::from);
                if is_gone(session.process) || begun.is_ok_and(|begun| begun < now.before(SILENT)) {
                    let _ = files::remove(&path);
                }
            }
            Ok(written) if is_gone(session.process) || written < now.before(SILENT) => found.push(session),
            Ok(_) => {}
        }
    }
    found
}

/// True when the process is known to be gone. One of another container or machine may live: its transcript tells.
fn is_gone(process: Process) -> bool {
    process.is_alive() == Some(false)
}
