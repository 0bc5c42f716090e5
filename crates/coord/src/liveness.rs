//! Whether a session's agent still runs. A session of this home whose process is gone is over at once: its claims are
//! free, and nobody is told that it is at work. Of a session on another machine, in another container or of another
//! home only the lease tells.

use crate::store::home_id;
use sprag_base::pid::Process;
use sprag_config::host::Host;
use sprag_runtime::session::Session;
use sprag_store::{Error, Op, OpKind, Store};
use std::io;

/// The session's file that names its agent's process.
const PROCESS: &str = "process";

/// Keeps which process the session's agent is.
pub fn remember(session: &Session, process: Process) -> io::Result<()> {
    let text = serde_json::to_string(&process).map_err(io::Error::other)?;
    session.write(PROCESS, &text)
}

/// True when the agent's process was known and is gone. Whatever cannot be known from here is not.
pub fn is_gone(host: &Host, session: &str) -> bool {
    let known = Session::new(&host.paths, session).read(PROCESS);
    serde_json::from_str::<Process>(&known).is_ok_and(|process| process.is_alive() == Some(false))
}

/// Ends the sessions of this home whose agent is gone, as if they had said so themselves. Returns how many.
pub fn end_gone(host: &Host, store: &mut Store, now: i64) -> Result<usize, Error> {
    let mut ended = 0;
    for row in store.live_sessions_of(&home_id(host), now)? {
        if !is_gone(host, &row.session) {
            continue;
        }
        let (agent, session) = (row.agent, row.session);
        store.apply(&Op::new(now, OpKind::PatternGone { session: session.clone() }))?;
        store.apply(&Op::new(now, OpKind::Offline { agent, session }))?;
        ended += 1;
    }
    Ok(ended)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_gone_with_its_process_and_not_before() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        let session = Session::new(&host.paths, "s");
        assert!(!is_gone(&host, "s"), "nothing is known of it");
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let process = Process::find(child.id()).unwrap();
        remember(&session, process).unwrap();
        assert!(!is_gone(&host, "s"));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_gone(&host, "s"));
        remember(&session, Process { space: process.space ^ 1, ..process }).unwrap();
        assert!(!is_gone(&host, "s"), "a number from another boot or container says nothing here");
    }
}
