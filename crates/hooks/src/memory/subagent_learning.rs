//! subagent-learning: what a subagent found out is kept for later sessions, in the background.

use sprag_config::settings;
use sprag_memory::recall::learned::is_substantial;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::{Job, Work};
use sprag_runtime::work::{LastWords, Learning, LearningOrigin};
use sprag_scan::scrub::scrub;

settings! {
    struct SubagentLearningSettings {
        /// what is not met again for this long is forgotten
        ttl_days: i64 = 90, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "subagent-learning",
        family: Family::Memory,
        bundle: Bundle::Memory,
        summary: "keeps what a subagent found out for later sessions",
        sees: &[Sees { kind: EventKind::SubagentStop, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SubagentLearningSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// As much of an agent's last words is looked at.
const LONGEST: usize = 20_000;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.flag("stop_hook_active") {
        return Ok(Reply::pass());
    }
    let transcript = event.text("agent_transcript_path").filter(|path| !path.is_empty());
    let Some(said) = event.text("last_assistant_message") else {
        // An agent that does not say it has written it down.
        let read = |path: &str| Reply::pass().with_job(job(event, cx, LastWords::Path(path.into())));
        return Ok(transcript.map(read).unwrap_or_default());
    };
    if !is_substantial(said) {
        return Ok(Reply::pass());
    }
    let skip = said.chars().count().saturating_sub(LONGEST);
    let said: String = said.chars().skip(skip).collect();
    // The queue is a file: it holds no secrets either.
    Ok(Reply::pass().with_job(job(event, cx, LastWords::Text(scrub(&said).into_owned()))))
}

/// The job that keeps the learnings of a text.
fn job(event: &Event, cx: &Cx<'_>, said: LastWords) -> Job {
    let settings: SubagentLearningSettings = cx.settings.read();
    let origin = LearningOrigin {
        tag: event.agent_type.clone().unwrap_or_default(),
        project: cx.project.key(&cx.host.machine()),
        agent: event.agent.name().to_owned(),
        session: event.session_id.clone(),
        ttl_days: settings.ttl_days,
    };
    Job::new(Work::MemoryLearn(Learning { said, origin }))
}
