//! `sprag status`: what the hooks did today, who is at work, and what waits in the background.

use crate::commands::store::explained;
use crate::commands::{counted, project_at};
use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::inventory::Inventory;
use sprag_coord::store::{Setup, micros};
use sprag_runtime::queue::{self, JobState, Stored};
use sprag_runtime::session::Session;
use sprag_runtime::summary::{self, Summary};
use sprag_store::{Error, Opening, Store};
use sprag_team::{agent, claims, task};
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use sprag_usage::context::{self, ContextUsage};
use sprag_usage::limits::{self, Known};
use sprag_worker::sync;
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct StatusArgs {
    /// What to look at; without it, a short overview. See also: claims list, agent list, task list, memory stats
    #[arg(value_enum)]
    what: Option<What>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum What {
    /// Per hook: last run, last verdict, fires and errors today
    Hooks,
    /// The background queue: waiting, running, given up
    Queue,
    /// Per session: how full the model's window is
    Context,
    /// What is remembered, and whether all of it can be found by meaning
    #[value(hide = true)]
    Memory,
    /// Who is at work: agent, project, branch, machine, lease
    Sessions,
    /// Who works on which file
    #[value(hide = true)]
    Claims,
    /// Who is in the team
    #[value(hide = true)]
    Agents,
    /// What is to be done and who does it
    #[value(hide = true)]
    Tasks,
}

pub(crate) fn run(args: &StatusArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let hooks = || Hooks::read(host);
    match (args.what, args.json) {
        (Some(What::Hooks), true) => out.json(&json!({ "hooks": hooks()?.json() })),
        (Some(What::Hooks), false) => hooks()?.text(host, out),
        (Some(What::Queue), true) => out.json(&json!({ "queue": queue_json(host) })),
        (Some(What::Queue), false) => queue_text(host, out),
        (Some(What::Context), as_json) => context(host, out, as_json),
        (Some(What::Memory), as_json) => crate::commands::memory::stats(host, out, as_json)?,
        (Some(What::Sessions), as_json) => sessions(host, out, as_json)?,
        (Some(What::Claims), as_json) => claims::list(host, out, as_json)?,
        (Some(What::Agents), as_json) => agent::list_default(host, out, as_json)?,
        (Some(What::Tasks), as_json) => task::list_default(host, out, as_json)?,
        (None, true) => out.json(&json!({ "hooks": hooks()?.json(), "queue": queue_json(host) })),
        (None, false) => {
            hooks()?.overview(host, out);
            queue_overview(host, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One hook's row.
struct Row {
    name: String,
    /// False for one that only the journal knows.
    known: bool,
    on: bool,
    mode: &'static str,
    last: Option<Stamp>,
    last_verdict: String,
    fires: u64,
    blocks: u64,
    errors: u64,
    last_error: Option<String>,
}

struct Hooks {
    rows: Vec<Row>,
    today: Summary,
}

impl Hooks {
    fn read(host: &Host) -> anyhow::Result<Self> {
        let day = when::midnight(host.clock.now());
        let (mut all, mut today) = (Summary::default(), Summary::default());
        let broken = summary::read_since(&host.paths, Stamp(0), |entry| {
            all.add(entry);
            if Stamp::parse(&entry.t).is_some_and(|at| at >= day) {
                today.add(entry);
            }
        })
        .context(Problem::new("the journal cannot be read", "`sprag doctor` looks for the cause"))?;
        today.broken = broken;
        let known = Inventory::new(host, project_at(host, None)).all().into_iter();
        let mut known: Vec<(String, bool, &'static str)> =
            known.map(|known| (known.name, known.on, known.mode.name())).collect();
        let there = known.len();
        // A hook that was removed from the configuration still has a past.
        for name in all.hooks.keys() {
            if !known.iter().any(|(hook, _, _)| hook == name) {
                known.push((name.clone(), false, "off"));
            }
        }
        let rows = known
            .into_iter()
            .enumerate()
            .map(|(at, (name, on, mode))| {
                let past = all.hooks.remove(&name).unwrap_or_default();
                let now = today.hooks.get(&name).cloned().unwrap_or_default();
                Row {
                    known: at < there,
                    on,
                    mode,
                    last: past.last,
                    last_verdict: past.last_verdict,
                    fires: now.fires,
                    blocks: now.blocks(),
                    errors: now.errors,
                    last_error: now.last_error,
                    name,
                }
            })
            .collect();
        Ok(Self { rows, today })
    }

    fn json(&self) -> Value {
        self.rows
            .iter()
            .map(|row| {
                json!({
                    "hook": row.name,
                    "on": row.on,
                    "mode": row.mode,
                    "last_run": row.last.map(|at| at.to_string()),
                    "last_verdict": row.last.map(|_| row.last_verdict.clone()),
                    "fires_today": row.fires,
                    "blocks_today": row.blocks,
                    "errors_today": row.errors,
                    "last_error": row.last_error,
                })
            })
            .collect()
    }

    fn text(&self, host: &Host, out: &Out) {
        let now = host.clock.now();
        let mut table = Table::new(&["hook", "mode", "last run", "verdict", ">today", ">blocks", ">errors"]);
        for row in &self.rows {
            let tone = if row.on { Tone::Plain } else { Tone::Dim };
            let ago = row.last.map_or_else(|| "never".to_owned(), |at| when::ago(now, at));
            table.row(vec![
                (if row.on { Tone::Strong } else { Tone::Dim }, row.name.clone()),
                (tone, if row.on { row.mode } else { "off" }.to_owned()),
                (tone, ago),
                (Tone::of_verdict(&row.last_verdict), row.last_verdict.clone()),
                (tone, row.fires.to_string()),
                (if row.blocks > 0 { Tone::Warn } else { Tone::Dim }, row.blocks.to_string()),
                (if row.errors > 0 { Tone::Bad } else { Tone::Dim }, row.errors.to_string()),
            ]);
        }
        out.table(&table);
        for row in self.rows.iter().filter(|row| row.errors > 0) {
            if let Some(error) = &row.last_error {
                out.line(&format!("{} {}: {error}", out.paint(Tone::Bad, "error"), row.name));
            }
        }
    }

    fn overview(&self, host: &Host, out: &Out) {
        let on = self.rows.iter().filter(|row| row.on).count();
        let all = self.rows.iter().filter(|row| row.known).count();
        out.line(&format!("{}  {on} of {all} on", out.paint(Tone::Strong, "hooks")));
        let (mut blocks, mut asks, mut tokens, mut errors) = (0, 0, 0, 0);
        for numbers in self.today.events.values() {
            blocks += numbers.blocks();
            asks += numbers.ask;
            tokens += numbers.tokens();
            errors += numbers.errors;
        }
        let failed = if errors > 0 { Tone::Bad } else { Tone::Plain };
        out.line(&format!(
            "       today: {}, {blocks} blocked, {asks} asked about, about {tokens} tokens injected, {}",
            counted(self.today.entries, "event"),
            out.paint(
                failed,
                &format!(
                    "{}{}",
                    counted(errors, "error"),
                    if errors > 0 { " (`sprag logs --errors`)" } else { "" }
                )
            )
        ));
        let broken = sprag_doctor::check(host, &project_at(host, None)).errors.len();
        if broken > 0 {
            let what =
                format!("the configuration has {}: `sprag check` names them", counted(broken, "error"));
            out.line(&format!("       {}", out.paint(Tone::Bad, &what)));
        }
        match self.rows.iter().filter_map(|row| row.last).max() {
            Some(last) => out.line(&format!("       last run {}", when::ago(host.clock.now(), last))),
            None if sprag_deploy::deployed(&host.paths).is_empty() => {
                out.line("       never run; `sprag deploy` registers them");
            }
            None => out.line(
                "       registered, and not run yet: start an agent; `sprag doctor` looks for a cause if that changes nothing",
            ),
        }
    }
}

/// Sessions that live, and those that ended in the last day.
fn sessions(host: &Host, out: &Out, as_json: bool) -> anyhow::Result<()> {
    let setup = Setup::read(host).map_err(explained)?;
    let now = micros(host.clock.now());
    // What was spooled or left as a heartbeat since the worker's last run belongs to the answer.
    let found = match Store::open(&setup.target, Opening { create: false, ..Opening::WORKER }) {
        Ok(mut store) => {
            let _ = sync::sync(host, &setup, &mut store);
            store.sessions(now, now - 86_400_000_000).map_err(explained)?
        }
        Err(Error::Missing) => Vec::new(),
        Err(error) => return Err(explained(error)),
    };
    if as_json {
        let rows: Value = found
            .iter()
            .map(|row| {
                let stamp = |at: i64| Stamp(at as u64).to_string();
                json!({
                    "id": row.id, "agent": row.agent, "session": row.session, "live": row.is_live(now),
                    "project": row.project, "root": row.root, "branch": row.branch, "host": row.host,
                    "pid": row.pid, "source": row.source, "started": stamp(row.started), "seen": stamp(row.seen),
                    "lease_until": stamp(row.lease_until), "ended": row.ended.map(stamp),
                })
            })
            .collect();
        out.json(&json!({ "sessions": rows }));
        return Ok(());
    }
    if found.is_empty() {
        out.line("No session in the last day.");
        return Ok(());
    }
    let mut table =
        Table::new(&["session", "agent", "state", "last active", "branch", "project", "machine", ">pid"]);
    for row in &found {
        let (tone, state) = match (row.is_live(now), row.ended) {
            (true, _) => (Tone::Good, "live"),
            (false, Some(_)) => (Tone::Dim, "ended"),
            (false, None) => (Tone::Warn, "gone"),
        };
        table.row(vec![
            (Tone::Strong, row.session.chars().take(8).collect()),
            (Tone::Plain, row.agent.clone()),
            (tone, state.to_owned()),
            (Tone::Plain, when::ago(host.clock.now(), Stamp(row.seen as u64))),
            (Tone::Plain, row.branch.clone()),
            (Tone::Plain, row.project.clone()),
            (Tone::Plain, row.host.clone()),
            (Tone::Dim, row.pid.to_string()),
        ]);
    }
    out.table(&table);
    Ok(())
}

/// The account's limits that still count, agent by agent.
fn known_limits(host: &Host) -> Vec<(String, Known)> {
    let now = host.clock.now();
    let all = limits::all(host).into_iter();
    let flat = all.flat_map(|(agent, known)| known.into_iter().map(move |known| (agent.clone(), known)));
    flat.filter(|(_, known)| known.counts(now)).collect()
}

fn limits_json(host: &Host) -> Value {
    let known = known_limits(host);
    known
        .iter()
        .map(|(agent, Known { at, limit })| {
            json!({
                "agent": agent, "limit": limit.name, "percent": limit.percent, "at": at.to_string(),
                "resets": limit.resets.map(|at| at.to_string()),
            })
        })
        .collect()
}

fn limits_text(host: &Host, out: &Out) {
    let (known, now) = (known_limits(host), host.clock.now());
    if known.is_empty() {
        return;
    }
    let mut table = Table::new(&["agent", "limit", ">used", "resets", "told"]);
    for (agent, Known { at, limit }) in &known {
        let resets = limit.resets.map_or_else(
            || "?".to_owned(),
            |resets| format!("in {}", when::span(Duration::from_micros(resets.0.saturating_sub(now.0)))),
        );
        table.row(vec![
            (Tone::Strong, agent.clone()),
            (Tone::Plain, limit.name.clone()),
            (by_percent(limit.percent), format!("{} %", limit.percent)),
            (Tone::Plain, resets),
            (Tone::Dim, when::ago(now, *at)),
        ]);
    }
    out.line("");
    out.table(&table);
}

fn by_percent(percent: u64) -> Tone {
    match percent {
        90.. => Tone::Bad,
        70..90 => Tone::Warn,
        _ => Tone::Good,
    }
}

/// How full the windows of the sessions of the last day are, the last one first.
fn context(host: &Host, out: &Out, as_json: bool) {
    let now = host.clock.now();
    let day = now.before(Duration::from_secs(86_400));
    let folders = std::fs::read_dir(host.paths.sessions()).into_iter().flatten().flatten();
    let mut found: Vec<(String, ContextUsage)> = folders
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let full = context::last(&Session::new(&host.paths, &name))?;
            (full.at >= day).then_some((name, full))
        })
        .collect();
    found.sort_by_key(|(_, full)| std::cmp::Reverse(full.at));
    if as_json {
        let rows: Value = found
            .iter()
            .map(|(session, full)| {
                json!({
                    "session": session, "percent": full.percent(), "tokens": full.tokens, "window": full.window,
                    "model": full.model, "at": full.at.to_string(),
                })
            })
            .collect();
        out.json(&json!({ "context": rows, "limits": limits_json(host) }));
        return;
    }
    if found.is_empty() {
        out.line("Nothing is known of the last day; usage-context-awareness looks at every prompt.");
        limits_text(host, out);
        return;
    }
    let mut table = Table::new(&["session", ">full", ">tokens", ">window", "model", "looked"]);
    for (session, full) in &found {
        let tone = by_percent(full.percent());
        table.row(vec![
            (Tone::Strong, session.chars().take(8).collect()),
            (tone, format!("{} %", full.percent())),
            (Tone::Plain, full.tokens.to_string()),
            (Tone::Dim, full.window.to_string()),
            (Tone::Plain, full.model.clone()),
            (Tone::Plain, when::ago(now, full.at)),
        ]);
    }
    out.table(&table);
    limits_text(host, out);
}

const JOB_STATES: [(&str, JobState); 3] =
    [("waiting", JobState::Waiting), ("running", JobState::Running), ("dead", JobState::Dead)];

fn age(host: &Host, stored: &Stored) -> String {
    when::ago(host.clock.now(), Stamp(stored.created))
}

fn queue_json(host: &Host) -> Value {
    let jobs = |place: JobState| -> Value {
        queue::list(&host.paths, place)
            .iter()
            .map(|(file, stored)| {
                json!({
                    "kind": stored.job.work.kind(),
                    "key": stored.job.key,
                    "created": Stamp(stored.created).to_string(),
                    "due": Stamp(stored.due).to_string(),
                    "attempts": stored.attempts,
                    "last_error": stored.last_error,
                    "file": file,
                })
            })
            .collect()
    };
    let mut value = json!({ "worker": queue::worker_runs(&host.paths) });
    if let Some(map) = value.as_object_mut() {
        map.extend(JOB_STATES.iter().map(|(name, place)| ((*name).to_owned(), jobs(*place))));
    }
    value
}

fn queue_text(host: &Host, out: &Out) {
    let mut table = Table::new(&["place", "kind", "queued", ">tries", "due", "last error"]);
    let now = host.clock.now();
    let mut count = 0;
    for (name, place) in JOB_STATES {
        for (_, stored) in queue::list(&host.paths, place) {
            count += 1;
            let wait = Stamp(stored.due).0.saturating_sub(now.0);
            let due = match (place, wait) {
                (JobState::Waiting, 0) => "now".to_owned(),
                (JobState::Waiting, wait) => {
                    format!("in {}", when::span(std::time::Duration::from_micros(wait)))
                }
                _ => String::new(),
            };
            table.row(vec![
                (if place == JobState::Dead { Tone::Bad } else { Tone::Plain }, name.to_owned()),
                (Tone::Strong, stored.job.work.kind().to_owned()),
                (Tone::Plain, age(host, &stored)),
                (Tone::Plain, format!("{}/{}", stored.attempts, queue::MAX_ATTEMPTS)),
                (Tone::Plain, due),
                (Tone::Dim, stored.last_error.unwrap_or_default().replace('\n', " ")),
            ]);
        }
    }
    if count == 0 {
        out.line("The queue is empty.");
    } else {
        out.table(&table);
        if !queue::worker_runs(&host.paths) {
            out.line(&out.paint(
                Tone::Dim,
                "No worker runs; the next hook with work starts one, or `sprag worker --once`.",
            ));
        }
    }
}

fn queue_overview(host: &Host, out: &Out) {
    let count = |place: JobState| queue::list(&host.paths, place).len();
    let (waiting, running, dead) =
        (count(JobState::Waiting), count(JobState::Running), count(JobState::Dead));
    let dead = match dead {
        0 => String::new(),
        dead => format!(", {}", out.paint(Tone::Bad, &format!("{dead} given up (`sprag status queue`)"))),
    };
    let worker = if queue::worker_runs(&host.paths) { ", a worker is at it" } else { "" };
    out.line(&format!(
        "{}  {waiting} waiting, {running} running{dead}{worker}",
        out.paint(Tone::Strong, "queue")
    ));
}
