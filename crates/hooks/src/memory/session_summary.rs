//! session-summary: the key learnings of a session, when it ends, in the background.

use crate::memory::subagent_learning::keep;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_memory::recall::learned::learnings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::Job;
use sprag_transcript::{Reader, Role};
use std::path::Path;

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
        summary: "keeps the key learnings of a session when it ends",
        sees: &[Sees { kind: EventKind::SessionEnd, matcher: "" }],
        presets: Presets::of(&[Preset::Swarm]),
        settings: SessionSummarySettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

/// The background job.
pub const JOB: &str = "memory-summary";
/// As much of a transcript's end is read.
const TAIL: u64 = 1 << 20;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionSummarySettings = cx.settings.read();
    let Some(path) = event.transcript_path.as_deref().filter(|path| !path.is_empty()) else {
        return Ok(Reply::pass());
    };
    let payload = json!({
        "path": path, "tag": "session", "project": cx.project.key(&cx.host.machine()),
        "agent": event.agent.name(), "session": event.session_id, "ttl_days": settings.ttl_days,
    });
    // Of one session, one: an end that is sent twice is looked at once.
    Ok(Reply::pass().with_job(Job::new(JOB, payload).keyed(format!("{JOB}:{}", event.session_id))))
}

/// The handler of the job: what the model said, from the transcript's end.
pub fn summarise(host: &Host, job: &Job) -> Result<(), String> {
    let text = |key: &str| job.payload.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let days = job.payload.get("ttl_days").and_then(Value::as_i64).unwrap_or(30);
    // A transcript that is gone has nothing to say.
    let Ok(reader) = Reader::tail(Path::new(&text("path")), TAIL) else { return Ok(()) };
    let mut said = String::new();
    for record in reader {
        if record.is_said() && record.role == Role::Assistant {
            said.push_str(&record.text);
            said.push('\n');
        }
    }
    keep(host, &text, days, &learnings(host, &said))
}
