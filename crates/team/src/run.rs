//! `sprag team`: starts agents for the tasks of this project, and reports what came out.

use crate::access::{self, stamp};
use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::host::project_at;
use sprag_coord::patterns::claim_file;
use sprag_coord::tasks::graph::{Readiness, readiness};
use sprag_dispatch::worktree::{Repository, WorktreeError};
use sprag_dispatch::{DispatchError, LaunchError, Limits, Options, Progress, Summary, dispatch};
use sprag_protocol::AgentId;
use sprag_store::{AttemptRow, AttemptState, TaskRow};
use sprag_terminal::explained;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use sprag_usage::budget::Amount;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What `sprag team` takes.
#[derive(clap::Args)]
pub struct TeamArgs {
    #[command(subcommand)]
    command: TeamCommand,
}

#[derive(clap::Subcommand)]
enum TeamCommand {
    /// Start an agent for each task that is ready, until all are done
    #[command(
        after_help = "Examples:\n  sprag team run --parallel 3\n  sprag team run --agent codex --max-cost 5 --max-minutes 60\n  sprag team run --watch -- --permission-mode acceptEdits\n  sprag team run --pattern jury-1a2b3c --parallel 3\n\nEach agent works in a git worktree and on a branch of its own, beside this checkout; nothing is merged.\nIt has the permissions of its own settings; what follows `--` is passed to it. Several dispatchers, on\nseveral machines with one PostgreSQL, share the tasks. After Ctrl-C the tasks can be taken again."
    )]
    Run(RunArgs),
    /// What came out: tasks, branches, results, tokens, cost
    #[command(after_help = "Examples:\n  sprag team report\n  sprag team report --since 2d --json")]
    Report {
        /// Attempts that started within this time
        #[arg(long, default_value = "1d", value_parser = when::parse_span)]
        since: Duration,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
struct RunArgs {
    /// The agent program: claude, codex, gemini, copilot, …; without it, the first one that sprag is registered with
    #[arg(long)]
    agent: Option<String>,
    /// Agents at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    parallel: u16,
    /// A git worktree and a branch for each task (the default in a git repository)
    #[arg(long, overrides_with = "no_worktree")]
    worktree: bool,
    /// All agents work in this checkout
    #[arg(long, overrides_with = "worktree")]
    no_worktree: bool,
    /// Where the worktrees are made; without it, beside the checkout
    #[arg(long)]
    worktrees: Option<PathBuf>,
    /// No new agent is started when this run has cost so much, in dollars
    #[arg(long, value_parser = dollars)]
    max_cost: Option<i64>,
    /// The run ends after so many minutes
    #[arg(long)]
    max_minutes: Option<u64>,
    /// An agent is ended after so many minutes
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    task_minutes: u64,
    /// Attempts at a task before it fails
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(i64).range(1..=20))]
    attempts: i64,
    /// Another dispatcher takes over when this one is not heard of for so many seconds
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(2..=3600))]
    lease: u64,
    /// Wait for new tasks instead of ending
    #[arg(long)]
    watch: bool,
    /// Carry out this run of `sprag pattern start`: an agent for each seat, in this checkout
    #[arg(long, value_name = "RUN", conflicts_with_all = ["watch", "worktree", "worktrees"])]
    pattern: Option<String>,
    /// Print JSON at the end
    #[arg(long)]
    json: bool,
    /// Arguments for the agent
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Dollars as a person writes them, in millionths.
fn dollars(text: &str) -> Result<i64, String> {
    let number: f64 = text.trim_start_matches('$').parse().map_err(|_| "dollars, such as 2.50".to_owned())?;
    if (0.0..1e9).contains(&number) {
        Ok((number * 1e6).round() as i64)
    } else {
        Err("dollars, such as 2.50".to_owned())
    }
}

