//! The event path: decode, plan, chain, merge, encode. One direction; standard output is the caller's.

use crate::approvals;
use crate::broker::{self, Offered};
use crate::chain::{self, Outcome, RunContext};
use crate::error::TaskError;
use crate::failures;
use crate::heartbeat;
use crate::hook::{Builtin, Grounds, Note, Repeat, priority};
use crate::interactive;
use crate::journal::{self, Entry, Stop};
use crate::merge::Said;
use crate::message::{self, Stopped};
use crate::notices;
use crate::panics;
use crate::queue;
use crate::record;
use crate::remote;
use crate::session::{RECOVERY, Session};
use crate::stops;
use crate::trial;
use sprag_base::env::Env;
use sprag_base::id::safe_name;
use sprag_config::cache::{self, Planned};
use sprag_config::host::Host;
use sprag_config::plan::EventPlan;
use sprag_config::untrusted_env::{self, UntrustedVar};
use sprag_project::Project;
use sprag_protocol::agents::ENV_FILE_VARIABLE;
use sprag_protocol::decode::{self, DecodeError};
use sprag_protocol::dialect::{AskFallback, ContextWay, Dialect, Encoded, Lost, Row};
use sprag_protocol::{AgentId, Decision, Event, EventKind, ToolCall, Verdict, dialects};
use std::time::Instant;

/// What a run answers, and what a test may look at.
#[derive(Debug, Default)]
pub struct Answer {
    /// One JSON object (or plain text where the agent wants that), or nothing.
    pub stdout: Option<String>,
    /// The reason of a denial that the agent takes from standard error with exit code 2.
    pub refusal: Option<String>,
    /// The verdict behind it.
    pub verdict: Verdict,
    /// The journal's line.
    pub entry: Entry,
}

/// The notes that the session has heard.
const HEARD: &str = "heard";

/// Answers one event. Never fails, never panics; the journal says what went wrong.
pub fn dispatch(host: &Host, builtins: &'static [Builtin], payload: &[u8], agent: Option<AgentId>) -> Answer {
    let started = Instant::now();
    // A model call that sprag itself made: every hook is a no-op, or the system would watch itself.
    if host.env.is_on("SPRAG_NESTED") && !untrusted_env::nested(host, payload, agent) {
        return Answer::default();
    }
    let answer =
        panics::caught(|| decoded(host, builtins, payload, agent, started)).unwrap_or_else(|error| {
            let mut entry =
                Entry { t: host.clock.now().to_string(), verdict: "pass".into(), ..Entry::default() };
            entry.error = Some(journal::keep(&format!("sprag itself failed: {error}")));
            let _ = failures::record(&host.paths, host.clock.now(), "sprag", &error.to_string());
            let _ = journal::write(&host.paths, &entry, 0, 1);
            Answer { entry, ..Answer::default() }
        });
    record::keep(host, payload, &answer);
    answer
}

