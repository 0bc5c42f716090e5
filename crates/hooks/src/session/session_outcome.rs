//! session-outcome: a session that ended left a handoff; how it went is a person's word, shown where people look.
//! Nobody is asked at a start: what a later session leaves open tells most of it.

use sprag_memory::knowledge::outcome;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-outcome",
        family: Family::Session,
        bundle: Bundle::Memory,
        summary: "marks the handoff of a session that ended: `sprag` shows it, `sprag knowledge outcome` records how it went",
        sees: &[
            Sees { kind: EventKind::SessionEnd, matcher: "" },
            Sees { kind: EventKind::SessionStart, matcher: "resume" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: &[],
        timeout_ms: 500,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if !event.session_id.is_empty() && event.agent_id.is_none() {
        // The handoff itself is written in the background, after this. A session that goes on is not over.
        outcome::mark(cx.host, cx.project, &event.session_id, event.kind == EventKind::SessionEnd)?;
    }
    Ok(Reply::pass())
}