/// Runs `sprag team`.
pub fn run(args: &TeamArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        TeamCommand::Run(args) => run_team(args, host, out),
        TeamCommand::Report { since, json } => {
            let now = access::now(host);
            report(host, out, now - since.as_micros() as i64, None, *json)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The agent that is meant.
fn agent(host: &Host, named: Option<&str>) -> anyhow::Result<AgentId> {
    if let Some(name) = named {
        let unknown = || Problem::new(format!("unknown agent `{name}`"), format!("one of: {}", startable()));
        return AgentId::from_name(name).with_context(unknown);
    }
    let project = project_at(host, None);
    let ready = AgentId::ALL.into_iter().find(|agent| sprag_dispatch::check(host, &project, *agent).is_ok());
    ready.context(Problem::new("no agent is installed and registered with sprag", "sprag deploy"))
}

/// The names of the agents that can be started, for a message.
fn startable() -> String {
    sprag_dispatch::startable().map(AgentId::name).collect::<Vec<_>>().join(", ")
}

fn run_team(args: &RunArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if !args.arguments.is_empty() {
        // They may widen what the started agents are allowed to do.
        sprag_terminal::person::refuse_inside_agent(host)?;
    }
    let project = project_at(host, None);
    let agent = agent(host, args.agent.as_deref())?;
    let folder = project.git_root().unwrap_or(&project.root);
    if args.pattern.is_some() {
        access::require_on(host, &["subagent-start", "subagent-stop"])?;
        // No session of its own coordinates it then.
        let _ = sprag_base::files::remove(claim_file(&host.paths, &project.root));
    }
    let worktrees =
        if args.no_worktree || args.pattern.is_some() || (project.git_root().is_none() && !args.worktree) {
            ensure!(
                args.worktrees.is_none(),
                Problem::new("--worktrees names a place, but no worktree is made", "leave out --no-worktree")
            );
            None
        } else {
            let repository = Repository::of(folder, &host.env).map_err(|error| problem(error.into()))?;
            Some(args.worktrees.clone().unwrap_or_else(|| repository.beside()))
        };
    let minutes = |count: u64| Duration::from_secs(count.saturating_mul(60));
    let options = Options {
        agent,
        parallel: usize::from(args.parallel),
        worktrees,
        setup: setup_commands(host),
        arguments: args.arguments.clone(),
        limits: Limits {
            cost_micros: args.max_cost,
            run: args.max_minutes.map(minutes),
            attempt: minutes(args.task_minutes),
            attempts: args.attempts,
            lease: Duration::from_secs(args.lease),
        },
        watch: args.watch,
        pattern: args.pattern.clone(),
        day_cap: crate::limit::configured(host).and_then(|(day, _)| Amount::parse(&day)),
    };
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // The second one ends the program at once.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    if agent.spec().worker.is_some() && !agent.spec().was_run() {
        out.note(&format!(
            "sprag: {} was never run with sprag's tests; how it is started is from its documentation",
            agent.title()
        ));
    }
    // What waits here (registrations, heartbeats) is in the store before anybody is judged by it.
    drop(access::open(host)?);
    let began = access::now(host);
    let mut tell = |progress: &Progress| told(out, args.json, progress);
    let summary = dispatch(host, &project, &options, &stop, &mut tell).map_err(problem)?;
    if let Some(why) = &summary.stopped {
        out.note(&format!("sprag: {why}"));
    }
    if args.pattern.is_some() {
        return Ok(pattern_report(out, &summary, args.json));
    }
    let all_done = report(host, out, began, Some(&summary.attempts), args.json)?;
    let interrupted = stop.load(Ordering::Relaxed);
    Ok(match (interrupted, all_done) {
        (true, _) => ExitCode::from(130),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}

/// The commands that prepare a worktree here. Those of a project that nobody trusted are not among them.
pub(crate) fn setup_commands(host: &Host) -> Vec<String> {
    let resolved = sprag_config::load(host, &project_at(host, None)).resolved;
    resolved.sections.worktree().setup.iter().map(str::to_owned).collect()
}

/// Says what a pattern has come to.
fn pattern_report(out: &Out, summary: &Summary, as_json: bool) -> ExitCode {
    if as_json {
        out.json(&json!({
            "complete": summary.pattern.is_some(), "result": summary.pattern, "attempts": summary.attempts,
            "stopped": summary.stopped,
        }));
    } else {
        summary.pattern.iter().flatten().for_each(|line| out.line(line));
    }
    if summary.pattern.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn problem(error: DispatchError) -> anyhow::Error {
    let others = format!("name another one with --agent: {}", startable());
    let hint = match &error {
        DispatchError::Launch(LaunchError::Unguarded(_)) => "sprag deploy, then try again",
        DispatchError::Launch(LaunchError::Missing(_)) => "install it, or name another one with --agent",
        DispatchError::Launch(LaunchError::NoMode(_)) => others.as_str(),
        DispatchError::Worktree(WorktreeError::NoRepository(_)) => "git init, or --no-worktree",
        DispatchError::Worktree(WorktreeError::NoCommit) => "make a first commit, or --no-worktree",
        DispatchError::Worktree(WorktreeError::SetUp { .. }) => "see [worktree] setup of the configuration",
        DispatchError::Worktree(WorktreeError::Git { .. }) => "git worktree list shows what is there",
        DispatchError::Store(_) => "",
    };
    match error {
        DispatchError::Store(error) => explained(error),
        other => anyhow::anyhow!(Problem::new(other, hint)),
    }
}

fn told(out: &Out, as_json: bool, progress: &Progress) {
    match progress {
        Progress::Note(text) => out.note(&format!("sprag: {text}")),
        _ if as_json => {}
        Progress::Started(task, attempt) => {
            let place = if attempt.branch.is_empty() { &attempt.folder } else { &attempt.branch };
            let again =
                if attempt.number > 1 { format!(", attempt {}", attempt.number) } else { String::new() };
            out.line(&format!(
                "{}  {} {}  {}{again}, {place}",
                task.id,
                out.paint(Tone::Plain, "started"),
                task.title,
                attempt.name
            ));
        }
        Progress::Ended(task, attempt) => {
            let state = out.paint(tone(attempt.state), attempt.state.name());
            let first = attempt.result.lines().next().unwrap_or_default();
            out.line(&format!("{}  {state}  {}  {}", task.id, task.title, short(first, 100)));
        }
    }
}

fn tone(state: AttemptState) -> Tone {
    match state {
        AttemptState::Running => Tone::Plain,
        AttemptState::Done => Tone::Good,
        AttemptState::Failed | AttemptState::Lost => Tone::Bad,
        AttemptState::Stopped => Tone::Dim,
    }
}

fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Dollars for people.
pub fn money(micros: Option<i64>) -> String {
    micros.map(sprag_usage::spent::money).unwrap_or_default()
}

/// An attempt for JSON.
pub fn attempt(attempt: &AttemptRow) -> Value {
    json!({
        "id": attempt.id, "task": attempt.task, "number": attempt.number, "state": attempt.state.name(),
        "agent": attempt.agent, "name": attempt.name, "machine": attempt.host, "session": attempt.session,
        "branch": attempt.branch, "folder": attempt.folder, "log": attempt.log, "result": attempt.result,
        "model": attempt.model, "input_tokens": attempt.input_tokens, "cached_tokens": attempt.cached_tokens,
        "output_tokens": attempt.output_tokens, "cost_usd": attempt.cost_micros.map(|micros| micros as f64 / 1e6),
        "started": stamp(attempt.started), "ended": attempt.ended.map(stamp),
    })
}

/// An attempt in a line.
pub fn named(attempt: &AttemptRow) -> String {
    let place = if attempt.branch.is_empty() { String::new() } else { format!(" on {}", attempt.branch) };
    format!("{} by {}{place}", attempt.state.name(), attempt.name)
}

/// Prints the attempts since a time (`only`: of these), and the tasks that could not start. True when nothing is left
/// that failed or is open.
fn report(
    host: &Host,
    out: &Out,
    since: i64,
    only: Option<&[String]>,
    as_json: bool,
) -> anyhow::Result<bool> {
    let key = project_at(host, None).key(&host.machine());
    let mut store = access::open(host)?;
    let mut attempts = store.attempts(&key, since).map_err(explained)?;
    attempts.retain(|one| only.is_none_or(|only| only.contains(&one.id)));
    attempts.reverse();
    let mut open = store.tasks(false).map_err(explained)?;
    open.retain(|task| task.project == key);
    let dependencies = store.dependencies(Some(&key)).map_err(explained)?;
    let waiting = readiness(&open, &dependencies);
    let mut rows = Vec::new();
    for one in &attempts {
        let Some(task) = store.task(&one.task).map_err(explained)? else { continue };
        rows.push((one, task));
    }
    let failed = rows.iter().any(|(_, task)| task.state.name() == "failed");
    let all_done = open.is_empty() && !failed;
    if as_json {
        let blocked: Vec<Value> = open.iter().map(|task| left(task, waiting.get(&task.id))).collect();
        let rows: Vec<Value> = rows
            .iter()
            .map(|(one, task)| {
                let mut value = attempt(one);
                if let Some(map) = value.as_object_mut() {
                    map.insert("title".to_owned(), json!(task.title));
                    map.insert("task_state".to_owned(), json!(task.state.name()));
                }
                value
            })
            .collect();
        let cost: i64 = attempts.iter().filter_map(|one| one.cost_micros).sum();
        out.json(&json!({ "attempts": rows, "left": blocked, "cost_usd": cost as f64 / 1e6 }));
        return Ok(all_done);
    }
    print_report(host, out, &rows, &open, &waiting);
    Ok(all_done)
}

/// A task that is not finished, for JSON.
fn left(task: &TaskRow, readiness: Option<&Readiness>) -> Value {
    let (state, why) = match readiness {
        Some(Readiness::Ready) => ("ready", String::new()),
        Some(Readiness::Waits(others)) => ("waits", others.join(", ")),
        Some(Readiness::Blocked(by, why)) => ("blocked", format!("{by} {why}")),
        None => (task.state.name(), String::new()),
    };
    json!({ "id": task.id, "title": task.title, "state": state, "why": why })
}

fn print_report(
    host: &Host,
    out: &Out,
    rows: &[(&AttemptRow, TaskRow)],
    open: &[TaskRow],
    waiting: &std::collections::BTreeMap<String, Readiness>,
) {
    if rows.is_empty() && open.is_empty() {
        out.line("No task was worked on. `sprag task create` makes one, `sprag task import` reads a list.");
        return;
    }
    if !rows.is_empty() {
        let mut table =
            Table::new(&["task", "state", "agent", ">tokens", ">cost", ">took", "branch", "title"]);
        for (one, task) in rows {
            let ended = one.ended.map_or_else(|| host.clock.now(), |at| Stamp(at as u64));
            let took = Duration::from_micros(ended.0.saturating_sub(one.started as u64));
            table.row(vec![
                (Tone::Strong, task.id.clone()),
                (tone(one.state), one.state.name().to_owned()),
                (Tone::Plain, one.name.clone()),
                (Tone::Plain, (one.input_tokens + one.cached_tokens + one.output_tokens).to_string()),
                (Tone::Plain, money(one.cost_micros)),
                (Tone::Plain, when::span(took)),
                (Tone::Plain, one.branch.clone()),
                (Tone::Plain, task.title.clone()),
            ]);
        }
        out.table(&table);
        let cost: Vec<i64> = rows.iter().filter_map(|(one, _)| one.cost_micros).collect();
        if !cost.is_empty() {
            out.line(&format!("cost: {}", money(Some(cost.iter().sum()))));
        }
    }
    for task in open {
        match waiting.get(&task.id) {
            Some(Readiness::Blocked(by, why)) => {
                out.line(&format!(
                    "{}  {}  {}: {by} {why}",
                    task.id,
                    out.paint(Tone::Bad, "blocked"),
                    task.title
                ));
            }
            Some(Readiness::Waits(others)) => {
                out.line(&format!("{}  waits  {}: for {}", task.id, task.title, others.join(", ")));
            }
            Some(Readiness::Ready) => out.line(&format!("{}  ready  {}", task.id, task.title)),
            None => {}
        }
    }
}
