//! session-start-lesson-protocol: how to report a lesson, and the lessons that count from the start.

use sprag_config::settings::{Kind, Setting};
use sprag_lessons::model::Kind as Lesson;
use sprag_lessons::speak;
use sprag_lessons::texts;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees, priority};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-start-lesson-protocol",
        family: Family::Memory,
        summary: "tells the model how to report a lesson, and the directives and protocols of this project, within a budget",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets("sxw"),
        settings: &[
            Setting::new("protocol", Kind::Bool(true), "tell the model how to leave a `#lesson` tag"),
            Setting::new(
                "max_bytes",
                Kind::Int { default: 4_096, min: 256 },
                "the most bytes of directives and protocols together",
            ),
            Setting::new(
                "compact_priority",
                Kind::Int { default: 7, min: 1 },
                "after a compaction, only lessons of at least this priority are said again",
            ),
        ],
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let mut reply = Reply::pass();
    if cx.settings.flag("protocol") {
        reply = reply.with_note("lesson-protocol", priority::REMINDER, texts::PROTOCOL);
    }
    let library = speak::open(cx);
    let least = if event.session_source() == "compact" { cx.settings.int("compact_priority") } else { 0 };
    let entries = speak::entries(&library, cx, u8::try_from(least).unwrap_or(u8::MAX));
    let kinds = [Lesson::Directive, Lesson::Protocol];
    if let Some(text) = speak::sections(&entries, &kinds, cx.settings.count("max_bytes"), 2) {
        reply = reply.with_note("lesson-directives", priority::RULES, text);
    }
    if let Some(trouble) = library.troubles.first() {
        reply = reply.with_message(format!("sprag: lessons: {trouble} (`sprag lessons doctor`)"));
    }
    if library.rebuild {
        reply = reply.with_job(sprag_lessons::jobs::sync_job());
    }
    Ok(reply)
}
