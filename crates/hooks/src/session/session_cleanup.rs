//! session-cleanup: removes the counters of a session that ended; what a resume needs stays for a week.

use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_coord::claims::fresh;
use sprag_coord::store::{micros, spool};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::heartbeat;
use sprag_runtime::history;
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookError, HookResult, HookSpec, Presets, Reply, Sees,
};
use sprag_runtime::job::{Job, JobError, Work};
use sprag_store::{Op, OpKind};
use std::path::Path;
use std::time::Duration;

settings! {
    struct SessionCleanupSettings {
        /// how long the state of an ended session stays (a resume keeps the session id)
        keep_days: u64 = 7, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-cleanup",
        family: Family::Session,
        bundle: Bundle::Context,
        summary: "gives the lease and the claims back, removes this session's counters; state of sessions older than a week goes in the background",
        sees: &[Sees { kind: EventKind::SessionEnd, matcher: "" }],
        presets: Presets::ALL,
        settings: SessionCleanupSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionCleanupSettings = cx.settings.read();
    // What counts within one run of the agent means nothing after it.
    for record in history::ALL {
        record.forget(cx)?;
    }
    fresh::forget(cx.session);
    let released = release(event, cx)?;
    let keep_days = settings.keep_days;
    // One job a day is enough, however many sessions end.
    let job = Job::new(Work::PruneSessions { keep_days }).keyed("all");
    let mut reply = Reply::pass();
    if released {
        reply = reply.with_job(heartbeat::sync_job());
    }
    Ok(if prune_is_due(cx) { reply.with_job(job) } else { reply })
}

/// Gives the session's lease and its claims back, through the spool: an agent that ends waits for no database.
fn release(event: &Event, cx: &Cx<'_>) -> Result<bool, HookError> {
    if !cx.session.has(heartbeat::LEASE) {
        return Ok(false);
    }
    let (agent, session) = (event.agent.name().to_owned(), event.session_id.clone());
    let op = Op::new(micros(cx.host.clock.now()), OpKind::Release { agent, session });
    spool::keep(&cx.host.paths, &op)?;
    cx.session.remove(heartbeat::LEASE)?;
    Ok(true)
}

fn prune_is_due(cx: &Cx<'_>) -> bool {
    let mark = cx.host.paths.sessions().join(".pruned");
    let day = Duration::from_secs(86_400);
    let pruned = mark.metadata().and_then(|meta| meta.modified()).map(Stamp::from);
    pruned.is_err() || pruned.is_ok_and(|at| at < cx.host.clock.now().before(day))
}

/// Removes folders of sessions in which nothing was written for `keep_days`.
pub fn prune(host: &Host, keep_days: u64) -> Result<(), JobError> {
    let oldest = host.clock.now().before(Duration::from_secs(keep_days * 86_400));
    let folder = host.paths.sessions();
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && last_written(&path).is_some_and(|at| at < oldest) {
            std::fs::remove_dir_all(&path).map_err(|error| JobError::about(path.display(), error))?;
        }
    }
    Ok(sprag_base::files::write_atomic(&folder.join(".pruned"), b"")?)
}

/// When anything in a session's folder was written last.
fn last_written(folder: &Path) -> Option<Stamp> {
    let own = folder.metadata().and_then(|meta| meta.modified()).ok().map(Stamp::from);
    let files = std::fs::read_dir(folder).ok()?.flatten();
    files.filter_map(|file| file.metadata().ok()?.modified().ok()).map(Stamp::from).chain(own).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::env::Env;
    use sprag_base::paths::Paths;
    use sprag_base::time::Clock;
    use sprag_runtime::session::Session;

    fn host(dir: &Path, clock: Clock) -> Host {
        let env = Env::Fixed([("HOME".to_owned(), dir.display().to_string())].into());
        let paths = Paths::from_env(&env);
        Host { env, paths, clock, hooks: &[], exe: None }
    }

    #[test]
    fn only_sessions_without_recent_state_go() {
        let dir = tempfile::tempdir().unwrap();
        let now = host(dir.path(), Clock::System);
        Session::new(&now.paths, "young").append("heard", "x").unwrap();
        Session::new(&now.paths, "old").append("heard", "x").unwrap();
        let week_ago = std::time::SystemTime::now() - Duration::from_secs(8 * 86_400);
        for path in [now.paths.sessions().join("old/heard"), now.paths.sessions().join("old")] {
            std::fs::File::open(&path).unwrap().set_modified(week_ago).unwrap();
        }
        prune(&now, 7).unwrap();
        assert!(now.paths.sessions().join("young").exists());
        assert!(!now.paths.sessions().join("old").exists());
    }
}
