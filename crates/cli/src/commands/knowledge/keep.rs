//! Adding and removing: handoff-now, export, outcome, prune.

use crate::commands::project_at;
use anyhow::Context as _;
use serde_json::json;
use sprag_config::host::Host;
use sprag_memory::knowledge::evaluate::{Evaluated, Options};
use sprag_memory::knowledge::export::{self, Exported, Task};
use sprag_memory::knowledge::handoff::Handoff;
use sprag_memory::knowledge::index::Index;
use sprag_memory::knowledge::outcome::{self, Outcome, Pending};
use sprag_memory::knowledge::{Knowledge, ProjectMemory, open, prune as pruning, text, work};
use sprag_terminal::person::{agent_around, at_terminal};
use sprag_terminal::{Out, Problem, Tone};
use sprag_transcript::{Cursor, Reader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The sessions at work on this project, the one that was last written to first.
fn here(host: &Host, knowledge: &Knowledge) -> Vec<Task> {
    let own = knowledge.memory(&project_at(host, None)).key;
    let mut found: Vec<(std::time::SystemTime, Task)> = open::all(&host.paths, work::OPEN_EVALUATE)
        .into_iter()
        .chain(open::all(&host.paths, work::OPEN_EXPORT))
        .filter_map(|session| {
            let project = sprag_project::Project::find(&session.cwd, &host.env, &host.paths.home);
            let transcript = PathBuf::from(session.transcript);
            let written = transcript.metadata().and_then(|meta| meta.modified()).ok()?;
            let task = Task { agent: session.agent, session: session.session, transcript, cwd: session.cwd };
            (knowledge.memory(&project).key == own).then_some((written, task))
        })
        .collect();
    found.sort_by_key(|(written, _)| std::cmp::Reverse(*written));
    let mut seen = Vec::new();
    found.retain(|(_, task)| {
        let new = !seen.contains(&task.session);
        seen.push(task.session.clone());
        new
    });
    found.into_iter().map(|(_, task)| task).collect()
}

/// So many of the newest transcripts are looked at for one of this project.
const LOOKED_AT: usize = 400;
/// Where a session works stands in its first records.
const FIRST_RECORDS: usize = 50;

/// The newest session of this project by the agents' own transcripts: also one that no hook saw. With an id, that one.
fn by_transcripts(host: &Host, knowledge: &Knowledge, session: Option<&str>) -> Option<Task> {
    let own = knowledge.memory(&project_at(host, None)).key;
    let mut files: Vec<(std::time::SystemTime, PathBuf)> =
        sprag_lessons::scan::transcripts(&sprag_lessons::scan::folders(host))
            .into_iter()
            .filter_map(|path| Some((path.metadata().and_then(|meta| meta.modified()).ok()?, path)))
            .collect();
    files.sort_by(|a, b| b.cmp(a));
    files.into_iter().take(LOOKED_AT).find_map(|(_, transcript)| {
        let mut reader = Reader::open(&transcript, Cursor::default()).ok()?;
        // A subagent's transcript is a part of its session.
        let mut records = reader.by_ref().take(FIRST_RECORDS).peekable();
        let beside = records.peek().is_some_and(|record| record.sidechain);
        records.for_each(drop);
        let facts = reader.facts();
        let wanted = session.is_none_or(|id| facts.session_id.starts_with(id));
        if beside || !wanted || facts.cwd.is_empty() {
            return None;
        }
        let project = sprag_project::Project::find(&facts.cwd, &host.env, &host.paths.home);
        let agent = facts.agent.map_or("", sprag_protocol::AgentId::name).to_owned();
        let (session, cwd) = (facts.session_id.clone(), facts.cwd.clone());
        (knowledge.memory(&project).key == own).then_some(Task { agent, session, transcript, cwd })
    })
}

/// A transcript that a person names. Who wrote it and where stands in it.
fn task_at(path: &Path) -> anyhow::Result<Task> {
    let transcript = std::path::absolute(path)?;
    let mut reader = Reader::open(&transcript, Cursor::default()).with_context(|| {
        Problem::new(format!("cannot read {}", path.display()), "give the path of a transcript")
    })?;
    reader.by_ref().for_each(drop);
    let facts = reader.facts();
    let agent = facts.agent.map_or("", sprag_protocol::AgentId::name).to_owned();
    Ok(Task { agent, session: facts.session_id.clone(), transcript, cwd: facts.cwd.clone() })
}

pub(super) fn handoff_now(
    host: &Host,
    out: &Out,
    session: Option<&str>,
    transcript: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let knowledge = Knowledge::open(host);
    let task = if let Some(path) = transcript {
        task_at(path)?
    } else {
        let known = here(host, &knowledge);
        // Inside an agent's shell its own session is meant.
        let own = host.env.get("SPRAG_SESSION_ID");
        let wanted = session.or(own.as_deref());
        let found = match wanted {
            Some(id) => known.iter().find(|task| task.session.starts_with(id)),
            None => known.first(),
        };
        found.cloned().or_else(|| by_transcripts(host, &knowledge, wanted)).context(Problem::new(
            "no session of this project is known, and none of the agents' transcripts is of it",
            "give its file with --transcript",
        ))?
    };
    let options = Options { forced: true, ..Options::default() };
    let done = work::evaluate_now(&knowledge, host, &task, &options).map_err(|error| {
        anyhow::anyhow!(Problem::new(
            format!("no handoff: {error}"),
            "`sprag knowledge status` shows what was tried"
        ))
    })?;
    let memory = knowledge.memory(&sprag_project::Project::find(&task.cwd, &host.env, &host.paths.home));
    let (written, detail) = match done {
        Evaluated::Wrote(what) => (true, what),
        Evaluated::Skipped(why) => (false, why),
    };
    let handoff = Handoff::read(&memory);
    if as_json {
        out.json(&json!({
            "session": task.session, "written": written, "detail": detail, "path": memory.handoff(),
            "handoff": handoff.map(|handoff| handoff.body),
        }));
    } else {
        out.line(&format!(
            "{}  {detail}",
            out.paint(Tone::Strong, if written { "written" } else { "nothing written" })
        ));
        if let Some(handoff) = handoff {
            out.line(&out.paint(Tone::Dim, &knowledge.shown(&memory.handoff())));
            out.line(&handoff.body);
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn export(
    host: &Host,
    out: &Out,
    transcripts: &[PathBuf],
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let knowledge = Knowledge::open(host);
    let tasks = if transcripts.is_empty() {
        here(host, &knowledge)
    } else {
        transcripts.iter().map(|path| task_at(path)).collect::<anyhow::Result<_>>()?
    };
    let mut index = Index::open(&knowledge).ok();
    let mut results = Vec::new();
    for task in &tasks {
        let done = export::export(&knowledge, host, task, 1, true)?;
        let (result, path, detail) = match done {
            Exported::Written(path, messages) => {
                if let Some(index) = &mut index {
                    let _ = index.put(&knowledge, &path, None);
                }
                ("written", Some(path), format!("{messages} messages"))
            }
            Exported::Unchanged(path) => ("unchanged", Some(path), String::new()),
            Exported::Skipped(why) => ("skipped", None, why.to_owned()),
        };
        if !as_json {
            let shown =
                path.as_ref().map_or_else(|| knowledge.shown(&task.transcript), |path| knowledge.shown(path));
            out.line(format!("{result:<9}  {shown}  {detail}").trim_end());
        }
        results.push(json!({ "session": task.session, "result": result, "path": path, "detail": detail }));
    }
    if as_json {
        out.json(&json!({ "sessions": results }));
    } else if tasks.is_empty() {
        out.line("No session is at work here; give transcripts to export.");
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn outcome(
    host: &Host,
    out: &Out,
    outcome: Option<Outcome>,
    session: Option<&str>,
    notes: &str,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let knowledge = Knowledge::open(host);
    let memory = knowledge.memory(&project_at(host, None));
    let Some(outcome) = outcome else {
        let pending = outcome::pending(&memory);
        if as_json {
            out.json(&json!({ "pending": pending.map(|p| json!({
                "session": p.session, "about": p.about, "written_at": p.written.map(|at| at.to_string()),
            })) }));
        } else if let Some(pending) = pending {
            out.line(&format!("{}  {}", text::start(&pending.session, 8), pending.about));
            return asked(host, out, &memory, &pending);
        } else {
            out.line("No handoff of this project waits for a word.");
        }
        return Ok(ExitCode::SUCCESS);
    };
    let notes = sprag_scan::scrub::scrub(notes);
    let id = outcome::record(&memory, session, outcome, &notes, host.clock.now()).map_err(|error| {
        anyhow::anyhow!(Problem::new(&error, "`sprag knowledge list --here` shows the sessions"))
    })?;
    if as_json {
        out.json(&json!({ "session": id, "outcome": outcome.name(), "notes": notes }));
    } else {
        out.line(&format!("{}  {}", out.paint(Tone::Strong, outcome.name()), id));
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes a person's word on how a session went; Enter leaves it for later.
fn asked(host: &Host, out: &Out, memory: &ProjectMemory, pending: &Pending) -> anyhow::Result<ExitCode> {
    if !at_terminal() || agent_around(&host.env).is_some() {
        out.line("How did it go? `sprag knowledge outcome succeeded|partial-plus|partial-minus|failed`");
        return Ok(ExitCode::SUCCESS);
    }
    let mut found = None;
    // A slip of a finger gets a second chance, and a third.
    for _ in 0..3 {
        let answer =
            out.ask("How did it go? (s succeeded, + most of it, - some of it, f failed, Enter later)");
        found = match answer.as_str() {
            "" => return Ok(ExitCode::SUCCESS),
            "s" => Some(Outcome::Succeeded),
            "+" => Some(Outcome::PartialPlus),
            "-" => Some(Outcome::PartialMinus),
            "f" => Some(Outcome::Failed),
            word => Outcome::parse(word),
        };
        if found.is_some() {
            break;
        }
        out.line(&format!("  `{answer}` is no outcome"));
    }
    let Some(found) = found else {
        return Err(anyhow::anyhow!(Problem::new("no answer was an outcome", "nothing was recorded")));
    };
    outcome::record(memory, Some(&pending.session), found, "", host.clock.now()).map_err(|error| {
        anyhow::anyhow!(Problem::new(&error, "`sprag knowledge list --here` shows the sessions"))
    })?;
    out.line(&format!("{} recorded.", found.name()));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn prune(
    host: &Host,
    out: &Out,
    older: Option<Duration>,
    dry: bool,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let knowledge = Knowledge::open(host);
    let pruned = pruning::prune(&knowledge, older, dry, host.clock.now());
    if !dry {
        work::sync(&knowledge)?;
    }
    if as_json {
        out.json(&json!({
            "dry_run": dry, "sessions": pruned.sessions, "backups": pruned.backups, "states": pruned.states,
        }));
    } else {
        let word = if dry { "would go" } else { "removed" };
        out.line(&format!(
            "{word}: {} sessions, {} copies of transcripts",
            pruned.sessions.len(),
            pruned.backups
        ));
    }
    Ok(ExitCode::SUCCESS)
}
