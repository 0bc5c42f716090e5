//! subagent-learning: what a subagent found out is kept for later sessions, in the background.

use crate::memory::shelf;
use crate::store::micros;
use serde_json::{Value, json};
use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Presets, Reply, Sees};
use sprag_engine::host::Host;
use sprag_engine::job::Job;
use sprag_engine::scrub::scrub;
use sprag_engine::settings::{Kind, Setting};
use sprag_memory::recall::Draft;
use sprag_memory::recall::learned::{is_substantial, learnings};
use sprag_protocol::{Event, EventKind};
use sprag_store::Opening;

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "subagent-learning",
    family: Family::Memory,
    summary: "keeps what a subagent found out for later sessions",
    sees: &[Sees { kind: EventKind::SubagentStop, matcher: "" }],
    presets: Presets("sxw"),
    settings: &[Setting::new(
        "ttl_days",
        Kind::Int { default: 90, min: 1 },
        "what is not met again for this long is forgotten",
    )],
    timeout_ms: 1_000,
    run,
};

/// The background job.
pub const JOB: &str = "memory-learn";
/// As much of an agent's last words is looked at.
const LONGEST: usize = 20_000;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let said = event.text("last_assistant_message").unwrap_or_default();
    if event.flag("stop_hook_active") || !is_substantial(said) {
        return Ok(Reply::pass());
    }
    let tag = event.agent_type.clone().unwrap_or_default();
    Ok(Reply::pass().with_job(job(event, cx, said, &tag)))
}

/// The job that keeps the learnings of a text.
pub(crate) fn job(event: &Event, cx: &Cx<'_>, said: &str, tag: &str) -> Job {
    let skip = said.chars().count().saturating_sub(LONGEST);
    let said: String = said.chars().skip(skip).collect();
    // The queue is a file: it holds no secrets either.
    let payload = json!({
        "text": scrub(&said), "tag": tag, "project": cx.project.key(&cx.host.machine()),
        "agent": event.agent.name(), "session": event.session_id, "ttl_days": cx.settings.int("ttl_days"),
    });
    Job::new(JOB, payload)
}

/// The handler of the job.
pub fn learn(host: &Host, job: &Job) -> Result<(), String> {
    let text = |key: &str| job.payload.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let days = job.payload.get("ttl_days").and_then(Value::as_i64).unwrap_or(90);
    keep(host, &text, days, &learnings(host, &text("text")))
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
