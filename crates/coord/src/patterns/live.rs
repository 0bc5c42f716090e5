//! Patterns in a running session: its small files that say who has which part, and the store behind them.
//! A session without a pattern pays one look at the environment and one at a file that is not there.

use super::kind::PatternKind;
use super::news;
use super::part::{Part, PartError, from_env, is_safe};
use super::status::{Status, conf_of, role_of, status};
use crate::store::{Setup, micros, spool};
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_protocol::Event;
use sprag_runtime::calls::short;
use sprag_runtime::heartbeat;
use sprag_runtime::hook::{Cx, Reply};
use sprag_runtime::session::Session;
use sprag_store::{Error, Join, Op, OpKind, PatternView};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The session's file of the runs that it coordinates: a part per line; `-id` closes one.
const LEAD: &str = "pattern.lead";
/// The session itself is a member, by the environment.
const MAIN: &str = "pattern.main";

/// The file by which a run that a person started waits for the first session that starts a subagent there.
pub fn claim_file(paths: &Paths, root: &Path) -> PathBuf {
    paths.state.join("patterns").join(short_hash(root.as_os_str().as_encoded_bytes()))
}

/// Says that a session coordinates a run.
pub fn remember_lead(session: &Session, part: &Part) -> std::io::Result<()> {
    let line = serde_json::to_string(part).map_err(std::io::Error::other)?;
    session.append(LEAD, &line)
}

/// The part that the environment gives; what is wrong with it is said by whoever starts.
pub fn env_part(cx: &Cx<'_>) -> Result<Option<Part>, PartError> {
    if cx.host.env.get("PATTERN_TYPE").is_none() {
        return Ok(None);
    }
    from_env(&|name| cx.host.env.get(name), &cx.project.key(&cx.host.machine()))
}

/// A subagent's own file, or the session's.
fn own_file(what: &str, event: &Event) -> String {
    format!("pattern.{what}.{}", event.agent_id.as_deref().map_or_else(|| "main".to_owned(), short))
}

/// The part of whoever acts, when it is a member.
pub fn member_part(event: &Event, cx: &Cx<'_>) -> Option<Part> {
    if event.agent_id.is_some() {
        let text = cx.session.read(&own_file("part", event));
        if !text.is_empty() {
            return serde_json::from_str(&text).ok();
        }
        // A session that is a member itself has helpers, and they are none.
        if cx.session.has(MAIN) || event.agent_type.as_deref().is_none_or(str::is_empty) {
            return None;
        }
    }
    env_part(cx).ok().flatten().filter(|part| !part.leads())
}

/// The runs that this session coordinates and that are not over.
pub fn leads(event: &Event, cx: &Cx<'_>) -> Vec<Part> {
    if event.agent_id.is_some() {
        return Vec::new();
    }
    open_leads(cx)
}

fn open_leads(cx: &Cx<'_>) -> Vec<Part> {
    let mut open: Vec<Part> = Vec::new();
    let text = cx.session.read(LEAD);
    for line in text.lines() {
        if let Some(id) = line.strip_prefix('-') {
            open.retain(|part| part.run != id);
        } else if let Ok(part) = serde_json::from_str::<Part>(line) {
            open.retain(|known| known.run != part.run);
            open.push(part);
        }
    }
    // The environment says so in every event, also where the start was not seen.
    if let Ok(Some(part)) = env_part(cx)
        && part.leads()
        && !text.lines().any(|line| line.strip_prefix('-') == Some(&part.run))
        && !open.iter().any(|known| known.run == part.run)
    {
        open.push(part);
    }
    open
}

/// The run is over for this session.
pub fn close(cx: &Cx<'_>, run: &str) -> std::io::Result<()> {
    cx.session.append(LEAD, &format!("-{run}"))
}

/// The join of a part.
pub fn join_of(part: &Part, event: &Event) -> Join {
    Join {
        project: part.project.clone(),
        run: part.run.clone(),
        kind: part.kind.clone(),
        total: part.total,
        settings: serde_json::to_string(&part.conf).unwrap_or_default(),
        member: part.member.clone(),
        role: part.role.clone(),
        seat: part.seat,
        session: event.session_id.clone(),
        reopen: part.from_env,
    }
}

/// Sends a change, then looks at the run. A store that is unavailable gets the change later.
pub fn send(cx: &Cx<'_>, part: &Part, kinds: Vec<OpKind>) -> Result<Option<PatternView>, Error> {
    let now = micros(cx.host.clock.now());
    let ops: Vec<Op> = kinds.into_iter().map(|kind| Op::new(now, kind)).collect();
    let (project, run, sent) = (part.project.clone(), part.run.clone(), ops.clone());
    let answer = Setup::read(cx.host).and_then(|setup| {
        setup.ask(move |store| {
            for op in &sent {
                store.apply(op)?;
            }
            store.pattern(&project, &run)
        })
    });
    if answer.is_err() {
        for op in &ops {
            spool::keep(&cx.host.paths, op).map_err(|error| Error::ReadOnly(error.to_string()))?;
        }
    }
    answer
}

