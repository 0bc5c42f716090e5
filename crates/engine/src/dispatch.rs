//! The way of an event: decode, plan, chain, merge, encode. One direction; standard output is the caller's.

use crate::broker;
use crate::cache;
use crate::chain::{self, Outcome, Surroundings};
use crate::failures;
use crate::heartbeat;
use crate::host::Host;
use crate::journal::{self, Entry};
use crate::panics;
use crate::plan::EventPlan;
use crate::project::Project;
use crate::queue;
use crate::record;
use crate::session::Session;
use sprag_protocol::decode::{self, DecodeError};
use sprag_protocol::dialect::{AskFallback, Dialect, Encoded};
use sprag_protocol::{AgentId, Decision, Event, EventKind, Verdict, dialects};
use std::time::Instant;

/// What a run answers, and what a test may look at.
#[derive(Debug, Default)]
pub struct Answer {
    /// One JSON object (or plain text where the agent wants that), or nothing.
    pub stdout: Option<String>,
    /// The verdict behind it.
    pub verdict: Verdict,
    /// The journal's line.
    pub entry: Entry,
}

/// The marker of a turn that ended in an API error.
const RECOVERY: &str = "recovery";
/// The notes that the session has heard.
const HEARD: &str = "heard";

/// Answers one event. Never fails, never panics; the journal says what went wrong.
pub fn dispatch(host: &Host, payload: &[u8], agent: Option<AgentId>) -> Answer {
    let started = Instant::now();
    // A model call that sprag itself made: every hook is a no-op, or the system would watch itself.
    if host.env.is_on("SPRAG_NESTED") {
        return Answer::default();
    }
    let answer = panics::caught(|| decoded(host, payload, agent, started)).unwrap_or_else(|error| {
        let mut entry = Entry { t: host.clock.now().to_string(), verdict: "pass".into(), ..Entry::default() };
        entry.error = Some(journal::keep(&format!("sprag itself failed: {error}")));
        let _ = failures::record(&host.paths, host.clock.now(), "sprag", &error);
        let _ = journal::write(&host.paths, &entry, 0, 1);
        Answer { entry, ..Answer::default() }
    });
    record::keep(host, payload, &answer);
    answer
}

fn decoded(host: &Host, payload: &[u8], agent: Option<AgentId>, started: Instant) -> Answer {
    match decode::decode(payload, agent, &|name| host.env.get(name)) {
        Ok(event) => answer(host, &event, started),
        Err(error) => {
            let agent = agent.unwrap_or(AgentId::Claude);
            undecoded(host, payload, agent, &error, started)
        }
    }
}

/// A payload that is no event: silence and one line. One that is too large to look at is asked about when
/// it is a tool call, or padding would lead past the guards.
fn undecoded(host: &Host, payload: &[u8], agent: AgentId, error: &DecodeError, started: Instant) -> Answer {
    let mut entry = Entry {
        t: host.clock.now().to_string(),
        agent: agent.name().to_owned(),
        verdict: Decision::Pass.name().to_owned(),
        error: Some(error.to_string()),
        ..Entry::default()
    };
    let mut stdout = None;
    let mut verdict = Verdict::default();
    let dialect = dialects::of(agent);
    if *error == DecodeError::TooLarge
        && let Some(event) = oversized_tool_call(payload, dialect)
    {
        verdict.decision = Decision::Ask;
        verdict.reason = Some(format!("sprag's guards could not look at this call: {error}."));
        stdout = dialect.answer(&event, &verdict, AskFallback::Deny).stdout;
        event.kind.name().clone_into(&mut entry.event);
        verdict.decision.name().clone_into(&mut entry.verdict);
    }
    entry.us = started.elapsed().as_micros() as u64;
    let _ = journal::write(&host.paths, &entry, DEFAULT_JOURNAL, 5);
    Answer { stdout, verdict, entry }
}

/// The size at which a journal is rotated when there is no plan that says otherwise.
const DEFAULT_JOURNAL: u64 = 8 << 20;

/// Looks for the event's name in the first and last part of a payload that is too large to parse.
fn oversized_tool_call(payload: &[u8], dialect: &'static Dialect) -> Option<Event> {
    let row = dialect.row(EventKind::PreToolUse)?;
    let names = [row.native, EventKind::PreToolUse.name()];
    const LOOK: usize = 64 << 10;
    let head = payload.get(..LOOK.min(payload.len())).unwrap_or_default();
    let tail = payload.get(payload.len().saturating_sub(LOOK)..).unwrap_or_default();
    let found = [head, tail].iter().any(|part| {
        let text = String::from_utf8_lossy(part);
        names.iter().any(|name| {
            text.split("\"hook_event_name\"").skip(1).any(|after| {
                after
                    .trim_start()
                    .strip_prefix(':')
                    .is_some_and(|value| value.trim_start().trim_start_matches('"').starts_with(name))
            })
        })
    });
    // A name in neither place: the middle may hold it. A tool call is the safe guess.
    let other = [head, tail].iter().any(|part| String::from_utf8_lossy(part).contains("\"hook_event_name\""));
    (found || !other).then(|| {
        let mut raw = serde_json::Map::new();
        raw.insert("hook_event_name".to_owned(), row.native.into());
        decode::read(raw, dialect)
    })
}

