//! session-start-reset: what a session was told of lessons is forgotten when the conversation is new, and in part
//! when it was compacted. A resume keeps it.

use sprag_config::settings::{Kind, Setting};
use sprag_lessons::seen::{self, Forget};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-start-reset",
        family: Family::Memory,
        summary: "forgets which lessons a session was told: all after a clear, the important ones after a compaction",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets("sxw"),
        settings: &[Setting::new(
            "compaction_reinjection_threshold",
            Kind::Int { default: 7, min: 1 },
            "after a compaction, lessons of at least this priority may be said again",
        )],
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.session_id.is_empty() {
        return Ok(Reply::pass());
    }
    match event.session_source() {
        "compact" => {
            let own = cx.settings.raw("compaction_reinjection_threshold").is_some();
            let imported = if own { None } else { imported_threshold(cx) };
            let threshold = imported.unwrap_or_else(|| {
                u8::try_from(cx.settings.int("compaction_reinjection_threshold")).unwrap_or(u8::MAX)
            });
            seen::forget(cx.session, Forget::AtLeast(threshold));
        }
        "clear" => seen::forget(cx.session, Forget::All),
        // A new session has nothing to forget, and a resumed one still has its conversation.
        _ => {}
    }
    Ok(Reply::pass())
}

/// The number that came with imported lessons.
fn imported_threshold(cx: &Cx<'_>) -> Option<u8> {
    let library = sprag_lessons::speak::open(cx);
    library.indexes.iter().find_map(|index| index.header.config.compaction_threshold)
}
