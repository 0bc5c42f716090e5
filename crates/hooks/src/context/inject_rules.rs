//! inject-rules.

use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Presets, Reply, Sees};
use sprag_protocol::{Event, EventKind};

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "inject-rules",
    family: Family::Context,
    summary: "",
    sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
    presets: Presets("sxw"),
    settings: &[],
    timeout_ms: 2_000,
    run,
};

fn run(_event: &Event, _cx: &Cx<'_>) -> HookResult {
    Ok(Reply::pass())
}
