//! agent-offline: at the real end of a session its agent goes: no longer at work, nothing held. Through the spool, so an
//! agent that quits waits for no database; one that dies without an end is offline when its lease runs out.

use sprag_coord::store::{micros, spool};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::heartbeat;
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_store::{Op, OpKind};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "agent-offline",
        family: Family::Team,
        bundle: Bundle::Team,
        summary: "marks the agent offline when its session ends",
        sees: &[Sees { kind: EventKind::SessionEnd, matcher: "" }],
        presets: Presets::of(&[Preset::Swarm]),
        settings: &[],
        timeout_ms: 500,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    // One that never registered has nothing to take back.
    if event.session_id.is_empty() || !cx.session.has(heartbeat::LEASE) {
        return Ok(Reply::pass());
    }
    let (agent, session) = (event.agent.name().to_owned(), event.session_id.clone());
    let op = Op::new(micros(cx.host.clock.now()), OpKind::Offline { agent, session });
    spool::keep(&cx.host.paths, &op)?;
    Ok(Reply::pass().with_job(heartbeat::sync_job()))
}
