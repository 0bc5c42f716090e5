//! heartbeat: says what the session does, more often than the runtime's own heartbeats. A line in a file, which the
//! worker ingests into the store: no event waits for a database, and nothing is lost when the process ends.

use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::heartbeat;
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_scan::scrub::scrub;
use std::time::Duration;

settings! {
    struct HeartbeatSettings {
        /// the time between two heartbeats
        every_seconds: u64 = 15, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "heartbeat",
        family: Family::Team,
        bundle: Bundle::Team,
        summary: "renews the lease and says what the session does, throttled, through a file",
        sees: &[
            Sees { kind: EventKind::PostToolUse, matcher: "" },
            Sees { kind: EventKind::PostToolUseFailure, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Swarm]),
        settings: HeartbeatSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: HeartbeatSettings = cx.settings.read();
    if event.session_id.is_empty() {
        return Ok(Reply::pass());
    }
    let every = Duration::from_secs(settings.every_seconds);
    heartbeat::leave(cx.host, cx.session, event.agent.name(), &event.session_id, every, || doing(event, cx));
    Ok(Reply::pass())
}

/// The tool, and the file or the command it was about, without secrets.
fn doing(event: &Event, cx: &Cx<'_>) -> String {
    const MAX_CHARS: usize = 100;
    let Some(tool) = &event.tool else { return String::new() };
    let root = format!("{}/", cx.project.root.display());
    let about = match (tool.paths.first(), tool.command.as_deref()) {
        (Some(used), _) => used.path.strip_prefix(&root).unwrap_or(&used.path).to_owned(),
        (None, Some(line)) => line.lines().next().unwrap_or_default().to_owned(),
        (None, None) => String::new(),
    };
    let text = format!("{} {about}", tool.name);
    let text = scrub(text.trim());
    if text.chars().count() <= MAX_CHARS {
        return text.into_owned();
    }
    text.chars().take(MAX_CHARS - 1).chain(['…']).collect()
}
