//! session-start-lesson-protocol: how to report a lesson, and the lessons that count from the start.

use sprag_config::settings;
use sprag_lessons::model::LessonKind as Lesson;
use sprag_lessons::speak;
use sprag_lessons::texts;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};

settings! {
    struct SessionStartLessonProtocolSettings {
        /// tell the model how to leave a `#lesson` tag
        protocol: bool = true;
        /// the most bytes of directives and protocols together
        max_bytes: usize = 4_096, min 256;
        /// after a compaction, only lessons of at least this priority are said again
        compact_priority: i64 = 7, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-start-lesson-protocol",
        family: Family::Memory,
        bundle: Bundle::Lessons,
        summary: "tells the model how to report a lesson, and the directives and protocols of this project, within a budget",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionStartLessonProtocolSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionStartLessonProtocolSettings = cx.settings.read();
    let mut reply = Reply::pass();
    if settings.protocol {
        reply = reply.with_note("lesson-protocol", priority::REMINDER, texts::PROTOCOL);
    }
    let library = speak::open(cx);
    let least = if event.session_source() == "compact" { settings.compact_priority } else { 0 };
    let entries = speak::entries(&library, cx, u8::try_from(least).unwrap_or(u8::MAX));
    let kinds = [Lesson::Directive, Lesson::Protocol];
    if let Some(text) = speak::sections(&entries, &kinds, settings.max_bytes, 2) {
        reply = reply.with_note("lesson-directives", priority::RULES, text);
    }
    if let Some(trouble) = library.troubles.first() {
        reply = reply.with_message(format!("sprag: lessons: {trouble} (`sprag lessons doctor`)"));
    }
    reply.status = match sprag_lessons::news::unread(&cx.host.paths) {
        0 => None,
        1 => Some("1 lesson to review".to_owned()),
        many => Some(format!("{many} lessons to review")),
    };
    if library.rebuild {
        reply = reply.with_job(sprag_lessons::jobs::sync_job());
    }
    Ok(reply)
}
