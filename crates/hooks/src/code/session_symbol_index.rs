//! session-symbol-index: has the symbol index made or refreshed while the session begins; nobody waits for it.

use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Presets, Reply, Sees};
use sprag_protocol::{Event, EventKind};

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "session-symbol-index",
    family: Family::Code,
    summary: "has the project's symbol index made or refreshed in the background",
    sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
    presets: Presets("sxw"),
    settings: &[],
    timeout_ms: 500,
    run,
};

#[expect(clippy::unnecessary_wraps, reason = "the signature of every hook")]
fn run(_: &Event, cx: &Cx<'_>) -> HookResult {
    let mut reply = Reply::pass();
    reply.jobs.extend(super::index_job(cx));
    Ok(reply)
}
