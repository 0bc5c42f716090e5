//! `sprag agent`: who is in the team, in which role, and whether it is at work.

mod identity;

use crate::access::{self, short, stamp};
use anyhow::{bail, ensure};
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_coord::member;
use sprag_coord::store::home_id;
use sprag_store::{AgentRow, AgentState, Role, SessionWork};
use sprag_terminal::explained;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::process::ExitCode;
use std::time::Duration;

/// How long a live agent may do nothing before it counts as stalled.
const STALLED: Duration = Duration::from_secs(300);

/// What `sprag agent` takes.
#[derive(clap::Args)]
pub struct AgentArgs {
    #[command(subcommand)]
    command: AgentCommand,
}

#[derive(clap::Subcommand)]
enum AgentCommand {
    /// An agent's own documents (SOUL.md, IDENTITY.md …) in the store: versions, differences, restore
    #[command(
        after_help = "Examples:\n  sprag agent identity log SOUL.md\n  sprag agent identity diff SOUL.md --from 2\n  sprag agent identity restore SOUL.md 2"
    )]
    Identity(identity::IdentityArgs),
    /// Every agent: role, state, last activity
    #[command(after_help = "Example:\n  sprag agent list --stalled-after 10m")]
    List {
        /// A live agent that did nothing for this long is stalled
        #[arg(long, default_value = "5m", value_parser = when::parse_span)]
        stalled_after: Duration,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// One agent with its sessions and what they do
    #[command(after_help = "Example:\n  sprag agent show ada")]
    Show {
        /// Its name
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make an agent of this home known, or change its role
    #[command(
        after_help = "Examples:\n  sprag agent register ada --role lead\n  SPRAG_AGENT_NAME=ada claude\n\nSessions belong to the agent that SPRAG_AGENT_NAME names, else to one with the program's name (claude, codex, …)."
    )]
    Register {
        /// Its name: letters, digits, `-`, `_`, `.`
        name: String,
        /// What it is in the team
        #[arg(long, value_enum, default_value = "worker")]
        role: RoleArg,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// A role on the command line.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum RoleArg {
    /// Gives work to others, and is told what they do
    Lead,
    /// Does work
    Worker,
}