fn answer(host: &Host, event: &Event, started: Instant) -> Answer {
    let session = Session::new(&host.paths, &event.session_id);
    let project = Project::find(&event.cwd, &host.env, &host.paths.home);
    let planned = cache::plan(host, &project, event.kind);
    let recovering = bookkeeping(event, &session);
    let around = Surroundings { host, session: &session, project: &project, recovering, started };
    let mut outcome = chain::run(&planned.plan, event, &around);
    if event.kind == EventKind::SessionStart {
        surface(host, event, &planned.faults, &mut outcome);
    }
    let dialect = dialects::of(event.agent);
    let chars = speak(event, &session, dialect, &planned.plan, &mut outcome);
    let ask = if planned.plan.ask_passes { AskFallback::Pass } else { AskFallback::Deny };
    let Encoded { stdout, lost } = dialect.answer(event, &outcome.verdict, ask);
    let mut entry = entry_of(host, event, &outcome, chars, lost, started);
    if !planned.faults.is_empty() {
        entry.error = Some(journal::keep(&format!("configuration: {}", planned.faults.join("; "))));
    }
    if let Err(error) = effects(host, event, dialect, &outcome) {
        entry.error = Some(journal::keep(&error));
    }
    let _ = journal::write(&host.paths, &entry, planned.plan.journal_max_bytes, planned.plan.journal_keep);
    heartbeat::beat(host, &session, event.agent.name(), &event.session_id);
    Answer { stdout, verdict: outcome.verdict, entry }
}

/// What the runtime itself keeps of a session. True while a turn that ended in an API error is not over.
fn bookkeeping(event: &Event, session: &Session) -> bool {
    match event.kind {
        EventKind::StopFailure => {
            let _ = session.write(RECOVERY, "");
            true
        }
        EventKind::UserPromptSubmit | EventKind::Stop => {
            if session.has(RECOVERY) {
                let _ = session.remove(RECOVERY);
            }
            false
        }
        EventKind::SessionStart => {
            // After a compaction or a clear the model has heard nothing of what this session was told.
            if matches!(event.text("source"), Some("compact" | "clear")) {
                let _ = session.remove(HEARD);
            }
            session.has(RECOVERY)
        }
        _ => session.has(RECOVERY),
    }
}

/// Failures since the last session are named to the user, except when a session only goes on.
fn surface(host: &Host, event: &Event, faults: &[String], outcome: &mut Outcome) {
    let mut said = Vec::new();
    if let Some(fault) = faults.first() {
        said.push(format!(
            "sprag: the configuration has a fault, the last good one is in force (`sprag check`):\n  {}",
            fault.lines().next().unwrap_or_default()
        ));
    }
    if event.text("source") != Some("compact") {
        said.extend(failures::tell(&host.paths));
    }
    for message in said {
        outcome.verdict.message = Some(match outcome.verdict.message.take() {
            Some(old) => format!("{old}\n{message}"),
            None => message,
        });
    }
}

/// Lets the broker put the notes together; gives the characters that reach the model.
fn speak(
    event: &Event,
    session: &Session,
    dialect: &Dialect,
    plan: &EventPlan,
    outcome: &mut Outcome,
) -> u64 {
    if outcome.notes.is_empty() {
        return 0;
    }
    let heard = session.read(HEARD);
    let budget = (plan.budget_chars as usize).min(dialect.context_limit);
    let notes = std::mem::take(&mut outcome.notes);
    let assembled = broker::assemble(notes, event.agent_id.as_deref(), &heard, budget);
    for (place, chars) in &assembled.chars {
        if let Some(run) = outcome.runs.get_mut(*place) {
            run.chars += chars;
        }
    }
    if !assembled.said.is_empty() {
        let _ = session.append(HEARD, &assembled.said.join("\n"));
    }
    outcome.verdict.context = assembled.text;
    outcome.verdict.context.as_deref().map_or(0, |text| broker::length(text) as u64)
}

/// The environment for the agent's shell, and work for the background.
fn effects(host: &Host, event: &Event, dialect: &Dialect, outcome: &Outcome) -> Result<(), String> {
    let can_set = dialect.row(event.kind).is_some_and(|row| row.env_file);
    if can_set
        && !outcome.env.is_empty()
        && let Some(file) = host.env.get("CLAUDE_ENV_FILE")
    {
        let lines: String = outcome
            .env
            .iter()
            .filter(|(name, _)| is_variable(name))
            .map(|(name, value)| format!("export {name}='{}'\n", value.replace('\'', "'\\''")))
            .collect();
        crate::files::append(std::path::Path::new(&file), lines.as_bytes())
            .map_err(|error| format!("{file}: {error}"))?;
    }
    let now = host.clock.now();
    let mut wake = false;
    for job in &outcome.jobs {
        queue::push(&host.paths, job, now).map_err(|error| format!("the background queue: {error}"))?;
        wake = true;
    }
    // A worker that died left its jobs; a new session is the time to see to them.
    if wake || (event.kind == EventKind::SessionStart && queue::has_due(&host.paths, now)) {
        queue::wake(host);
    }
    Ok(())
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn entry_of(
    host: &Host,
    event: &Event,
    outcome: &Outcome,
    chars: u64,
    lost: Vec<&'static str>,
    started: Instant,
) -> Entry {
    let name = if event.kind == EventKind::Unknown { &event.native_name } else { event.kind.name() };
    Entry {
        t: host.clock.now().to_string(),
        agent: event.agent.name().to_owned(),
        session: event.session_id.clone(),
        subagent: event.agent_id.clone(),
        cwd: event.cwd.clone(),
        event: journal::keep(name),
        tool: event.tool.as_ref().map(|tool| journal::keep(&tool.name)),
        call: event.text("tool_use_id").map(journal::keep),
        verdict: outcome.verdict.decision.name().to_owned(),
        us: started.elapsed().as_micros() as u64,
        chars,
        tokens: journal::estimate_tokens(chars),
        lost: lost.into_iter().map(str::to_owned).collect(),
        error: None,
        runs: outcome.runs.clone(),
    }
}
