//! subagent-learning: what a subagent found out is kept for later sessions, in the background.

use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_coord::store::micros;
use sprag_memory::recall::Draft;
use sprag_memory::recall::learned::{is_substantial, learnings};
use sprag_memory::shelf;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::Job;
use sprag_scan::scrub::scrub;
use sprag_store::Opening;
use sprag_transcript::{Kind as RecordKind, Reader, Role};
use std::path::Path;

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
        summary: "keeps what a subagent found out for later sessions",
        sees: &[Sees { kind: EventKind::SubagentStop, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SubagentLearningSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The background job.
pub const JOB: &str = "memory-learn";
/// As much of an agent's last words is looked at.
const LONGEST: usize = 20_000;
/// As much of a transcript's end is read.
const TAIL: u64 = 1 << 20;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.flag("stop_hook_active") {
        return Ok(Reply::pass());
    }
    let tag = event.agent_type.clone().unwrap_or_default();
    let transcript = event.text("agent_transcript_path").filter(|path| !path.is_empty());
    let Some(said) = event.text("last_assistant_message") else {
        // An agent that does not say it has written it down.
        let read = |path: &str| Reply::pass().with_job(about(event, cx, "path", path, &tag));
        return Ok(transcript.map(read).unwrap_or_default());
    };
    if !is_substantial(said) {
        return Ok(Reply::pass());
    }
    Ok(Reply::pass().with_job(job(event, cx, said, &tag)))
}

/// The job that keeps the learnings of a text.
pub(crate) fn job(event: &Event, cx: &Cx<'_>, said: &str, tag: &str) -> Job {
    let skip = said.chars().count().saturating_sub(LONGEST);
    let said: String = said.chars().skip(skip).collect();
    // The queue is a file: it holds no secrets either.
    about(event, cx, "text", &scrub(&said), tag)
}

fn about(event: &Event, cx: &Cx<'_>, key: &str, value: &str, tag: &str) -> Job {
    let settings: SubagentLearningSettings = cx.settings.read();
    let payload = json!({
        key: value, "tag": tag, "project": cx.project.key(&cx.host.machine()),
        "agent": event.agent.name(), "session": event.session_id, "ttl_days": settings.ttl_days,
    });
    Job::new(JOB, payload)
}

/// The handler of the job.
pub fn learn(host: &Host, job: &Job) -> Result<(), String> {
    let text = |key: &str| job.payload.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let days = job.payload.get("ttl_days").and_then(Value::as_i64).unwrap_or(90);
    let said = match text("path") {
        path if path.is_empty() => text("text"),
        path => last_words(Path::new(&path)),
    };
    keep(host, &text, days, &learnings(host, &said))
}

/// What a subagent said last, by its own transcript; nothing when that is gone.
fn last_words(path: &Path) -> String {
    let Ok(reader) = Reader::tail(path, TAIL) else { return String::new() };
    // In its own transcript a subagent's records are the side that they are beside elsewhere.
    let said = reader.filter(|record| record.kind == RecordKind::Message && record.role == Role::Assistant);
    said.filter(|record| !record.text.trim().is_empty()).last().map(|record| record.text).unwrap_or_default()
}

/// Keeps learnings with where they come from.
pub(crate) fn keep(
    host: &Host,
    text: &dyn Fn(&str) -> String,
    days: i64,
    found: &[String],
) -> Result<(), String> {
    if found.is_empty() {
        return Ok(());
    }
    let mut library = shelf::open(host, Opening::WORKER).map_err(|error| error.to_string())?;
    for learning in found {
        let draft = Draft {
            text: learning.clone(),
            kind: "learning".to_owned(),
            scope: "project".to_owned(),
            place: text("project"),
            tags: vec![text("tag")],
            agent: text("agent"),
            session: text("session"),
            origin: String::new(),
            importance: 4,
            lives: Some(days * 86_400_000_000),
        };
        library.remember(&draft, micros(host.clock.now())).map_err(|error| error.to_string())?;
    }
    Ok(())
}