/// Runs `sprag agent`.
pub fn run(args: &AgentArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        AgentCommand::Identity(args) => return identity::run(args, host, out),
        AgentCommand::List { stalled_after, json } => list(host, out, *stalled_after, *json)?,
        AgentCommand::Show { name, json } => show(host, out, name, *json)?,
        AgentCommand::Register { name, role, json } => register(host, out, name, *role, *json)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn row(agent: &AgentRow, now: i64, stalled: Duration) -> Value {
    json!({
        "id": agent.id, "name": agent.name, "role": agent.role.name(), "home": agent.home, "host": agent.host,
        "state": agent.state(now, stalled.as_micros() as i64).name(), "live_sessions": agent.live,
        "first_seen": stamp(agent.first_seen), "last_activity": stamp(agent.last_seen),
        "offline_since": agent.offline.filter(|_| agent.live == 0).map(stamp),
    })
}

/// The agents with the default patience; `sprag status agents` shows the same.
pub fn list_default(host: &Host, out: &Out, as_json: bool) -> anyhow::Result<()> {
    list(host, out, STALLED, as_json)
}

fn list(host: &Host, out: &Out, stalled: Duration, as_json: bool) -> anyhow::Result<()> {
    let now = access::now(host);
    let agents = match access::look(host)? {
        Some(mut store) => store.agents(now).map_err(explained)?,
        None => Vec::new(),
    };
    if as_json {
        let rows: Vec<Value> = agents.iter().map(|agent| row(agent, now, stalled)).collect();
        out.json(&json!({ "agents": rows }));
        return Ok(());
    }
    if agents.is_empty() {
        out.line("No agent was here yet.");
        return Ok(());
    }
    let mut table = Table::new(&["agent", "role", "state", ">sessions", "last activity", "machine"]);
    for agent in &agents {
        let state = agent.state(now, stalled.as_micros() as i64);
        table.row(vec![
            (Tone::Strong, agent.name.clone()),
            (Tone::Plain, agent.role.name().to_owned()),
            (tone(state), state.name().to_owned()),
            (Tone::Plain, agent.live.to_string()),
            (Tone::Plain, when::ago(host.clock.now(), Stamp(agent.last_seen as u64))),
            (Tone::Plain, agent.host.clone()),
        ]);
    }
    out.table(&table);
    Ok(())
}

fn tone(state: AgentState) -> Tone {
    match state {
        AgentState::Active => Tone::Good,
        AgentState::Stalled => Tone::Warn,
        AgentState::Offline => Tone::Dim,
    }
}

fn show(host: &Host, out: &Out, name: &str, as_json: bool) -> anyhow::Result<()> {
    let now = access::now(host);
    let Some(mut store) = access::look(host)? else {
        bail!(Problem::new(format!("no agent `{name}`"), "there is no store yet; the first session makes it"))
    };
    let agents = store.agents(now).map_err(explained)?;
    let agents: Vec<AgentRow> = agents.into_iter().filter(|agent| agent.name == name).collect();
    ensure!(!agents.is_empty(), Problem::new(format!("no agent `{name}`"), "`sprag agent list` names them"));
    let work = store.work(None, now).map_err(explained)?;
    let work: Vec<SessionWork> = work.into_iter().filter(|one| one.name == name).collect();
    let mut held = Vec::new();
    for one in &work {
        held.push(store.claims_of(&one.agent, &one.session, now).map_err(explained)?);
    }
    let tasks = store.tasks(false).map_err(explained)?;
    let tasks: Vec<_> = tasks.into_iter().filter(|task| task.assignee == name).collect();
    if as_json {
        let sessions: Vec<Value> = work
            .iter()
            .zip(&held)
            .map(|(one, held)| {
                json!({
                    "agent": one.agent, "session": one.session, "host": one.host, "root": one.root,
                    "branch": one.branch, "doing": one.doing, "seen": stamp(one.seen),
                    "claims": held.iter().map(|claim| claim.key.path.as_str()).collect::<Vec<_>>(),
                })
            })
            .collect();
        out.json(&json!({
            "agents": agents.iter().map(|agent| row(agent, now, STALLED)).collect::<Vec<_>>(),
            "sessions": sessions,
            "tasks": tasks.iter().map(|task| json!({ "id": task.id, "title": task.title, "state": task.state.name() }))
                .collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    for agent in &agents {
        let state = agent.state(now, STALLED.as_micros() as i64);
        let last = when::ago(host.clock.now(), Stamp(agent.last_seen as u64));
        out.line(&format!(
            "{}  {}, {}, on {}, last active {last}",
            out.paint(Tone::Strong, &agent.name),
            agent.role.name(),
            out.paint(tone(state), state.name()),
            agent.host
        ));
    }
    for (one, held) in work.iter().zip(&held) {
        let doing = if one.doing.is_empty() { "nothing said" } else { &one.doing };
        out.line(&format!(
            "  session {} ({}), branch {}: {doing}",
            short(&one.session),
            one.agent,
            one.branch
        ));
        for claim in held {
            out.line(&format!("    holds {}", claim.key.path));
        }
    }
    for task in &tasks {
        out.line(&format!("  task {} {} ({})", task.id, task.title, task.state.name()));
    }
    Ok(())
}

fn register(host: &Host, out: &Out, name: &str, role: RoleArg, as_json: bool) -> anyhow::Result<()> {
    ensure!(
        member::is_name(name),
        Problem::new(format!("invalid agent name `{name}`"), "letters, digits, `-`, `_`, `.`, at most 64")
    );
    let role = match role {
        RoleArg::Lead => Role::Lead,
        RoleArg::Worker => Role::Worker,
    };
    let mut store = access::open(host)?;
    let now = access::now(host);
    store.register_agent(&home_id(host), name, &host.machine(), role, now).map_err(explained)?;
    if as_json {
        out.json(&json!({ "name": name, "role": role.name() }));
    } else {
        out.line(&format!("{name} is a {} here", role.name()));
    }
    Ok(())
}
