//! `sprag deploy` and `sprag undeploy`: the agents' own hook configuration, written and taken back.

use crate::installed::{on_path, version_command};
use crate::ui::{Out, Problem, Tone};
use anyhow::Context as _;
use sprag_base::process::{self, Spec};
use sprag_config::host::Host;
use sprag_deploy::register;
use sprag_deploy::{
    AgentEnv, AgentFiles, AgentVersion, DeployError, Form, Mode, Outcome, Plan, Report, Scope,
};
use sprag_project::Project;
use sprag_protocol::AgentId;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

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
    [Scope::User, Scope::Project, Scope::Local]
        .into_iter()
        .find(|scope| scope.name() == name)
        .ok_or_else(|| "one of: user, project, local".to_owned())
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
        let gates = registrations.iter().any(|entry| entry.gate);
        if registrations.is_empty() {
            out.line(&format!("{}: no hook is on, nothing to register", files.title()));
            let path = files.path(args.scope, &places)?;
            show(out, files, &sprag_deploy::undeploy(files, &path, Some(&exe), mode(args))?, args.dry_run);
            return Ok(());
        }
        let version = files.args_since.and_then(|_| version_of(agent, host));
        let form = if files.has_args(version) { Form::Exec } else { Form::Shell };
        let count = registrations.len();
        let plan = Plan::new(files, args.scope, &places, &exe, registrations)?.with_form(form);
        let report = sprag_deploy::deploy(&plan, mode(args))?;
        show(out, files, &report, args.dry_run);
        if report.outcome != Outcome::Elsewhere && !args.dry_run {
            out.line(&format!("  {count} events go through {}", exe.display()));
        }
        if gates
            && let (Some(gate), Some(version)) = (files.gate, version)
            && version < gate.since
        {
            let [major, minor, patch] = gate.since;
            let title = files.title();
            out.note(&format!(
                "  this {title} cannot block when a gate cannot start; {major}.{minor}.{patch} and later can"
            ));
        }
        Ok(())
    })
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

/// The same as `sprag deploy` without words, for `init`.
pub(crate) fn run_after_init(host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let args = DeployArgs { agents: Vec::new(), scope: Scope::User, dry_run: false };
    deploy(&args, host, out)
}

pub(crate) fn undeploy(args: &DeployArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if !args.dry_run {
        crate::guarded::refuse_inside_agent(host)?;
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
        let report = sprag_deploy::undeploy(files, &path, host.exe.as_deref(), mode(args))?;
        if report.outcome != Outcome::Unchanged || !args.agents.is_empty() {
            show(out, files, &report, args.dry_run);
        }
        Ok(())
    })
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

/// The version of the agent's program on PATH.
fn version_of(agent: AgentId, host: &Host) -> Option<AgentVersion> {
    let program = on_path(host, agent.name())?;
    let argv = version_command(agent, &program);
    let spec = Spec {
        argv: &argv,
        stdin: b"",
        cwd: &host.paths.home,
        inherit: &host.env,
        env: &[],
        timeout: Duration::from_secs(5),
    };
    let text = process::run(&spec).ok()?.stdout;
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}

fn show(out: &Out, files: &AgentFiles, report: &Report, dry_run: bool) {
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
