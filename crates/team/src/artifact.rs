//! `sprag artifact`: background processes that end with their session, and what an ended session had running.

use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_coord::artifact::process::{command_of, is_around, start_of};
use sprag_coord::artifact::{Artifact, Saved, declare};
use sprag_runtime::session::Session;
use sprag_scan::scrub::scrub;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::process::ExitCode;

/// What `sprag artifact` takes.
#[derive(clap::Args)]
pub struct ArtifactArgs {
    #[command(subcommand)]
    command: ArtifactCommand,
}

#[derive(clap::Subcommand)]
enum ArtifactCommand {
    /// Declare a running process: it is ended when the session ends
    #[command(after_help = "Example:\n  sprag artifact add tunnel --pid $!")]
    Add {
        /// A name for it
        name: String,
        /// Its process id
        #[arg(long)]
        pid: i64,
        /// The session; without it, the one around this command
        #[arg(long)]
        session: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// What ended sessions had running, with the commands to start it again
    #[command(after_help = "Example:\n  sprag artifact list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs `sprag artifact`.
pub fn run(args: &ArtifactArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        ArtifactCommand::Add { name, pid, session, json } => {
            add(name, *pid, session.as_deref(), *json, host, out)?;
        }
        ArtifactCommand::List { json } => list(*json, host, out),
    }
    Ok(ExitCode::SUCCESS)
}

fn add(
    name: &str,
    pid: i64,
    session: Option<&str>,
    as_json: bool,
    host: &Host,
    out: &Out,
) -> anyhow::Result<()> {
    let session = session
        .map(str::to_owned)
        .or_else(|| crate::access::calling_session(host).map(|(id, _)| id))
        .ok_or_else(|| {
            anyhow::anyhow!(Problem::new(
                "not running inside a session of an agent",
                "run it from the agent's shell, or name one: --session ID"
            ))
        })?;
    let Some(start) = start_of(pid).filter(|_| pid > 1) else {
        anyhow::bail!(Problem::new(
            format!("there is no process {pid}"),
            "start it first, and name its id: --pid $!"
        ))
    };
    if is_around(pid) {
        anyhow::bail!(Problem::new(
            format!("process {pid} is the agent or a shell around this command"),
            "name the process that it started"
        ))
    }
    let (command, cwd) = command_of(pid);
    let command = command.iter().map(|word| scrub(word).into_owned()).collect();
    let artifact = Artifact { name: name.to_owned(), how: "process".to_owned(), pid, start, command, cwd };
    declare(&Session::new(&host.paths, &session), &artifact)?;
    if as_json {
        out.json(&json!({ "name": name, "pid": pid, "session": session }));
    } else {
        out.line(&format!("{name} ({pid}) ends with the session"));
    }
    Ok(())
}

fn list(as_json: bool, host: &Host, out: &Out) {
    let folder = std::fs::read_dir(host.paths.state.join("artifacts"));
    let mut saved: Vec<Saved> = folder
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            serde_json::from_slice(&sprag_base::files::read(entry.path(), sprag_base::files::STATE).ok()?)
                .ok()
        })
        .collect();
    saved.sort_by_key(|saved| std::cmp::Reverse(saved.at));
    if as_json {
        let all: Vec<Value> = saved.iter().map(|saved| json!(saved)).collect();
        out.json(&json!({ "sessions": all }));
        return;
    }
    if saved.is_empty() {
        out.line("no session left anything; `sprag artifact add NAME --pid $!` declares a process");
        return;
    }
    let mut table = Table::new(&["name", "how", "ended", "start it again"]);
    for saved in &saved {
        for artifact in &saved.stopped {
            table.row(vec![
                (Tone::Plain, artifact.name.clone()),
                (Tone::Dim, artifact.how.clone()),
                (Tone::Dim, when::ago(host.clock.now(), Stamp(saved.at))),
                (Tone::Plain, format!("cd {} && {}", artifact.cwd, artifact.command.join(" "))),
            ]);
        }
    }
    out.table(&table);
    for left in saved.iter().flat_map(|saved| &saved.left) {
        out.line(&out.paint(Tone::Warn, left));
    }
}
