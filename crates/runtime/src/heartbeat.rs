//! Heartbeats: a session that holds a lease leaves a line at most once a minute; the worker renews the lease.
//! The event path pays one look at a file's time, and opens no database.

use crate::job::{Job, Work};
use crate::queue;
use crate::session::Session;
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The session's file that says that it holds a lease, of how many seconds; its time is the last heartbeat.
pub const LEASE: &str = "lease";

/// The time between two heartbeats.
pub const EVERY: Duration = Duration::from_secs(60);

/// One heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    /// When, in microseconds.
    pub at: u64,
    /// The agent.
    pub agent: String,
    /// The agent's session.
    pub session: String,
    /// The lease from then, in seconds.
    pub lease: u64,
    /// What the session did; empty when nobody asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doing: String,
}

/// The background job that brings the store up to date; at most one waits.
pub fn sync_job() -> Job {
    Job::new(Work::StoreSync).keyed("all").patient()
}

/// Says that a session holds a lease from now on.
pub fn begin(session: &Session, lease: Duration, now: Stamp) -> std::io::Result<()> {
    session.write(LEASE, &lease.as_secs().to_string())?;
    touch(session, now)
}

fn touch(session: &Session, now: Stamp) -> std::io::Result<()> {
    let time: SystemTime = UNIX_EPOCH + Duration::from_micros(now.0);
    files::set_modified(&session.file(LEASE), time)
}

/// Leaves a heartbeat when the session holds a lease and the last sign is old enough.
pub fn beat(host: &Host, session: &Session, agent: &str, id: &str) {
    leave(host, session, agent, id, EVERY, String::new);
}

/// [`beat`] with what the session did, and as often as the caller says.
pub fn leave(
    host: &Host,
    session: &Session,
    agent: &str,
    id: &str,
    every: Duration,
    doing: impl FnOnce() -> String,
) {
    let Ok(last) = std::fs::metadata(session.file(LEASE)).and_then(|meta| meta.modified()) else { return };
    let now = host.clock.now();
    if Stamp::from(last).after(every) > now {
        return;
    }
    let lease = session.read(LEASE).trim().parse().unwrap_or(0);
    let beat = Beat { at: now.0, agent: agent.to_owned(), session: id.to_owned(), lease, doing: doing() };
    let Ok(line) = serde_json::to_string(&beat) else { return };
    // A heartbeat that cannot be left is not worth a word: the next one may be.
    if files::append(&host.paths.heartbeats(), format!("{line}\n").as_bytes()).is_ok() {
        let _ = touch(session, now);
        if queue::push(&host.paths, &sync_job(), now).is_ok() {
            queue::wake(host);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::time::Clock;

    #[test]
    fn a_session_with_a_lease_leaves_one_line_a_minute_and_others_leave_none() {
        let dir = tempfile::tempdir().unwrap();
        let mut host = Host::in_home(dir.path(), &[]);
        let lines = |host: &Host| {
            let text = std::fs::read_to_string(host.paths.heartbeats()).unwrap_or_default();
            text.lines().map(|line| serde_json::from_str::<Beat>(line).unwrap()).collect::<Vec<_>>()
        };
        let session = Session::new(&host.paths, "s");
        let at = |host: &mut Host, second: u64| {
            host.clock = Clock::Fixed(Stamp((1_000_000 + second) * 1_000_000));
            beat(host, &session, "claude", "s");
        };
        at(&mut host, 0);
        assert!(lines(&host).is_empty() && !session.dir().exists(), "no lease, no trace");
        begin(&session, Duration::from_secs(600), host.clock.now()).unwrap();
        for second in [1, 59, 60, 61, 100, 119, 120, 500] {
            at(&mut host, second);
        }
        let seconds: Vec<u64> = lines(&host).iter().map(|beat| beat.at / 1_000_000 - 1_000_000).collect();
        assert_eq!(seconds, [60, 120, 500]);
        assert!(lines(&host).iter().all(|beat| beat.lease == 600 && beat.session == "s"));
    }
}
