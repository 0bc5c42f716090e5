//! artifact-cleanup: a session's end stops the background processes that were declared in it, and keeps their list.
//! The hook only queues: ending a process takes longer than an agent that quits waits.

use sprag_config::settings;
use sprag_coord::artifact;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::{Job, Work};
use sprag_runtime::work::Cleanup;
use std::path::PathBuf;

settings! {
    struct ArtifactCleanupSettings<'a> {
        /// files with the id of a process, below the project's root; only those written in the session count
        pid_files: Texts;
        /// processes in PM2 whose names begin so, of those that the session started; empty leaves PM2 alone
        pm2_prefixes: Texts = ["artifact-"];
        /// how long a process has to go by itself before it is made to
        grace_ms: u64 = 3_000;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "artifact-cleanup",
        family: Family::Team,
        bundle: Bundle::Team,
        summary: "at a session's end stops the background processes declared in it (tunnels, servers, PM2), and keeps their list",
        sees: &[
            Sees { kind: EventKind::SessionStart, matcher: "" },
            Sees { kind: EventKind::SessionEnd, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Swarm]),
        settings: ArtifactCleanupSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

/// When the session began, for pid files.
const BEGAN: &str = "artifacts.began";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: ArtifactCleanupSettings<'_> = cx.settings.read();
    let pid_files: Vec<PathBuf> = settings.pid_files.iter().map(|file| cx.project.root.join(file)).collect();
    if event.kind == EventKind::SessionStart {
        // A resumed session keeps what it declared before.
        if !pid_files.is_empty() && !cx.session.has(BEGAN) {
            cx.session.write(BEGAN, &cx.host.clock.now().seconds().to_string())?;
        }
        return Ok(Reply::pass());
    }
    let declared = artifact::declared(cx.session);
    let pid_files: Vec<PathBuf> = pid_files.into_iter().filter(|file| file.is_file()).collect();
    let pm2_prefixes: Vec<String> =
        if has_pm2(cx) { settings.pm2_prefixes.iter().map(str::to_owned).collect() } else { Vec::new() };
    if declared.is_empty() && pid_files.is_empty() && pm2_prefixes.is_empty() {
        return Ok(Reply::pass());
    }
    let cleanup = Cleanup {
        session: event.session_id.clone(),
        root: cx.project.root.clone(),
        declared,
        pid_files: if cx.session.has(BEGAN) { pid_files } else { Vec::new() },
        began: cx.session.read(BEGAN).trim().parse().unwrap_or(u64::MAX),
        pm2_prefixes,
        grace_ms: settings.grace_ms,
    };
    cx.session.remove(artifact::DECLARED)?;
    Ok(Reply::pass().with_job(Job::new(Work::ArtifactCleanup(cleanup))))
}

/// PM2's daemon left its mark; without it there is nothing to ask, and asking would start it.
fn has_pm2(cx: &Cx<'_>) -> bool {
    let home = cx.host.env.get("PM2_HOME").map_or_else(|| cx.host.paths.home.join(".pm2"), PathBuf::from);
    home.join("pm2.pid").is_file()
}
