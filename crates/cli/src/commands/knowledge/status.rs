//! `sprag knowledge status`: where it is, what is in it, what the background did with the last sessions.

use crate::commands::project_at;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_llm::{Backend, Llm};
use sprag_memory::knowledge::handoff::{Freshness, Handoff};
use sprag_memory::knowledge::index::{self, Index};
use sprag_memory::knowledge::{Knowledge, entries, history, outcome, text};
use sprag_runtime::job::Work;
use sprag_runtime::queue::{self, JobState};
use sprag_terminal::{Out, Table, Tone};
use std::process::ExitCode;

const SHOWN: usize = 10;

pub(super) fn run(host: &Host, out: &Out, as_json: bool) -> ExitCode {
    let knowledge = Knowledge::open(host);
    let memory = knowledge.memory(&project_at(host, None));
    let handoff = Handoff::read(&memory);
    let state = handoff.as_ref().map(|handoff| match handoff.freshness(None) {
        Freshness::Fresh => "fresh",
        Freshness::WentOn(_) | Freshness::OtherSession(_) => "stale",
        Freshness::Unknown => "unknown",
    });
    let counts = Index::look(&knowledge).and_then(|index| index.counts().ok());
    let jobs = |place: JobState| {
        queue::list(&host.paths, place)
            .into_iter()
            .filter(|(_, stored)| {
                matches!(
                    stored.job.work,
                    Work::SessionExport(_) | Work::CompoundLoop(_) | Work::HandoffIndex(_)
                )
            })
            .count()
    };
    let (waiting, dead) = (jobs(JobState::Waiting), jobs(JobState::Dead));
    let mut recent = history::read(&knowledge.state);
    let recent = recent.split_off(recent.len().saturating_sub(SHOWN));
    let (decisions, failures) =
        (entries::read(&memory.decisions()).len(), entries::read(&memory.failures()).len());
    let backend = match Llm::read(host).backend {
        Backend::None => "none".to_owned(),
        Backend::Program(agent) => agent.name().to_owned(),
        Backend::Endpoint { url, .. } => format!("openai ({url})"),
    };
    if as_json {
        out.json(&json!({
            "root": knowledge.root,
            "model": backend,
            "index": {
                "path": index::file(&knowledge),
                "documents": counts.unwrap_or_default().into_iter().map(|(kind, count)| (kind, json!(count)))
                    .collect::<serde_json::Map<String, Value>>(),
            },
            "project": {
                "key": memory.key, "path": memory.dir, "decisions": decisions, "failures": failures,
                "handoff": handoff.map(|handoff| json!({
                    "session": handoff.session_id, "state": state,
                    "written_at": handoff.written.map(|at| at.to_string()),
                    "outcome": outcome::of(&memory, &handoff.session_id).map(outcome::Outcome::name),
                })),
            },
            "queue": { "waiting": waiting, "dead": dead },
            "recent": recent.iter().map(|done| json!({
                "ts": done.ts, "what": done.what, "session": done.session, "project": done.project,
                "result": done.result, "detail": done.detail,
            })).collect::<Vec<_>>(),
        }));
        return ExitCode::SUCCESS;
    }
    out.line(&format!("{}  {}", out.paint(Tone::Strong, "knowledge"), knowledge.shown(&knowledge.root)));
    let counted =
        counts.unwrap_or_default().iter().map(|(kind, count)| format!("{count} {kind}s")).collect::<Vec<_>>();
    out.line(&format!(
        "  search   {}",
        if counted.is_empty() { "nothing yet".to_owned() } else { counted.join(", ") }
    ));
    out.line(&format!("  model    {backend}"));
    out.line(&format!("  queue    {waiting} waiting, {dead} given up (`sprag status queue`)"));
    out.line(&format!("{}  {}", out.paint(Tone::Strong, "project"), memory.key));
    out.line(&format!("  memory   {decisions} decisions, {failures} failures"));
    match (&handoff, state) {
        (Some(handoff), Some(state)) => {
            let short = text::start(&handoff.session_id, 8);
            out.line(&format!("  handoff  {state}, of session {short}"));
        }
        _ => out.line("  handoff  none"),
    }
    if !recent.is_empty() {
        let mut table = Table::new(&["when", "what", "session", "result", "detail"]);
        for done in &recent {
            let tone = if done.result == "failed" { Tone::Bad } else { Tone::Plain };
            let when: String = done.ts.replace('T', " ").chars().take(16).collect();
            table.row(vec![
                (Tone::Dim, when),
                (Tone::Plain, done.what.clone()),
                (Tone::Dim, text::start(&done.session, 8).to_owned()),
                (tone, done.result.clone()),
                (Tone::Plain, text::cut(&done.detail, 90)),
            ]);
        }
        out.line("");
        out.table(&table);
    }
    ExitCode::SUCCESS
}
