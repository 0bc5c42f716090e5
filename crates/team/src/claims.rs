//! `sprag claims`: who works on which file, and letting go of a claim.

use crate::access::{self, calling_session, short, stamp};
use anyhow::{bail, ensure};
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_coord::claims::fresh;
use sprag_runtime::session::Session;
use sprag_store::ClaimRow;
use sprag_terminal::explained;
use sprag_terminal::person;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::process::ExitCode;
use std::time::Duration;

/// What `sprag claims` takes.
#[derive(clap::Args)]
pub struct ClaimsArgs {
    #[command(subcommand)]
    command: ClaimsCommand,
}

#[derive(clap::Subcommand)]
enum ClaimsCommand {
    /// Who works on what: file, holder, since when, for how long
    #[command(after_help = "Example:\n  sprag claims list --json | jq -r '.claims[].path'")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Release claims: an agent its own, a person anybody's
    #[command(
        after_help = "Examples:\n  sprag claims release src/cart.rs\n  sprag claims release --session 1a2b3c4d\n  sprag claims release --all"
    )]
    Release {
        /// The files, as `claims list` names them
        #[arg(required_unless_present_any = ["session", "all"])]
        paths: Vec<String>,
        /// Everything that this session holds
        #[arg(long)]
        session: Option<String>,
        /// Everything that anybody holds
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs `sprag claims`.
pub fn run(args: &ClaimsArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        ClaimsCommand::List { json } => list(host, out, *json)?,
        ClaimsCommand::Release { paths, session, all, json } => {
            release(host, out, &|row: &ClaimRow| wanted(row, paths, session.as_deref(), *all), *json)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn wanted(row: &ClaimRow, paths: &[String], session: Option<&str>, all: bool) -> bool {
    let of_session = session.is_none_or(|id| row.session.starts_with(id));
    let of_path = paths.is_empty() || paths.contains(&row.key.path);
    all || of_session && of_path
}

fn found(host: &Host) -> anyhow::Result<Vec<ClaimRow>> {
    match access::look(host)? {
        Some(mut store) => store.claims(access::now(host)).map_err(explained),
        None => Ok(Vec::new()),
    }
}

/// The subagent that works on it, in a session of this machine: the store knows sessions.
fn subagent(host: &Host, claim: &ClaimRow) -> Option<String> {
    let session = Session::new(&host.paths, &claim.session);
    fresh::holder(&session, &claim.key, host.clock.now()).map(|holder| holder.id)
}

fn row(host: &Host, claim: &ClaimRow) -> Value {
    json!({
        "path": claim.key.path, "branch": claim.key.branch, "repo": claim.key.repo, "agent": claim.agent,
        "session": claim.session, "subagent": subagent(host, claim), "name": claim.name, "host": claim.host, "root": claim.root,
        "since": stamp(claim.since), "renewed": stamp(claim.renewed), "until": stamp(claim.until),
    })
}

/// Who holds it, for people: `ada`, `ada, subagent 1a2b3c4d`.
fn holder(host: &Host, claim: &ClaimRow) -> String {
    let name = if claim.name.is_empty() { &claim.agent } else { &claim.name };
    match subagent(host, claim) {
        Some(id) => format!("{name}, subagent {}", short(&id)),
        None => name.clone(),
    }
}

/// What is claimed; `sprag status claims` shows the same.
pub fn list(host: &Host, out: &Out, as_json: bool) -> anyhow::Result<()> {
    let claims = found(host)?;
    if as_json {
        out.json(&json!({ "claims": claims.iter().map(|claim| row(host, claim)).collect::<Vec<_>>() }));
        return Ok(());
    }
    if claims.is_empty() {
        out.line("Nothing is claimed.");
        return Ok(());
    }
    let now = host.clock.now();
    let mut table =
        Table::new(&["path", "branch", "holder", "session", "since", ">free in", "machine", "repository"]);
    for claim in &claims {
        let left = Duration::from_micros((claim.until as u64).saturating_sub(now.0));
        table.row(vec![
            (Tone::Strong, claim.key.path.clone()),
            (Tone::Plain, claim.key.branch.clone()),
            (Tone::Plain, holder(host, claim)),
            (Tone::Plain, short(&claim.session)),
            (Tone::Plain, when::ago(now, Stamp(claim.since as u64))),
            (Tone::Dim, when::span(left)),
            (Tone::Plain, claim.host.clone()),
            (Tone::Dim, claim.key.repo.clone()),
        ]);
    }
    out.table(&table);
    Ok(())
}

fn release(host: &Host, out: &Out, wanted: &dyn Fn(&ClaimRow) -> bool, as_json: bool) -> anyhow::Result<()> {
    let Some(mut store) = access::look(host)? else {
        bail!(Problem::new("nothing is claimed", "there is no store yet"))
    };
    let claims = store.claims(access::now(host)).map_err(explained)?;
    let claims: Vec<ClaimRow> = claims.into_iter().filter(|claim| wanted(claim)).collect();
    ensure!(!claims.is_empty(), Problem::new("no such claim", "`sprag claims list` shows what is held"));
    let own = calling_session(host).map(|(id, _)| id);
    if claims.iter().any(|claim| own.as_deref() != Some(claim.session.as_str())) {
        // What another session holds is not the model's to give away.
        person::refuse_inside_agent(host)?;
    }
    let mut freed = Vec::new();
    for claim in claims {
        if store.release_claim(&claim).map_err(explained)? {
            fresh::forget_one(&Session::new(&host.paths, &claim.session), &claim.key);
            freed.push(claim);
        }
    }
    if as_json {
        out.json(&json!({ "released": freed.iter().map(|claim| row(host, claim)).collect::<Vec<_>>() }));
    } else {
        for claim in &freed {
            out.line(&format!(
                "{} is free ({} {} had it)",
                claim.key.path,
                claim.agent,
                short(&claim.session)
            ));
        }
    }
    Ok(())
}
