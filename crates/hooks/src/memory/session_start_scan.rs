//! session-start-scan: looks for lessons in transcripts, in the background, at most once per interval.

use sprag_lessons::jobs;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-start-scan",
        family: Family::Memory,
        bundle: Bundle::Lessons,
        summary: "looks for lessons in transcripts in the background, at most once per interval",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: jobs::ScanSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.session_source() {
        // What another machine or another session changed counts from here on.
        "startup" => {
            Ok(Reply::pass().with_job(jobs::sync_job()).with_job(jobs::scan_job(&cx.settings.read())))
        }
        "resume" => Ok(Reply::pass().with_job(jobs::sync_job())),
        _ => Ok(Reply::pass()),
    }
}
