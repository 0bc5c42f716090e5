//! `sprag deploy` and `sprag undeploy`: the agents' own hook configuration, written and taken back.

use crate::installed::{self, dotted, on_path};
use anyhow::Context as _;
use sprag_config::host::Host;
use sprag_deploy::register;
use sprag_deploy::{
    AgentEnv, AgentFiles, DeployError, Deployed, Form, Mode, Outcome, Plan, Remembered, Removal, Report,
    Scope,
};
use sprag_project::Project;
use sprag_protocol::AgentId;
use sprag_terminal::{Out, Problem, Tone};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct DeployArgs {
    /// Which agents: claude, codex, gemini, qwen (default: those that are found here, else claude)
    #[arg(long = "agent", value_name = "AGENT", value_parser = agent_name)]
    agents: Vec<AgentId>,
    /// Which file: user, project or local
    #[arg(long, default_value = "user", value_parser = scope_name)]
    scope: Scope,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

fn agent_name(name: &str) -> Result<AgentId, String> {
    AgentId::from_name(name).ok_or_else(|| format!("one of: {}", AgentId::names()))
}

fn scope_name(name: &str) -> Result<Scope, String> {
    Scope::from_name(name).ok_or_else(|| "one of: user, project, local".to_owned())
}

pub(crate) fn deploy(args: &DeployArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let exe = host
        .exe
        .clone()
        .context(Problem::new("this program's own path is unknown", "start sprag by its full path"))?;
    let project = here(host)?;
    if let Some(error) = sprag_config::load(host, &project).errors.first() {
        anyhow::bail!(Problem::new(format!("nothing was registered: {error}"), &error.hint));
    }
    let places = places(host, &project, args.scope);
    let of_project = (args.scope != Scope::User).then_some(&project);
    let configurations = register::configurations(host, of_project);
    each(chosen(args, host, &places), out, |agent| {
        let files = &agent.spec().settings;
        let registrations = register::registrations(agent, files, &configurations);
        let path = files.path(args.scope, &places)?;
        if registrations.is_empty() {
            out.line(&format!("{}: no hook is on, nothing to register", files.title()));
            show(out, files, &remove(host, agent, args.scope, &path, false, mode(args))?, args.dry_run);
            return Ok(());
        }
        let version =
            on_path(host, agent.name()).and_then(|program| installed::version(host, agent, &program));
        let form = if files.has_args(version.as_deref().and_then(installed::numbers)) {
            Form::Exec
        } else {
            Form::Shell
        };
        let (count, gates) = (registrations.len(), registrations.iter().any(|entry| entry.gate));
        let plan = Plan::new(files, args.scope, &places, &exe, registrations)?
            .with_form(form)
            .with_remembered(Remembered::of(&host.paths, args.scope, &path));
        let report = sprag_deploy::deploy(&plan, mode(args))?;
        show(out, files, &report, args.dry_run);
        if report.outcome != Outcome::Elsewhere && !args.dry_run {
            out.line(&format!("  {count} events go through {}", plan.command.exe.display()));
            let entry = Deployed { agent, scope: args.scope.name().to_owned(), file: path };
            if let Err(error) = sprag_deploy::note_deployed(&host.paths, &entry) {
                out.note(&format!("  `sprag uninstall` will not know of this file: {error}"));
            }
        }
        for note in version_notes(&plan, version.as_deref(), gates) {
            out.note(&format!("  {note}"));
        }
        Ok(())
    })
}

/// What the agent's version means for what was registered, and what cannot be known.
fn version_notes(plan: &Plan, version: Option<&str>, gates: bool) -> Vec<String> {
    let (files, title) = (plan.agent, plan.agent.title());
    let mut notes = Vec::new();
    match version {
        None => notes.push(format!(
            "the version of {title} is unknown, because it is not on the PATH or does not say it; sprag needs {} or \
             later",
            dotted(files.agent.spec().version.oldest)
        )),
        Some(version) => notes.extend(
            installed::too_old(files.agent, version).map(|why| format!("{why}; update it, then deploy again")),
        ),
    }
    let Some(since) = files.args_since.map(dotted).filter(|_| plan.scope != Scope::Project) else {
        return notes;
    };
    notes.push(match plan.form {
        Form::Exec => format!(
            "sprag does not see other copies of {title}, such as that of an editor: one before {since} would not run \
             these hooks"
        ),
        Form::Shell => format!(
            "registered as a shell command, which every version reads; with {since} or later on the PATH, `sprag \
             deploy` saves the shell"
        ),
    });
    if gates
        && let (Some(gate), Some(version)) = (files.gate, version.and_then(installed::numbers))
        && version < gate.since
    {
        let since = dotted(gate.since);
        notes.push(format!("this {title} cannot block when a gate cannot start; {since} and later can"));
    }
    notes
}

/// Does the work for each agent; a file of one that cannot be changed does not keep the others from theirs.
fn each(
    agents: Vec<AgentId>,
    out: &Out,
    work: impl Fn(AgentId) -> Result<(), DeployError>,
) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for agent in agents {
        if let Err(error) = work(agent) {
            out.problem(&Problem::new(&error, error.hint()).into());
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}

/// The same as `sprag deploy` without words, for `init`, with the status line on top.
pub(crate) fn run_after_init(host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let code = run_for(Vec::new(), host, out)?;
    for found in installed::find(host) {
        let files = &found.agent.spec().settings;
        let Ok(path) = files.path(Scope::User, &places(host, &Project::default(), Scope::User)) else {
            continue;
        };
        let free = files.status_line.is_some() && sprag_deploy::status_line(files, &path, None).is_none();
        if free && out.confirm(&format!("Show sprag's status line in {}?", files.title())) {
            let exe = host.exe.as_deref().map_or("sprag".into(), Path::to_string_lossy);
            let command = format!("{} statusline", sprag_shell::quote(&exe));
            match sprag_deploy::set_status_line(files, &path, &command, Mode::Write) {
                Ok(report) => show(out, files, &report, false),
                Err(error) => out.problem(&Problem::new(&error, error.hint()).into()),
            }
        }
    }
    Ok(code)
}

/// Deploys for these agents, or those that are here, in the user's scope.
pub(crate) fn run_for(agents: Vec<AgentId>, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    deploy(&DeployArgs { agents, scope: Scope::User, dry_run: false }, host, out)
}

pub(crate) fn undeploy(args: &DeployArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if !args.dry_run {
        sprag_terminal::person::refuse_inside_agent(host)?;
    }
    let project = here(host)?;
    let places = places(host, &project, args.scope);
    let agents = if args.agents.is_empty() { AgentId::ALL.to_vec() } else { args.agents.clone() };
    each(agents, out, |agent| {
        let files = &agent.spec().settings;
        let path = match files.path(args.scope, &places) {
            Ok(path) => path,
            // Not every agent has every scope; only one that was asked for by name is worth an error.
            Err(error) if !args.agents.is_empty() => return Err(error.into()),
            Err(_) => return Ok(()),
        };
        let report = remove(host, agent, args.scope, &path, false, mode(args))?;
        if report.outcome != Outcome::Unchanged || !args.agents.is_empty() {
            show(out, files, &report, args.dry_run);
        }
        Ok(())
    })
}

/// Takes sprag out of one file.
pub(crate) fn remove(
    host: &Host,
    agent: AgentId,
    scope: Scope,
    path: &Path,
    every_status_line: bool,
    mode: Mode,
) -> Result<Report, DeployError> {
    let remembered = Remembered::of(&host.paths, scope, path);
    let removal = Removal {
        agent: &agent.spec().settings,
        path,
        exe: host.exe.as_deref(),
        remembered: &remembered,
        every_status_line,
    };
    sprag_deploy::undeploy(&removal, mode)
}

fn mode(args: &DeployArgs) -> Mode {
    if args.dry_run { Mode::DryRun } else { Mode::Write }
}

fn here(host: &Host) -> anyhow::Result<Project> {
    let cwd = std::env::current_dir()
        .context(Problem::new("the working directory is gone", "change to one that exists"))?;
    Ok(Project::find(&cwd.to_string_lossy(), &host.env, &host.paths.home))
}

/// Where the agents' files are.
pub(crate) fn places(host: &Host, project: &Project, scope: Scope) -> AgentEnv {
    // Claude Code reads the private file at the git root, the shared one where it is started.
    let local = project.git_root().filter(|_| scope == Scope::Local);
    let root = local.unwrap_or(&project.root).to_path_buf();
    AgentEnv::new(Some(host.paths.home.clone()), Some(root), |name| host.env.get(name).map(PathBuf::from))
}

/// The agents that were named, else those that are here, else the canonical one.
fn chosen(args: &DeployArgs, host: &Host, places: &AgentEnv) -> Vec<AgentId> {
    if !args.agents.is_empty() {
        return args.agents.clone();
    }
    let found: Vec<AgentId> =
        AgentId::ALL.into_iter().filter(|agent| is_here(*agent, host, places)).collect();
    if found.is_empty() { vec![AgentId::CANONICAL] } else { found }
}

/// An agent is here when its program is on PATH or its folder exists.
pub(crate) fn is_here(agent: AgentId, host: &Host, places: &AgentEnv) -> bool {
    let folder = agent
        .spec()
        .settings
        .path(Scope::User, places)
        .is_ok_and(|path| path.parent().is_some_and(Path::is_dir));
    folder || on_path(host, agent.name()).is_some()
}

pub(crate) fn show(out: &Out, files: &AgentFiles, report: &Report, dry_run: bool) {
    let file = report.file.display();
    let said = match report.outcome {
        Outcome::Unchanged => format!("{}: {file} is up to date", files.title()),
        Outcome::Created => format!("{}: {file} created", files.title()),
        Outcome::Updated => format!("{}: {file} updated", files.title()),
        Outcome::Restored => format!("{}: {file} is as it was before sprag", files.title()),
        Outcome::Removed => format!("{}: {file} removed, as before sprag", files.title()),
        Outcome::Elsewhere => {
            format!("{}: sprag is registered in config.toml; {file} was left alone", files.title())
        }
    };
    out.line(
        &out.paint(
            Tone::Strong,
            &if dry_run { format!("{said} (dry run: nothing was written)") } else { said },
        ),
    );
    for line in report.diff.lines().filter(|_| dry_run) {
        let tone = match line.as_bytes().first() {
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            _ => Tone::Dim,
        };
        out.line(&out.paint(tone, line));
    }
    for warning in &report.warnings {
        let place = warning.line.map_or_else(String::new, |line| format!("{file}:{line}: "));
        out.note(&format!("  {place}{}", warning.text));
    }
    if let Some(backup) = report.backup.as_ref().filter(|_| !dry_run) {
        out.line(&format!("  the file as it was: {}", backup.display()));
    }
    if let Some(advice) = report.advice {
        out.line(&format!("  {advice}"));
    }
}
