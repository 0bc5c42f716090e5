//! `sprag worktree`: a worktree and a branch for a task, and what is merged put away.

use crate::access;
use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_config::host::project_at;
use sprag_dispatch::worktree::{Listed, Repository, WorktreeError, branch_name};
use sprag_terminal::explained;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::path::PathBuf;
use std::process::ExitCode;

/// What `sprag worktree` takes.
#[derive(clap::Args)]
pub struct WorktreeArgs {
    #[command(subcommand)]
    command: WorktreeCommand,
}

#[derive(clap::Subcommand)]
enum WorktreeCommand {
    /// Make a worktree and a branch for a task, or for a name of your own
    #[command(
        after_help = "Examples:\n  sprag worktree new t0a1b2c3d4e\n  sprag worktree new try-the-parser\n  cd \"$(sprag worktree new t0a1 --path)\""
    )]
    New {
        /// The task, the first characters of its id, or a name
        task: String,
        /// Where it is made; without it, beside the checkout
        #[arg(long)]
        place: Option<PathBuf>,
        /// Leave out the commands of `[worktree] setup`
        #[arg(long)]
        no_setup: bool,
        /// Print only its path
        #[arg(long, conflicts_with = "json")]
        path: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// The worktrees of tasks, and which are merged
    #[command(after_help = "Example:\n  sprag worktree list")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove worktrees and branches that are merged; what is not committed or not merged stays
    #[command(after_help = "Examples:\n  sprag worktree clean --dry-run\n  sprag worktree clean")]
    Clean {
        /// Only say what would be removed
        #[arg(long)]
        dry_run: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs `sprag worktree`.
pub fn run(args: &WorktreeArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        WorktreeCommand::New { task, place, no_setup, path, json } => {
            new(host, out, task, place.as_ref(), *no_setup, *path, *json)?;
        }
        WorktreeCommand::List { json } => list(host, out, *json)?,
        WorktreeCommand::Clean { dry_run, json } => clean(host, out, *dry_run, *json)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn repository(host: &Host) -> anyhow::Result<Repository> {
    let project = project_at(host, None);
    Repository::of(project.git_root().unwrap_or(&project.root), &host.env).map_err(problem)
}

fn problem(error: WorktreeError) -> anyhow::Error {
    let hint = match &error {
        WorktreeError::NoRepository(_) => "git init",
        WorktreeError::NoCommit => "make a first commit",
        WorktreeError::Git { .. } => "git worktree list shows what is there",
        WorktreeError::SetUp { .. } => {
            "the worktree is there; run the command in it, or change [worktree] setup"
        }
    };
    anyhow::anyhow!(Problem::new(error, hint))
}

/// The branch for what was named: a task, or a name.
fn branch(host: &Host, named: &str) -> anyhow::Result<String> {
    let found = match access::look(host)? {
        Some(mut store) => store.tasks_like(named).map_err(explained)?,
        None => Vec::new(),
    };
    match found.as_slice() {
        [task] => Ok(branch_name(&task.id, &task.title, 1)),
        [] => {
            let name: Vec<&str> =
                named.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect();
            let (first, rest) = name
                .split_first()
                .context(Problem::new(format!("no task `{named}`"), "`sprag task list` names them"))?;
            Ok(branch_name(first, &rest.join("-"), 1))
        }
        many => {
            let ids: Vec<&str> = many.iter().map(|task| task.id.as_str()).collect();
            anyhow::bail!(Problem::new(
                format!("`{named}` may be several tasks"),
                format!("one of: {}", ids.join(", "))
            ))
        }
    }
}

fn new(
    host: &Host,
    out: &Out,
    task: &str,
    place: Option<&PathBuf>,
    no_setup: bool,
    only_path: bool,
    as_json: bool,
) -> anyhow::Result<()> {
    let repository = repository(host)?;
    let branch = branch(host, task)?;
    let place = place.cloned().unwrap_or_else(|| repository.beside());
    let made = repository.create(&place, &branch, &[]).map_err(problem)?;
    let setup = if no_setup { Vec::new() } else { crate::run::setup_commands(host) };
    repository.set_up(&made.folder, &setup).map_err(problem)?;
    if as_json {
        out.json(&json!({ "folder": made.folder, "branch": made.branch, "base": made.base }));
    } else if only_path {
        out.line(&made.folder.display().to_string());
    } else {
        out.line(&format!("{}  on {}", made.folder.display(), out.paint(Tone::Strong, &made.branch)));
    }
    Ok(())
}

fn list(host: &Host, out: &Out, as_json: bool) -> anyhow::Result<()> {
    let repository = repository(host)?;
    let found = repository.worktrees().map_err(problem)?;
    if as_json {
        let rows: Vec<Value> = found
            .iter()
            .map(|one| json!({ "folder": one.folder, "branch": one.branch, "merged": repository.is_merged(&one.branch) }))
            .collect();
        out.json(&json!({ "worktrees": rows }));
        return Ok(());
    }
    if found.is_empty() {
        out.line("No worktree of a task. `sprag worktree new TASK` makes one.");
        return Ok(());
    }
    let mut table = Table::new(&["branch", "merged", "folder"]);
    for one in &found {
        let merged = repository.is_merged(&one.branch);
        table.row(vec![
            (Tone::Strong, one.branch.clone()),
            (if merged { Tone::Good } else { Tone::Plain }, if merged { "yes" } else { "no" }.to_owned()),
            (Tone::Plain, host.paths.tilde(&one.folder)),
        ]);
    }
    out.table(&table);
    Ok(())
}

fn clean(host: &Host, out: &Out, dry_run: bool, as_json: bool) -> anyhow::Result<()> {
    let repository = repository(host)?;
    let (mut removed, mut kept): (Vec<Listed>, Vec<(Listed, String)>) = Default::default();
    for one in repository.worktrees().map_err(problem)? {
        if !repository.is_merged(&one.branch) {
            kept.push((one, "not merged".to_owned()));
        } else if dry_run {
            removed.push(one);
        } else {
            match repository.remove(&one) {
                Ok(()) => removed.push(one),
                Err(error) => kept.push((one, error.to_string())),
            }
        }
    }
    if as_json {
        let row = |one: &Listed| json!({ "folder": one.folder, "branch": one.branch });
        let kept: Vec<Value> = kept
            .iter()
            .map(|(one, why)| json!({ "folder": one.folder, "branch": one.branch, "why": why }))
            .collect();
        out.json(&json!({ "removed": removed.iter().map(row).collect::<Vec<_>>(), "kept": kept, "dry_run": dry_run }));
        return Ok(());
    }
    let verb = if dry_run { "would remove" } else { "removed" };
    for one in &removed {
        out.line(&format!("{verb} {}  {}", one.branch, host.paths.tilde(&one.folder)));
    }
    for (one, why) in &kept {
        out.line(&format!("kept {}: {why}", one.branch));
    }
    if removed.is_empty() && kept.is_empty() {
        out.line("No worktree of a task.");
    }
    Ok(())
}
