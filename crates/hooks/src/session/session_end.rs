//! session-end: the last judgement of a session, whatever the pauses between judgements say. Only queued here: the
//! agent waits a second and a half at most.

use sprag_memory::knowledge::evaluate::{JudgingSettings, options};
use sprag_memory::knowledge::task::task_of;
use sprag_memory::knowledge::work::evaluate_job;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-end",
        family: Family::Session,
        bundle: Bundle::Memory,
        summary: "queues the final judgement of the session, past the pauses between judgements",
        sees: &[Sees { kind: EventKind::SessionEnd, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: JudgingSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    // One that waits for its time is replaced: the same session is judged once.
    Ok(match task_of(event) {
        Some(task) => Reply::pass().with_job(evaluate_job(&task, options(&cx.settings.read()), true)),
        None => Reply::pass(),
    })
}
