//! session-summary: the key learnings of a session, when it ends, in the background.

use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::{Job, Work};
use sprag_runtime::work::{LearningOrigin, Summary};

settings! {
    struct SessionSummarySettings {
        /// what is not met again for this long is forgotten
        ttl_days: i64 = 30, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-summary",
        family: Family::Memory,
        bundle: Bundle::Memory,
        summary: "keeps the key learnings of a session when it ends",
        sees: &[Sees { kind: EventKind::SessionEnd, matcher: "" }],
        presets: Presets::of(&[Preset::Swarm]),
        settings: SessionSummarySettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionSummarySettings = cx.settings.read();
    let Some(path) = event.transcript_path.as_deref().filter(|path| !path.is_empty()) else {
        return Ok(Reply::pass());
    };
    let origin = LearningOrigin {
        tag: "session".to_owned(),
        project: cx.project.key(&cx.host.machine()),
        agent: event.agent.name().to_owned(),
        session: event.session_id.clone(),
        ttl_days: settings.ttl_days,
    };
    let work = Work::MemorySummary(Summary { path: path.into(), origin });
    // Of one session, one: an end that is sent twice is looked at once.
    Ok(Reply::pass().with_job(Job::new(work).keyed(format!("memory-summary:{}", event.session_id))))
}
