//! session-symbol-index: has the symbol index made or refreshed while the session begins; nobody waits for it.

use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::code_index;

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-symbol-index",
        family: Family::Code,
        bundle: Bundle::Code,
        summary: "has the project's symbol index made or refreshed in the background",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: &[],
        timeout_ms: 500,
    },
    run,
};

#[expect(clippy::unnecessary_wraps, reason = "the signature of every hook")]
fn run(_: &Event, cx: &Cx<'_>) -> HookResult {
    let mut reply = Reply::pass();
    reply.jobs.extend(code_index(cx.project, &cx.host.paths.home));
    Ok(reply)
}