fn decoded(
    host: &Host,
    builtins: &'static [Builtin],
    payload: &[u8],
    agent: Option<AgentId>,
    started: Instant,
) -> Answer {
    match decode::decode(payload, agent, &|name| host.env.get(name)) {
        Ok(event) => answer(host, builtins, &event, started),
        Err(error) => {
            let agent = agent.unwrap_or(AgentId::CANONICAL);
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
    let (mut stdout, mut refusal) = (None, None);
    let mut verdict = Verdict::default();
    let dialect = dialects::of(agent);
    if *error == DecodeError::TooLarge
        && let Some(event) = oversized_tool_call(payload, dialect)
    {
        verdict.decision = Decision::Ask;
        let unasked = unasked(host, dialect);
        if unasked.is_some() {
            verdict.decision = Decision::Deny;
        }
        let reason = format!("the guards could not look at this call: {error}");
        let said = [Said { hook: "limits".to_owned(), reason, grounds: Grounds::default() }];
        let stop = Stop { id: message::short_id(&entry.t), ..Stop::default() };
        verdict.reason = Some(words(&event, verdict.decision, &said, &stop, unasked.as_deref()));
        Encoded { stdout, refusal, .. } = dialect.answer(&event, &verdict);
        entry.stop = Some(stop);
        event.kind.name().clone_into(&mut entry.event);
        verdict.decision.name().clone_into(&mut entry.verdict);
    }
    entry.us = started.elapsed().as_micros() as u64;
    let _ = journal::write(&host.paths, &entry, DEFAULT_JOURNAL, 5);
    Answer { stdout, refusal, verdict, entry }
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

fn answer(host: &Host, builtins: &'static [Builtin], event: &Event, started: Instant) -> Answer {
    let mut project = Project::find(&event.cwd, &host.env, &host.paths.home);
    let untrusted = untrusted_env::find(host, &project);
    let cleaned = (!untrusted.is_empty()).then(|| untrusted_env::without(host, &untrusted));
    let host = cleaned.as_ref().unwrap_or(host);
    if cleaned.is_some() {
        project = Project::find(&event.cwd, &host.env, &host.paths.home);
    }
    let session = Session::new(&host.paths, &event.session_id);
    let planned = cache::plan(host, &project, event.kind);
    let recovering = bookkeeping(event, &session);
    let around = RunContext { host, builtins, session: &session, project: &project, recovering, started };
    let mut outcome = chain::run(&planned.plan, event, &around);
    if event.beyond_limits {
        ask_about_the_unseen(event, &mut outcome);
    }
    if event.kind == EventKind::SessionStart {
        surface(host, event, &planned, &untrusted, &mut outcome);
    }
    let dialect = dialects::of(event.agent);
    let row = dialect.row(event.kind);
    if !recovering && row.is_some_and(|row| row.context == ContextWay::Specific) {
        bring(event, &session, dialect, &mut outcome);
    }
    let mut chars = speak(event, &session, dialect, &planned.plan, &mut outcome);
    let waited = remote::ask(host, &planned.plan, event, (&session, &project), &mut outcome);
    let ask = if planned.plan.ask_passes { AskFallback::Pass } else { AskFallback::Deny };
    let unasked = if outcome.verdict.decision == Decision::Ask { unasked(host, dialect) } else { None };
    // What the chain decided stays in the journal; the agent is given what a question is turned into.
    let decided = outcome.verdict.decision;
    if unasked.is_some() {
        outcome.verdict.decision = ask.decision();
    }
    let stop = stopped(event, &project, &mut outcome, unasked.as_deref());
    let Encoded { stdout, refusal, mut lost } = dialect.answer(event, &outcome.verdict);
    if stop.is_some() && outcome.verdict.decision.stops() {
        stops::count(&host.paths, host.clock.now());
    }
    outcome.verdict.decision = decided;
    lost.extend(unasked.map(|_| Lost::Ask));
    if let Some(context) = lost.iter_mut().find(|lost| **lost == Lost::Context) {
        chars = 0;
        outcome.runs.iter_mut().for_each(|run| run.chars = 0);
        if row.is_some_and(|row| row.waits_for.is_some()) && keep_for_later(event, &session, &outcome) {
            *context = Lost::ContextWaits;
        }
    }
    if !outcome.env.is_empty() && row.is_none_or(|row| !row.env_file) {
        lost.push(Lost::Env);
    }
    let mut entry = entry_of(host, event, &outcome, chars, lost, started);
    // A person's time is not the hooks'.
    entry.us = entry.us.saturating_sub(waited.as_micros() as u64);
    if stop.is_none() && decided.stops() {
        answered(&mut entry, &outcome.said);
    }
    entry.stop = stop;
    if planned.compiled && !planned.errors.is_empty() {
        let said: Vec<String> =
            planned.errors.iter().map(|error| format!("{error}; {}", error.hint)).collect();
        entry.error = Some(journal::keep(&format!("configuration: {}", said.join("; "))));
    }
    if !untrusted.is_empty() {
        let said: Vec<String> = untrusted.iter().map(ToString::to_string).collect();
        entry.error = Some(journal::keep(&said.join("; ")));
    }
    notices::offer(host, &planned.plan, event, &entry, &mut outcome.jobs);
    if let Err(error) = effects(host, event, env_file(host, row), &outcome) {
        entry.error = Some(journal::keep(&error.to_string()));
    }
    let _ = journal::write(&host.paths, &entry, planned.plan.journal_max_bytes, planned.plan.journal_keep);
    heartbeat::beat(host, &session, event.agent.name(), &event.session_id);
    Answer { stdout, refusal, verdict: outcome.verdict, entry }
}

/// A tool call of which a part was left out is asked about: the guards did not see all of it.
#[cold]
fn ask_about_the_unseen(event: &Event, outcome: &mut Outcome) {
    let call = matches!(event.kind, EventKind::PreToolUse | EventKind::PermissionRequest);
    if !call || outcome.verdict.decision >= Decision::Ask {
        return;
    }
    outcome.verdict.decision = Decision::Ask;
    let reason = "the guards could not look at all of this call: it is nested too deeply, or has a number that is too large";
    // No approval lifts it: what was left out may be another thing the next time.
    let grounds = Grounds { firm: true, ..Grounds::default() };
    outcome.said = vec![Said { hook: "limits".to_owned(), reason: reason.to_owned(), grounds }];
}

/// Why a question cannot be asked: the agent cannot, or nobody is there to answer.
fn unasked(host: &Host, dialect: &Dialect) -> Option<String> {
    let agent = dialect.agent.spec();
    if !dialect.can_ask {
        return Some(format!("{} cannot ask", agent.title));
    }
    // Cases have an environment of their own: what is above the test runner says nothing about them.
    (!matches!(host.env, Env::Fixed(_)) && interactive::asks_nobody(&agent.process))
        .then(|| "nobody can be asked here".to_owned())
}

/// Puts a stop into words, and makes what the journal keeps of it.
fn stopped(event: &Event, project: &Project, outcome: &mut Outcome, unasked: Option<&str>) -> Option<Stop> {
    let decision = outcome.verdict.decision;
    if decision < Decision::Ask {
        return None;
    }
    let said = &outcome.said;
    let key = approvals::key(event);
    let id = message::short_id(key.as_deref().unwrap_or(&event.session_id));
    let key = key.filter(|_| said.iter().all(|said| !said.grounds.firm));
    let project = project.root.to_string_lossy().into_owned();
    let (shown, whole) = shown(event);
    let stop = Stop { id, key, project, shown, whole };
    let text = words(event, decision, said, &stop, unasked);
    // A hook that ends the whole turn gives the same reason for it.
    if outcome.verdict.stop.is_some() && outcome.verdict.stop == outcome.verdict.reason {
        outcome.verdict.stop = Some(text.clone());
    }
    outcome.verdict.reason = Some(text);
    (!said.iter().all(|said| said.grounds.answers)).then_some(stop)
}

fn words(event: &Event, decision: Decision, said: &[Said], stop: &Stop, unasked: Option<&str>) -> String {
    let (kind, can_allow) = (event.kind, stop.key.is_some());
    message::stop(&Stopped { kind, decision, said, id: &stop.id, can_allow, unasked })
}

/// The call as a person reads it: the command, or the tool's input; whether that is all of it.
pub(crate) fn shown(event: &Event) -> (String, bool) {
    /// More is not read before it is allowed; what is left out is counted.
    const SHOWN_CHARS: usize = 8_000;
    let input = || event.tool_input().map(ToString::to_string);
    let text = match &event.tool {
        Some(tool) => tool.command.clone().or_else(input).unwrap_or_default(),
        None => event.text("prompt").unwrap_or_default().to_owned(),
    };
    let clean = sprag_scan::scrub::scrub(&text);
    match clean.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => {
            let left = clean.chars().count() - SHOWN_CHARS;
            (format!("{}… and {left} more characters", clean.get(..end).unwrap_or_default()), false)
        }
        None => (clean.to_string(), *clean == *text),
    }
}

/// What the runtime itself keeps of a session. True while a turn that ended in an API error is not over.
fn bookkeeping(event: &Event, session: &Session) -> bool {
    match event.kind {
        EventKind::StopFailure => {
            let _ = session.write(RECOVERY, event.text("prompt_id").unwrap_or_default());
            true
        }
        // A notification under the user's name does not end it: the turn that it starts may fail in the same way.
        EventKind::UserPromptSubmit if !event.is_from_user() => session.is_recovering(),
        EventKind::UserPromptSubmit | EventKind::Stop => {
            if session.is_recovering() {
                let _ = session.remove(RECOVERY);
            }
            false
        }
        EventKind::SessionStart => {
            // After a compaction or a clear the model has heard nothing of what this session was told.
            if matches!(event.text("source"), Some("compact" | "clear")) {
                let _ = session.remove(HEARD);
            }
            session.is_recovering()
        }
        // Some agents compact without a start after it. Asked for by the user, it happens; their own checks whether it is
        // time come with every turn.
        EventKind::PreCompact if event.text("trigger") == Some("manual") => {
            let _ = session.remove(HEARD);
            session.is_recovering()
        }
        kind if kind.has_tool() && session.is_recovering() => {
            // A call for another prompt: the user has spoken, even if no hook wanted to hear of it.
            let (failed, now) = (session.read(RECOVERY), event.text("prompt_id").unwrap_or_default());
            let over = !failed.is_empty() && !now.is_empty() && failed != now;
            if over {
                let _ = session.remove(RECOVERY);
            }
            !over
        }
        _ => session.is_recovering(),
    }
}

/// What the user sees when a session starts: one line about sprag, and failures since the last session, except when a
/// session only goes on.
fn surface(host: &Host, event: &Event, planned: &Planned, untrusted: &[UntrustedVar], outcome: &mut Outcome) {
    let starts = matches!(event.session_source(), "startup" | "resume");
    let mut said =
        stops::line(host, &planned.plan, starts, &outcome.status).into_iter().collect::<Vec<String>>();
    said.extend(outcome.verdict.message.take());
    said.extend(untrusted.iter().map(|variable| format!("sprag: {variable}")));
    if let Some(error) = planned.errors.first() {
        let begin = "sprag: the configuration has an error (`sprag check`)";
        said.push(format!("{begin}:\n  {error}"));
    }
    if event.text("source") != Some("compact") {
        said.extend(failures::tell(&host.paths));
        said.extend(planned.plan.trial.and_then(|trial| trial::tell(&host.paths, trial, host.clock.now())));
    }
    outcome.verdict.message = (!said.is_empty()).then(|| said.join("\n"));
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

/// The file of text that waits; a subagent has its own.
fn waiting_file(event: &Event) -> String {
    match event.agent_id.as_deref() {
        Some(agent) => format!("waiting-{}", safe_name(agent)),
        None => "waiting".to_owned(),
    }
}

/// Puts the context aside for the next event that can carry it. True when it is safe. Bounded: an agent that
/// was not told to send such an event fills no disk.
fn keep_for_later(event: &Event, session: &Session, outcome: &Outcome) -> bool {
    const MAX_EVENT_FILE: u64 = 64 << 10;
    let name = waiting_file(event);
    let full = session.file(&name).metadata().is_ok_and(|meta| meta.len() > MAX_EVENT_FILE);
    let text = outcome.verdict.context.as_deref().filter(|_| !full);
    text.is_some_and(|text| session.append(&name, &format!("{text}\n")).is_ok())
}

/// Adds what waited to the notes. An agent all of whose events carry text costs nothing here.
fn bring(event: &Event, session: &Session, dialect: &Dialect, outcome: &mut Outcome) {
    if dialect.rows.iter().all(|row| row.waits_for.is_none()) {
        return;
    }
    let text = session.take(&waiting_file(event));
    if !text.trim().is_empty() {
        let note = Note {
            key: "waiting".to_owned(),
            priority: priority::WARNING,
            text: text.trim().to_owned(),
            repeat: Repeat::Always,
        };
        // No hook of this event wrote it.
        outcome.notes.insert(0, Offered { run: usize::MAX, source: None, note });
    }
}

/// The file in which this event can set variables for the agent's shell.
fn env_file(host: &Host, row: Option<&Row>) -> Option<String> {
    row.filter(|row| row.env_file).and_then(|_| host.env.get(ENV_FILE_VARIABLE))
}

/// The environment for the agent's shell, and work for the background.
fn effects(host: &Host, event: &Event, env_file: Option<String>, outcome: &Outcome) -> Result<(), TaskError> {
    if !outcome.env.is_empty()
        && let Some(file) = env_file
    {
        let lines: String = outcome
            .env
            .iter()
            .filter(|(name, _)| is_variable(name))
            .map(|(name, value)| format!("export {name}='{}'\n", value.replace('\'', "'\\''")))
            .collect();
        sprag_base::files::append_foreign(std::path::Path::new(&file), lines.as_bytes())
            .map_err(|error| TaskError::about(&file, error))?;
    }
    let now = host.clock.now();
    let pushed: Vec<_> = outcome.jobs.iter().map(|job| queue::push(&host.paths, job, now)).collect();
    let wake = pushed.iter().any(Result::is_ok);
    // A worker that died left its jobs; a new session is the time to see to them.
    if wake || (event.kind == EventKind::SessionStart && queue::has_due(&host.paths, now)) {
        queue::wake(host);
    }
    match pushed.into_iter().find_map(Result::err) {
        Some(error) => Err(TaskError::about("the background queue", error)),
        None => Ok(()),
    }
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
    lost: Vec<Lost>,
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
        about: event.tool.as_ref().and_then(about),
        verdict: outcome.verdict.decision.name().to_owned(),
        us: started.elapsed().as_micros() as u64,
        chars,
        tokens: journal::estimate_tokens(chars),
        lost: lost.into_iter().map(|lost| lost.name().to_owned()).collect(),
        error: None,
        stop: None,
        runs: outcome.runs.clone(),
    }
}

/// A call that a hook answered in the tool's place was not stopped.
fn answered(entry: &mut Entry, said: &[Said]) {
    ANSWER.clone_into(&mut entry.verdict);
    for run in &mut entry.runs {
        if said.iter().any(|said| said.hook == run.hook) {
            ANSWER.clone_into(&mut run.verdict);
        }
    }
}

/// What the journal says of a call that was answered.
const ANSWER: &str = "answer";

/// What a call is about, in a line: the command's first line or the file, without secrets.
fn about(tool: &ToolCall) -> Option<String> {
    /// A secret that this cuts in two stands behind what is kept.
    const LOOKED_AT: usize = 1_000;
    let text = tool.command.as_deref().or_else(|| tool.paths.first().map(|used| used.path.as_str()))?;
    let line = text.trim_start().lines().next()?;
    let line =
        line.char_indices().nth(LOOKED_AT).map_or(line, |(end, _)| line.get(..end).unwrap_or_default());
    Some(sprag_base::text::cut(&sprag_scan::scrub::scrub(line), ABOUT))
}

/// The most characters of it that the journal keeps.
const ABOUT: usize = 160;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::{Bundle, Family, HookSpec, Presets, Reply, Sees};
    use serde_json::{Value, json};
    use std::path::Path;

    /// Says something on every tool event.
    static TELLS: [Builtin; 1] = [Builtin {
        spec: HookSpec {
            name: "tells",
            family: Family::Context,
            bundle: Bundle::Context,
            summary: "",
            sees: &[
                Sees { kind: EventKind::PreToolUse, matcher: "" },
                Sees { kind: EventKind::PostToolUse, matcher: "" },
            ],
            presets: Presets::ALL,
            settings: &[],
            timeout_ms: 100,
        },
        run: |event, _| {
            let text = format!("about {}", event.text("tool_use_id").unwrap_or_default());
            Ok(Reply::note(event.kind.name(), priority::REMINDER, text))
        },
    }];

    static TELLS_SPEC: [&HookSpec; 1] = [&TELLS[0].spec];

    fn host(dir: &Path) -> Host {
        Host { hooks: &TELLS_SPEC, ..Host::in_home(dir, &[]) }
    }

    /// The context of the answer to a payload.
    fn told(host: &Host, agent: AgentId, payload: &Value) -> Option<String> {
        let answer = dispatch(host, &TELLS, payload.to_string().as_bytes(), Some(agent));
        let object: Value = serde_json::from_str(answer.stdout.as_deref().unwrap_or("{}")).unwrap();
        let context = object.pointer("/hookSpecificOutput/additionalContext");
        context.and_then(Value::as_str).map(|text| text.replace("[sprag:tells] ", ""))
    }

    #[test]
    fn recovery_ends_with_a_call_for_another_prompt() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let event = |name: &str, prompt: &str, call: &str| {
            json!({"hook_event_name": name, "session_id": "s", "cwd": "/", "prompt_id": prompt,
                "tool_name": "Bash", "tool_input": {}, "tool_use_id": call})
        };
        assert_eq!(told(&host, AgentId::Claude, &event("StopFailure", "one", "")), None);
        assert_eq!(told(&host, AgentId::Claude, &event("PostToolUse", "one", "a")), None);
        let next = told(&host, AgentId::Claude, &event("PostToolUse", "two", "b"));
        assert_eq!(next.as_deref(), Some("about b"));
        let same = told(&host, AgentId::Claude, &event("PostToolUse", "one", "c"));
        assert_eq!(same.as_deref(), Some("about c"), "it is over for good");
    }

    #[test]
    fn recovery_ends_with_the_users_own_prompt_alone() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let prompt = |text: &str| json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/", "prompt": text});
        let call = json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/", "tool_name": "Bash",
            "tool_input": {}, "tool_use_id": "a"});
        let fail = json!({"hook_event_name": "StopFailure", "session_id": "s", "cwd": "/"});
        assert_eq!(told(&host, AgentId::Claude, &fail), None);
        for machine in
            ["<task-notification>done</task-notification>", "<local-command-stdout>x</local-command-stdout>"]
        {
            told(&host, AgentId::Claude, &prompt(machine));
            assert_eq!(told(&host, AgentId::Claude, &call), None, "{machine}: still in recovery");
        }
        told(&host, AgentId::Claude, &prompt("go on"));
        assert_eq!(told(&host, AgentId::Claude, &call).as_deref(), Some("about a"));
    }

    fn tool_event(name: &str, agent_id: Option<&str>, call: &str) -> Value {
        json!({"hook_event_name": name, "session_id": "s", "cwd": "/", "agent_id": agent_id,
            "tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_use_id": call})
    }

    #[test]
    fn text_that_an_event_cannot_carry_waits_for_one_that_can() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let before = dispatch(
            &host,
            &TELLS,
            tool_event("BeforeTool", None, "a").to_string().as_bytes(),
            Some(AgentId::Gemini),
        );
        assert_eq!((before.stdout, before.entry.lost), (None, vec!["context waits".to_owned()]));
        assert_eq!((before.entry.chars, before.entry.runs[0].chars), (0, 0), "nothing reached the model yet");
        let other = told(&host, AgentId::Gemini, &tool_event("AfterTool", Some("sub"), "b")).unwrap();
        assert_eq!(other, "about b", "what waits for the main agent is not for a subagent");
        let after = told(&host, AgentId::Gemini, &tool_event("AfterTool", None, "c")).unwrap();
        assert_eq!(after, "about a\n\nabout c");
        let again = told(&host, AgentId::Gemini, &tool_event("AfterTool", None, "d")).unwrap();
        assert_eq!(again, "about d", "it is said once");
    }

    #[test]
    fn what_waits_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let call = "x".repeat(500);
        let lost: Vec<String> = (0..200)
            .flat_map(|at| {
                let event = tool_event("BeforeTool", None, &format!("{at}{call}"));
                dispatch(&host, &TELLS, event.to_string().as_bytes(), Some(AgentId::Gemini)).entry.lost
            })
            .collect();
        assert_eq!(
            (lost.first().unwrap().as_str(), lost.last().unwrap().as_str()),
            ("context waits", "context")
        );
        let size = Session::new(&host.paths, "s").file("waiting").metadata().unwrap().len();
        assert!(size < 80_000, "{size}");
    }

    #[test]
    fn where_every_event_carries_text_nothing_waits() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let before = told(&host, AgentId::Claude, &tool_event("PreToolUse", None, "a"));
        assert_eq!(before.as_deref(), Some("about a"));
        assert!(!Session::new(&host.paths, "s").has("waiting"));
    }

    #[test]
    fn a_prompt_that_is_only_a_tools_result_is_no_prompt() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let fail = json!({"hook_event_name": "StopFailure", "session_id": "s", "cwd": "/", "prompt_id": "p"});
        let result =
            json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/", "prompt": ""});
        let call = tool_event("PostToolUse", None, "a");
        assert_eq!(told(&host, AgentId::Qwen, &fail), None);
        assert_eq!(told(&host, AgentId::Qwen, &result), None);
        assert_eq!(told(&host, AgentId::Qwen, &call), None, "still in recovery");
    }
}
