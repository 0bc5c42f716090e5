//! subagent-start-lesson-protocol: a subagent has its own conversation, so it is told too, in fewer words.

use sprag_config::settings;
use sprag_lessons::model::LessonKind as Lesson;
use sprag_lessons::speak;
use sprag_lessons::texts;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};

settings! {
    struct SubagentStartLessonProtocolSettings {
        /// tell the subagent how to leave a `#lesson` tag
        protocol: bool = true;
        /// the most bytes of directives
        max_bytes: usize = 2_048, min 256;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "subagent-start-lesson-protocol",
        family: Family::Memory,
        bundle: Bundle::Lessons,
        summary: "tells a new subagent how to report a lesson, and this project's directives, within a budget",
        sees: &[Sees { kind: EventKind::SubagentStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SubagentStartLessonProtocolSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SubagentStartLessonProtocolSettings = cx.settings.read();
    // One that is resumed has its id and was told; another one is new.
    let id = event.agent_id.as_deref().unwrap_or("subagent");
    let mut reply = Reply::pass();
    if settings.protocol {
        reply =
            reply.with_note(format!("lesson-protocol:{id}"), priority::REMINDER, texts::SUBAGENT_PROTOCOL);
    }
    let entries = speak::entries(&speak::open(cx), cx, 0);
    if let Some(text) = speak::sections(&entries, &[Lesson::Directive], settings.max_bytes, 2) {
        reply = reply.with_note(format!("lesson-directives:{id}"), priority::RULES, text);
    }
    Ok(reply)
}
