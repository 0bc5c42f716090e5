//! Sessions that began and have not been put away: what was not finished when an agent was killed is found here by
//! the next start.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::safe_name;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// So many are taken up by one start.
const MAX_SESSIONS: usize = 16;
/// A session whose process seems alive but whose transcript has not changed for this long is taken up too: the
/// process's number may be another's by now.
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
    /// The process that called the hook.
    pub pid: u32,
}

fn file(paths: &Paths, what: &str, session: &str) -> PathBuf {
    paths.state.join("knowledge").join(format!("open-{what}")).join(format!("{}.json", safe_name(session)))
}

/// Remembers that a session is at work. Cheap when that is known.
pub fn begin(paths: &Paths, what: &str, session: &OpenSession) -> io::Result<()> {
    let file = file(paths, what, &session.session);
    let text = serde_json::to_vec(session).map_err(io::Error::other)?;
    if files::read(&file, files::SMALL).is_ok_and(|known| known == text) {
        return Ok(());
    }
    files::write_atomic(&file, &text)
}

/// Nothing of the session is left to be done.
pub fn end(paths: &Paths, what: &str, session: &str) {
    let _ = std::fs::remove_file(file(paths, what, session));
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
                if !is_alive(session.pid) || begun.is_ok_and(|begun| begun < now.before(SILENT)) {
                    let _ = std::fs::remove_file(&path);
                }
            }
            Ok(written) if !is_alive(session.pid) || written < now.before(SILENT) => found.push(session),
            Ok(_) => {}
        }
    }
    found
}

#[cfg(unix)]
fn is_alive(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    // Somebody else's process is alive too.
    !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
const fn is_alive(_pid: u32) -> bool {
    // Not known: such a session is taken up when its transcript has been silent for a day.
    true
}

/// The process that called this one: the agent, where it calls without a shell.
pub fn caller() -> u32 {
    #[cfg(unix)]
    let pid = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let pid = 0;
    pid
}