/// The same through the spool alone, for an end that waits for nobody.
pub fn send_later(cx: &Cx<'_>, kind: OpKind) -> std::io::Result<()> {
    spool::keep(&cx.host.paths, &Op::new(micros(cx.host.clock.now()), kind))
}

/// What a reply is when the store was unavailable: the change is sent by the worker.
pub fn later(reply: Reply) -> Reply {
    reply.with_job(heartbeat::sync_job())
}

/// A run that a person started in this project: the first session that starts a subagent coordinates it.
fn claimed(event: &Event, cx: &Cx<'_>) -> Option<Part> {
    let file = claim_file(&cx.host.paths, &cx.project.root);
    let text = sprag_base::files::take_text(&file).ok()?;
    let part: Part = serde_json::from_str(&text).ok()?;
    remember_lead(cx.session, &part).ok()?;
    let join = Join { session: event.session_id.clone(), ..join_of(&part, event) };
    let _ = send(cx, &part, vec![OpKind::PatternJoin(join)]);
    Some(part)
}

/// The part that a new subagent takes, before the store gave it a seat.
pub fn new_member(event: &Event, cx: &Cx<'_>) -> Option<Part> {
    if let Some(known) = member_part(event, cx) {
        return Some(known);
    }
    let agent = event.agent_id.as_deref()?;
    let lead = open_leads(cx).pop().or_else(|| claimed(event, cx))?;
    let member = if is_safe(agent) { agent.to_owned() } else { short(agent) };
    Some(Part { member, role: String::new(), seat: None, given: String::new(), from_env: false, ..lead })
}

/// The seat and the role that the run gave to a part; `None` when there is no seat for it.
pub fn seated(mut part: Part, view: Option<&PatternView>) -> Option<Part> {
    let kind = part.kind()?;
    if let Some(view) = view {
        let row = view.members.iter().find(|row| row.member == part.member)?;
        part.seat = Some(row.seat);
        part.role = role_of(kind, row).to_owned();
        part.total = part.total.max(view.run.total);
        if !part.from_env {
            part.conf = conf_of(view);
        }
        let seat = usize::try_from(row.seat).unwrap_or(0);
        if let Some(own) = part.conf.seats.get(seat).filter(|_| !part.from_env) {
            match kind {
                PatternKind::Blackboard if part.writes.is_empty() => part.writes = vec![own.clone()],
                PatternKind::EventDriven if part.reads.is_empty() => part.reads = vec![own.clone()],
                _ => {}
            }
        }
    } else if part.role.is_empty() {
        kind.role(0).clone_into(&mut part.role);
    }
    Some(part)
}

/// Keeps a part for the events that follow.
pub fn keep(event: &Event, cx: &Cx<'_>, part: &Part) -> std::io::Result<()> {
    if event.agent_id.is_none() {
        return cx.session.write(MAIN, &part.run);
    }
    let text = serde_json::to_string(part).map_err(std::io::Error::other)?;
    cx.session.write(&own_file("part", event), &text)
}

/// True when this session ever had to do with a pattern.
pub fn concerned(cx: &Cx<'_>) -> bool {
    cx.session.has(LEAD) || cx.session.has(MAIN)
}

/// What is new for a member in what it sees of the run; each post once.
pub fn news_in(event: &Event, cx: &Cx<'_>, part: &Part, view: &PatternView) -> Option<String> {
    let file = own_file("seen", event);
    let seen = cx.session.read(&file).trim().parse().unwrap_or(0);
    let (text, last) = news::since(part.kind()?, part, &view.posts, seen);
    if last > seen {
        // Without a place for the mark it is shown again: better twice than never.
        let _ = cx.session.write(&file, &last.to_string());
    }
    text
}

/// Asks for news, at most every so many seconds.
pub fn news_now(event: &Event, cx: &Cx<'_>, part: &Part, every: u64) -> Option<String> {
    let file = own_file("asked", event);
    let now = cx.host.clock.now().seconds();
    let asked: u64 = cx.session.read(&file).trim().parse().unwrap_or(0);
    if asked + every > now {
        return None;
    }
    let _ = cx.session.write(&file, &now.to_string());
    let view = send(cx, part, Vec::new()).ok().flatten()?;
    news_in(event, cx, part, &view)
}

/// What a run that this session coordinates has come to; `None` when the store does not say.
pub fn look(cx: &Cx<'_>, part: &Part, stale_minutes: i64) -> Option<(PatternView, Status)> {
    let view = send(cx, part, Vec::new()).ok().flatten()?;
    let stale = Duration::from_secs(stale_minutes.unsigned_abs() * 60).as_micros() as i64;
    let status = status(&view, micros(cx.host.clock.now()), stale);
    Some((view, status))
}

/// Takes the right to tell the coordinator of the end: once, whoever asks.
pub fn may_tell(cx: &Cx<'_>, part: &Part) -> bool {
    let now = micros(cx.host.clock.now());
    let (project, run) = (part.project.clone(), part.run.clone());
    let told = Setup::read(cx.host)
        .and_then(|setup| setup.ask(move |store| store.pattern_told(&project, &run, now)));
    told.unwrap_or(false)
}

/// The line in the session's count of failures of a primary.
pub fn failures_file(event: &Event) -> String {
    own_file("failures", event)
}
