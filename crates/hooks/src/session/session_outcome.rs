//! session-outcome: a session that ended left a handoff; how it went is asked for at the next start, from the user.
//! What an agent prints at its end nobody reads, and a compaction is no end.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_config::settings;
use sprag_memory::knowledge::Knowledge;
use sprag_memory::knowledge::outcome::{self, Outcome, Pending};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use std::path::PathBuf;

settings! {
    struct SessionOutcomeSettings {
        /// so many starts ask about one handoff; 0 asks never
        times: i64 = 2;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-outcome",
        family: Family::Session,
        summary: "asks the user at the next start how the work of a handoff went; `sprag knowledge outcome` records it",
        sees: &[
            Sees { kind: EventKind::SessionEnd, matcher: "" },
            Sees { kind: EventKind::SessionStart, matcher: "startup|resume|clear" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionOutcomeSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

/// A handoff that waits for its outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Waiting {
    /// The session that left it.
    session: String,
    /// How many starts asked.
    asked: i64,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionOutcomeSettings = cx.settings.read();
    if event.session_id.is_empty() || event.agent_id.is_some() {
        return Ok(Reply::pass());
    }
    let file = waiting_file(cx);
    let mut known: Vec<Waiting> = files::read(&file, files::STATE)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    if event.kind == EventKind::SessionEnd {
        // The handoff itself is written in the background, after this.
        if !known.iter().any(|waiting| waiting.session == event.session_id) {
            known.push(Waiting { session: event.session_id.clone(), asked: 0 });
            keep(&file, known)?;
        }
        return Ok(Reply::pass());
    }
    let memory = Knowledge::open(cx.host).memory(cx.project);
    // One's own handoff is not over while one goes on.
    let Some(pending) = outcome::pending(&memory).filter(|pending| pending.session != event.session_id)
    else {
        return Ok(Reply::pass());
    };
    let asked =
        known.iter().find(|waiting| waiting.session == pending.session).map_or(0, |waiting| waiting.asked);
    if asked >= settings.times {
        return Ok(Reply::pass());
    }
    known.retain(|waiting| waiting.session != pending.session);
    known.push(Waiting { session: pending.session.clone(), asked: asked + 1 });
    keep(&file, known)?;
    Ok(Reply::pass().with_message(question(&pending)))
}

fn question(pending: &Pending) -> String {
    let short: String = pending.session.chars().take(8).collect();
    let words: Vec<String> = Outcome::ALL.iter().map(|outcome| outcome.name().to_ascii_lowercase()).collect();
    let about = if pending.about.is_empty() { String::new() } else { format!(" ({})", pending.about) };
    format!("sprag: how did session {short} end{about}? sprag knowledge outcome {}", words.join("|"))
}

fn waiting_file(cx: &Cx<'_>) -> PathBuf {
    let project = short_hash(cx.project.key(&cx.host.machine()).as_bytes());
    cx.host.paths.state.join("outcomes").join(format!("{project}.json"))
}

/// Keeps the last ones: an older handoff is nobody's any more.
fn keep(file: &std::path::Path, mut waiting: Vec<Waiting>) -> std::io::Result<()> {
    const MOST: usize = 20;
    waiting.drain(..waiting.len().saturating_sub(MOST));
    files::write_atomic(file, &serde_json::to_vec(&waiting).map_err(std::io::Error::other)?)
}
