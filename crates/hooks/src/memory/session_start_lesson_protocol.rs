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
        /// after a compaction, only directives and protocols of at least this priority are said again
        compact_priority: i64 = 1, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-start-lesson-protocol",
        family: Family::Memory,
        bundle: Bundle::Lessons,
        summary: "tells the model how to report a lesson, and the directives and protocols of this project, within a budget",
        sees: &[
            Sees { kind: EventKind::SessionStart, matcher: "" },
            Sees { kind: EventKind::PreCompact, matcher: "manual" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionStartLessonProtocolSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The user had the conversation compacted, and nothing was said since. Most agents start the session again after it;
/// one that does not is told with the next prompt.
const COMPACTED: &str = "compacted";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionStartLessonProtocolSettings = cx.settings.read();
    let mut reply = Reply::pass();
    let is_prompt = event.kind == EventKind::UserPromptSubmit;
    if event.kind == EventKind::PreCompact {
        cx.session.append(COMPACTED, "")?;
        return Ok(reply);
    }
    let is_compacted = cx.session.has(COMPACTED);
    if is_prompt && (!is_compacted || event.agent_id.is_some()) {
        return Ok(reply);
    }
    if is_compacted {
        cx.session.remove(COMPACTED)?;
    }
    if settings.protocol && !is_prompt {
        reply = reply.with_note("lesson-protocol", priority::REMINDER, texts::PROTOCOL);
    }
    let library = speak::open(cx);
    let least = if is_prompt || event.session_source() == "compact" { settings.compact_priority } else { 0 };
    let entries = speak::entries(&library, cx, u8::try_from(least).unwrap_or(u8::MAX));
    let kinds = [Lesson::Directive, Lesson::Protocol];
    if let Some(text) = speak::sections(&entries, &kinds, settings.max_bytes, 2) {
        reply = reply.with_note("lesson-directives", priority::RULES, text);
    }
    if is_prompt {
        return Ok(reply);
    }
    if let Some(trouble) = library.troubles.first() {
        reply = reply.with_message(format!("sprag: lessons: {trouble} (`sprag lessons doctor`)"));
    }
    reply.status = sprag_lessons::news::waiting(&cx.host.paths).sentence();
    if library.rebuild {
        reply = reply.with_job(sprag_lessons::jobs::sync_job());
    }
    Ok(reply)
}
