//! `sprag uninstall`: takes sprag out of every file that it knows, says what is kept and where, and how to remove the rest.

use crate::commands::changes::Changes;
use crate::commands::{deploy, project_at};
use anyhow::Context as _;
use sprag_base::text::size;
use sprag_config::host::Host;
use sprag_config::trust;
use sprag_deploy::{Mode, Outcome, Report, Scope};
use sprag_project::Project;
use sprag_protocol::AgentId;
use sprag_runtime::queue;
use sprag_terminal::person;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct UninstallArgs {
    /// Also delete sprag's configuration, knowledge and state
    #[arg(long)]
    purge: bool,
    /// Do not ask (from a script, outside of any agent)
    #[arg(long)]
    yes: bool,
    /// Show what would be removed, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object; asks nothing, so it wants --yes or --dry-run
    #[arg(long)]
    json: bool,
}

/// A file that may have entries of sprag.
struct Target {
    agent: AgentId,
    scope: Scope,
    file: PathBuf,
}

pub(crate) fn run(args: &UninstallArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if !args.dry_run {
        person::require_person(host, args.yes)?;
    }
    let ask = !args.yes && !args.dry_run;
    if args.json && ask {
        anyhow::bail!(Problem::new(
            "with --json nothing can be asked",
            "add --yes, or --dry-run to see what would be removed"
        ));
    }
    let changes = Changes::new(out, args.json);
    let (found, mut failed) = look(host, out);
    for (target, _) in &found {
        let shared =
            if target.scope == Scope::Project { "  (shared in a repository: commit the change)" } else { "" };
        let (title, file) = (target.agent.title(), host.paths.tilde(&target.file));
        changes.line(&format!("{title}: {file}{}", out.paint(Tone::Dim, shared)));
    }
    if found.is_empty() && !failed {
        changes.line("sprag is in no agent's settings");
    } else if !found.is_empty() && ask && !out.confirm("Remove sprag from these files?") {
        changes.line("nothing was changed");
        return Ok(ExitCode::FAILURE);
    }
    for known in sprag_deploy::mcp::registrations(&host.paths) {
        let mode = if args.dry_run { Mode::DryRun } else { Mode::Write };
        if let Err(error) = deploy::unregister_mcp(host, known.agent, &known.file, mode, &changes) {
            out.problem(&Problem::new(&error, error.hint()).into());
            failed = true;
        }
    }
    if args.dry_run && args.json {
        for (target, report) in &found {
            deploy::show(&changes, &target.agent.spec().settings, report, true);
        }
    }
    if !args.dry_run {
        for (target, _) in &found {
            match deploy::remove(host, target.agent, target.scope, &target.file, true, Mode::Write) {
                Ok(report) => deploy::show(&changes, &target.agent.spec().settings, &report, false),
                Err(error) => {
                    out.problem(&Problem::new(&error, error.hint()).into());
                    failed = true;
                }
            }
        }
    }
    let kept = data(args, ask, failed, host, &changes)?;
    if args.dry_run {
        changes.line("Dry run: this is what would be done; nothing was changed.");
    } else {
        if args.purge && !failed {
            backups(&found);
        }
        binary(host, ask, &changes);
    }
    changes.finish(args.dry_run, &[("ok", (!failed).into()), ("data", kept)]);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// With everything else of sprag, its copies beside the agents' files go: what they were for is done.
fn backups(found: &[(Target, Report)]) {
    for (target, _) in found {
        let mut copy = target.file.clone().into_os_string();
        copy.push(".sprag-backup");
        // One that is not there, or not to be removed, is no reason to fail after all the rest.
        let _ = sprag_base::files::remove(PathBuf::from(copy));
    }
}

/// The files that would change, and whether one could not be looked at.
fn look(host: &Host, out: &Out) -> (Vec<(Target, Report)>, bool) {
    let mut failed = false;
    let mut found = Vec::new();
    for target in targets(host) {
        match deploy::remove(host, target.agent, target.scope, &target.file, true, Mode::DryRun) {
            Ok(report) if report.outcome == Outcome::Unchanged => {
                for warning in
                    report.warnings.iter().filter(|warning| warning.text.contains("remove them there"))
                {
                    out.note(&format!("{}: {}", target.agent.title(), warning.text));
                }
            }
            Ok(report) => found.push((target, report)),
            Err(error) => {
                out.problem(&Problem::new(&error, error.hint()).into());
                failed = true;
            }
        }
    }
    (found, failed)
}

/// Every file that deploy wrote, and those that it writes for this user, for trusted projects and for the one here.
fn targets(host: &Host) -> Vec<Target> {
    let mut all: Vec<Target> = Vec::new();
    let mut add = |agent, scope, file: PathBuf| {
        if !all.iter().any(|known| known.agent == agent && known.file == file) {
            all.push(Target { agent, scope, file });
        }
    };
    let mut of_project = |scope: Scope, project: &Project| {
        for agent in AgentId::ALL {
            if let Ok(file) =
                agent.spec().settings.path(scope, &sprag_deploy::agent_env(host, project, scope))
            {
                add(agent, scope, file);
            }
        }
    };
    of_project(Scope::User, &Project::default());
    let trusted =
        trust::list(&host.paths).into_iter().map(|(root, _)| project_at(host, Some(Path::new(&root))));
    for project in trusted.chain([project_at(host, None)]) {
        of_project(Scope::Project, &project);
        of_project(Scope::Local, &project);
    }
    for entry in sprag_deploy::deployed(&host.paths) {
        if let Some(scope) = Scope::from_name(&entry.scope) {
            add(entry.agent, scope, entry.file);
        }
    }
    all
}

/// Shows what sprag keeps; with `--purge`, deletes it.
fn data(
    args: &UninstallArgs,
    ask: bool,
    failed: bool,
    host: &Host,
    changes: &Changes<'_>,
) -> anyhow::Result<serde_json::Value> {
    let out = changes.out;
    let paths = &host.paths;
    let kept: Vec<(&str, &PathBuf)> = [
        ("configuration, own hooks", &paths.config),
        ("sessions, handoffs", &paths.data),
        ("journal, database (memories, lessons), caches", &paths.state),
    ]
    .into_iter()
    .filter(|(_, folder)| folder.is_dir())
    .collect();
    let folders = |deleted: &[&PathBuf]| {
        let folder = |(what, folder): &(&str, &PathBuf)| {
            serde_json::json!({
                "folder": folder.display().to_string(),
                "what": what,
                "deleted": deleted.contains(folder),
            })
        };
        serde_json::Value::Array(kept.iter().map(folder).collect())
    };
    let sections = sprag_config::load(host, &project_at(host, None)).resolved.sections;
    let mut elsewhere = Vec::new();
    let knowledge = sections.knowledge().path;
    if !knowledge.is_empty() {
        elsewhere.push(format!("the knowledge folder {knowledge} is yours and stays"));
    }
    if sections.store().url != "sqlite" {
        elsewhere.push("the database server of [store] keeps what sprag wrote there".to_owned());
    }
    if kept.is_empty() {
        changes.line("sprag keeps no data here");
    } else {
        let mut table = Table::new(&[if args.purge { "to delete" } else { "kept" }, ">size", "what"]);
        for (what, folder) in &kept {
            table.row(vec![
                (Tone::Plain, paths.tilde(folder)),
                (Tone::Plain, size(folder_bytes(folder))),
                (Tone::Dim, (*what).to_owned()),
            ]);
        }
        if !args.json {
            out.table(&table);
        }
    }
    for line in elsewhere {
        changes.line(&line);
    }
    if !args.purge {
        if !kept.is_empty() {
            changes.line("`sprag deploy` brings sprag back with it; `sprag uninstall --purge` deletes it.");
        }
        return Ok(folders(&[]));
    }
    if args.dry_run || kept.is_empty() {
        return Ok(folders(&[]));
    }
    if failed {
        anyhow::bail!(Problem::new(
            "a settings file still has entries of sprag, so its data was kept",
            "fix that file, then run the command again"
        ));
    }
    if queue::worker_runs(&host.paths) {
        anyhow::bail!(Problem::new(
            "a background worker of sprag is running, so its data was kept",
            "wait for it with `sprag worker --once`, then run the command again"
        ));
    }
    if ask && !out.confirm("Delete this for good?") {
        changes.line("the data was kept");
        return Ok(folders(&[]));
    }
    let mut deleted = Vec::new();
    for (_, folder) in &kept {
        // A variable may point anywhere; only a folder of that name is surely sprag's.
        if folder.file_name().is_none_or(|name| !name.to_string_lossy().contains("sprag")) {
            changes
                .line(&format!("{} was kept: its name is not sprag's, delete it yourself", folder.display()));
            continue;
        }
        std::fs::remove_dir_all(folder).with_context(|| {
            Problem::new(format!("{} could not be deleted", folder.display()), "delete it yourself")
        })?;
        changes.line(&format!("{} deleted", paths.tilde(folder)));
        deleted.push(*folder);
    }
    Ok(folders(&deleted))
}

/// Says how the program goes, or removes it where `./install` puts it and the person agrees.
fn binary(host: &Host, ask: bool, changes: &Changes<'_>) {
    let out = changes.out;
    let Some(exe) = &host.exe else { return };
    let shown = exe.display().to_string();
    let by_manager = sprag_update::Channel::of(exe).remove();
    let command = by_manager.map_or_else(|| format!("rm {}", sprag_shell::quote(&shown)), str::to_owned);
    let installed = exe.parent().is_some_and(|folder| folder.ends_with("bin")) && by_manager.is_none();
    if installed && ask && out.confirm(&format!("Remove the program {shown}?")) {
        match sprag_base::files::remove(exe) {
            Ok(()) => return changes.line(&format!("{shown} removed")),
            Err(error) => out.note(&format!("{shown} could not be removed: {error}")),
        }
    }
    changes.line(&format!("The program itself: {command}"));
}

fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => folder_bytes(&entry.path()),
            Ok(_) => entry.metadata().map_or(0, |meta| meta.len()),
            Err(_) => 0,
        })
        .sum()
}
