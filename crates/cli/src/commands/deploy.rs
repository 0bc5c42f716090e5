//! `sprag deploy` and `sprag undeploy`: the agents' own hook configuration, written and taken back.

use super::changes::{Change, Changes};
use anyhow::Context as _;
use sprag_config::host::Host;
use sprag_deploy::installed::{self, dotted, on_path};
use sprag_deploy::mcp::{self, McpRegistration, McpReport};
use sprag_deploy::register;
use sprag_deploy::{
    AgentEnv, AgentFiles, DeployError, Deployed, Form, Mode, Outcome, Plan, Remembered, Removal, Report,
    Scope, agent_env,
};
use sprag_memory::knowledge::Knowledge;
use sprag_project::Project;
use sprag_protocol::AgentId;
use sprag_runtime::remote;
use sprag_terminal::{Out, Problem, Tone};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct DeployArgs {
    /// Which agents: claude, codex, gemini, qwen, copilot, opencode, grok, kimi, cline, droid, kilo, hermes, pi (default:
    /// those that are found here, else claude)
    #[arg(long = "agent", value_name = "AGENT", value_parser = agent_name)]
    agents: Vec<AgentId>,
    /// Which file: user, project or local
    #[arg(long, default_value = "user", value_parser = scope_name)]
    scope: Scope,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Also register `sprag mcp`, whose tools the model may call (undeploy always removes it)
    #[arg(long)]
    mcp: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn agent_name(name: &str) -> Result<AgentId, String> {
    AgentId::from_name(name).ok_or_else(|| format!("one of: {}", AgentId::names()))
}

pub(super) fn scope_name(name: &str) -> Result<Scope, String> {
    Scope::from_name(name).ok_or_else(|| "one of: user, project, local".to_owned())
}

pub(crate) fn deploy(args: &DeployArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let exe = host
        .exe
        .clone()
        .context(Problem::new("this program's own path is unknown", "start sprag by its full path"))?;
    if let Some(command) = sprag_update::Channel::of(&exe).install_for_good() {
        out.note(&format!(
            "sprag runs from a package manager's cache, {}, which may be emptied at any time: install it with `{command}`, \
             then run `sprag deploy` again",
            exe.display()
        ));
    }
    let project = here(host)?;
    let loaded = sprag_config::load(host, &project);
    if let Some(error) = loaded.errors.first() {
        if loaded.user_broken {
            anyhow::bail!(Problem::new(format!("nothing was registered: {error}"), &error.hint));
        }
        // One hook that is not there is no reason to leave the agents without the others.
        out.note(&format!("{error}; the rest is registered (`sprag check` says more)"));
    }
    let env = agent_env(host, &project, args.scope);
    let changes = Changes::new(out, args.json);
    let of_project = (args.scope != Scope::User).then_some(&project);
    let configurations = register::configurations(host, of_project);
    let hooks = |agent: AgentId| -> Result<(), DeployError> {
        let files = &agent.spec().settings;
        let registrations = register::registrations(agent, files, &configurations);
        let paths = paths_of(host, agent, args.scope, &env)?;
        if registrations.is_empty() {
            changes.line(&format!("{}: no hook is on, nothing to register", files.title()));
            for path in paths {
                show(
                    &changes,
                    files,
                    &remove(host, agent, args.scope, &path, false, mode(args))?,
                    args.dry_run,
                );
            }
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
        let plan = Plan::new(files, args.scope, &env, &exe, registrations)?.with_form(form);
        for path in paths {
            let remembered = Remembered::of(&host.paths, args.scope, &path);
            let plan = Plan { file: path.clone(), ..plan.clone() }.with_remembered(remembered);
            let report = sprag_deploy::deploy(&plan, mode(args))?;
            show(&changes, files, &report, args.dry_run);
            if report.outcome != Outcome::Elsewhere && !args.dry_run {
                changes.line(&format!(
                    "  {} through {}",
                    if count == 1 { "1 event goes".to_owned() } else { format!("{count} events go") },
                    plan.command.exe.display()
                ));
                let entry = Deployed { agent, scope: args.scope.name().to_owned(), file: path };
                // Without this note no question waits: an agent that gives up on a hook makes the call.
                let _ = remote::note_registered(host, agent, register::remote_wait(&configurations));
                if let Err(error) = sprag_deploy::note_deployed(&host.paths, &entry) {
                    out.note(&format!("  `sprag uninstall` will not know of this file: {error}"));
                }
            }
        }
        for note in version_notes(&plan, version.as_deref(), gates) {
            out.note(&format!("  {note}"));
        }
        Ok(())
    };
    let code = each(chosen(args, host), out, |agent| {
        hooks(agent)?;
        // After the hooks: what they keep of the file before sprag has no server in it.
        if args.mcp { register_mcp(host, agent, args, &env, &exe, &changes) } else { Ok(()) }
    })?;
    changes.finish(args.dry_run, &[("ok", (code == ExitCode::SUCCESS).into())]);
    Ok(code)
}

/// Registers the MCP server with an agent.
fn register_mcp(
    host: &Host,
    agent: AgentId,
    args: &DeployArgs,
    env: &AgentEnv,
    exe: &Path,
    changes: &Changes<'_>,
) -> Result<(), DeployError> {
    let files = &agent.spec().settings;
    let Some(how) = &files.mcp else {
        changes.out.note(&format!("{}: sprag does not know where it names MCP servers", files.title()));
        return Ok(());
    };
    let shared = args.scope == Scope::Project;
    let exe = if shared { "sprag".into() } else { exe.to_string_lossy() };
    let file = how.path(files, args.scope, env)?;
    let registration = McpRegistration { agent, scope: args.scope.name().to_owned(), file };
    let report = mcp::register(&host.paths, how, &registration, &exe, mode(args))?;
    show_mcp(changes, files, &report, args.dry_run);
    Ok(())
}

/// Says what happened to the file that names the MCP servers.
fn show_mcp(changes: &Changes<'_>, files: &AgentFiles, report: &McpReport, dry_run: bool) {
    let out = changes.out;
    let change = Change {
        agent: files.agent.name(),
        what: "mcp",
        file: &report.file,
        outcome: report.outcome,
        diff: &report.diff,
        notes: report.notes.iter().map(ToString::to_string).collect(),
    };
    if changes.takes(&change) {
        return;
    }
    let said = match report.outcome {
        Outcome::Unchanged => "is up to date",
        Outcome::Removed => "removed",
        _ => "updated",
    };
    let dry = if dry_run { " (dry run: nothing was written)" } else { "" };
    out.line(
        &out.paint(Tone::Strong, &format!("{}: MCP: {} {said}{dry}", files.title(), report.file.display())),
    );
    if dry_run {
        out.diff(&report.diff);
    }
    for note in &report.notes {
        out.note(&format!("  {note}"));
    }
}

/// Takes the MCP server out of an agent's settings; says so where something changes.
pub(crate) fn unregister_mcp(
    host: &Host,
    agent: AgentId,
    file: &Path,
    mode: Mode,
    changes: &Changes<'_>,
) -> Result<(), DeployError> {
    let files = &agent.spec().settings;
    let Some(how) = &files.mcp else { return Ok(()) };
    let report = mcp::unregister(&host.paths, how, file, mode)?;
    if report.outcome != Outcome::Unchanged {
        show_mcp(changes, files, &report, mode == Mode::DryRun);
    }
    Ok(())
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
        let Ok(path) = files.path(Scope::User, &agent_env(host, &Project::default(), Scope::User)) else {
            continue;
        };
        let free = files.status_line.is_some() && sprag_deploy::status_line(files, &path, None).is_none();
        if free && out.confirm(&format!("Show sprag's status line in {}?", files.title())) {
            let exe = host.exe.as_deref().map_or("sprag".into(), Path::to_string_lossy);
            let command = format!("{} statusline", sprag_shell::quote(&exe));
            match sprag_deploy::set_status_line(files, &path, &command, Mode::Write) {
                Ok(report) => show(&Changes::new(out, false), files, &report, false),
                Err(error) => out.problem(&Problem::new(&error, error.hint()).into()),
            }
        }
    }
    Ok(code)
}

/// Deploys for these agents, or those that are here, in the user's scope.
pub(crate) fn run_for(agents: Vec<AgentId>, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    deploy(&DeployArgs { agents, scope: Scope::User, dry_run: false, mcp: false, json: false }, host, out)
}

pub(crate) fn undeploy(args: &DeployArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if !args.dry_run {
        sprag_terminal::person::require_terminal_or_quiet(host)?;
    }
    let project = here(host)?;
    let env = agent_env(host, &project, args.scope);
    let agents = if args.agents.is_empty() { AgentId::ALL.to_vec() } else { args.agents.clone() };
    let changes = Changes::new(out, args.json);
    let code = each(agents, out, |agent| {
        let files = &agent.spec().settings;
        let paths = match paths_of(host, agent, args.scope, &env) {
            Ok(paths) => paths,
            // Not every agent has every scope; only one that was asked for by name is worth an error.
            Err(error) if !args.agents.is_empty() => return Err(error),
            Err(_) => return Ok(()),
        };
        if let Some(file) = files.mcp.and_then(|how| how.path(files, args.scope, &env).ok()) {
            // Before the hooks: where both are in one file, that is then what it was.
            unregister_mcp(host, agent, &file, mode(args), &changes)?;
        }
        for path in paths {
            let report = remove(host, agent, args.scope, &path, false, mode(args))?;
            if !args.dry_run {
                let _ = remote::note_registered(host, agent, std::time::Duration::ZERO);
            }
            if report.outcome != Outcome::Unchanged || !args.agents.is_empty() {
                show(&changes, files, &report, args.dry_run);
            }
        }
        Ok(())
    })?;
    changes.finish(args.dry_run, &[("ok", (code == ExitCode::SUCCESS).into())]);
    Ok(code)
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

pub(super) fn here(host: &Host) -> anyhow::Result<Project> {
    let cwd = std::env::current_dir()
        .context(Problem::new("the working directory is gone", "change to one that exists"))?;
    Ok(Project::find(&cwd.to_string_lossy(), &host.env, &host.paths.home))
}

/// The files of an agent: the one of the scope, and for the user's scope that of every profile with a folder of its own.
fn paths_of(host: &Host, agent: AgentId, scope: Scope, env: &AgentEnv) -> Result<Vec<PathBuf>, DeployError> {
    let usual = agent.spec().settings.path(scope, env)?;
    let name = usual.file_name().unwrap_or_default().to_owned();
    let mut paths = vec![usual];
    if scope == Scope::User {
        let knowledge = Knowledge::open(host);
        for folder in knowledge.config_dirs().filter(|folder| agent_of(folder) == agent) {
            let path = folder.join(&name);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    Ok(paths)
}

/// Whose folder it is: the agent that its name has in it, else the canonical one.
fn agent_of(folder: &Path) -> AgentId {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_of = |agent: &AgentId| match agent.name() {
        // A short name is part of many words.
        short if short.len() < 4 => name.split(|c: char| !c.is_alphanumeric()).any(|word| word == short),
        long => name.contains(long),
    };
    AgentId::ALL.into_iter().find(is_of).unwrap_or(AgentId::CANONICAL)
}

/// The agents that were named, else those that are here, else the canonical one.
fn chosen(args: &DeployArgs, host: &Host) -> Vec<AgentId> {
    if !args.agents.is_empty() {
        return args.agents.clone();
    }
    let found: Vec<AgentId> = installed::find(host).iter().map(|found| found.agent).collect();
    if found.is_empty() { vec![AgentId::CANONICAL] } else { found }
}

pub(crate) fn show(changes: &Changes<'_>, files: &AgentFiles, report: &Report, dry_run: bool) {
    let out = changes.out;
    let advice = report.advice.map(str::to_owned);
    let change = Change {
        agent: files.agent.name(),
        what: "hooks",
        file: &report.file,
        outcome: report.outcome,
        diff: &report.diff,
        notes: report.warnings.iter().map(|warning| warning.text.clone()).chain(advice).collect(),
    };
    if changes.takes(&change) {
        return;
    }
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
    if dry_run {
        out.diff(&report.diff);
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
