//! session-start-reset: what a session was told of lessons is forgotten when the conversation is new, and in part
//! when it was compacted. A resume keeps it.

use sprag_config::settings;
use sprag_lessons::seen::{self, Forget};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};

/// The threshold without a setting and without imported lessons.
const DEFAULT_THRESHOLD: u8 = 7;

settings! {
    struct SessionStartResetSettings {
        /// after a compaction, lessons of at least this priority may be said again
        compaction_reinjection_threshold: Option<u8> = DEFAULT_THRESHOLD as i64, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-start-reset",
        family: Family::Memory,
        bundle: Bundle::Lessons,
        summary: "forgets which lessons a session was told: all after a clear, the important ones after a compaction",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionStartResetSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionStartResetSettings = cx.settings.read();
    if event.session_id.is_empty() {
        return Ok(Reply::pass());
    }
    match event.session_source() {
        "compact" => {
            let threshold = settings.compaction_reinjection_threshold.or_else(|| imported_threshold(cx));
            seen::forget(cx.session, Forget::AtLeast(threshold.unwrap_or(DEFAULT_THRESHOLD)));
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
