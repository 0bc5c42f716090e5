//! `sprag policy sandbox`: the agent's own sandbox, as strict as the active guards. What a hook cannot stop, because a
//! program does it that the call only starts, the operating system does.

use super::changes::{Change, Changes};
use super::deploy::{here, scope_name};
use sprag_config::host::Host;
use sprag_config::plan::Mode as HookMode;
use sprag_deploy::{Mode, Outcome, Sandbox, SandboxReport, Scope, agent_env};
use sprag_hooks::guard::privacy_block::{self, PrivacyBlockSettings};
use sprag_project::Project;
use sprag_protocol::agents::AGENTS;
use sprag_protocol::agents::sandbox::Confinement;
use sprag_protocol::{AgentId, EventKind};
use sprag_terminal::{Out, Problem, Tone, person};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    command: PolicyCommand,
}

#[derive(clap::Subcommand)]
enum PolicyCommand {
    /// Write the agent's own sandbox settings, as strict as the active guards
    #[command(
        after_help = "Examples:\n  sprag policy sandbox --agent codex --dry-run\n  sprag policy sandbox --agent claude --allow-host github.com --allow-host '*.npmjs.org'\n  sprag policy sandbox --agent codex --undo\n\nLook at --dry-run first. Refused inside an agent."
    )]
    Sandbox(SandboxArgs),
}

#[derive(clap::Args)]
struct SandboxArgs {
    /// Which agent: claude, codex or gemini
    #[arg(long, value_parser = agent_name)]
    agent: AgentId,
    /// Which file: user, project or local
    #[arg(long, default_value = "user", value_parser = scope_name)]
    scope: Scope,
    /// A host that commands may reach; `*.` in front matches its subdomains
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// A folder outside of the project that commands may write
    #[arg(long, value_name = "FOLDER")]
    allow_write: Vec<String>,
    /// Remove what this command wrote
    #[arg(long, conflicts_with_all = ["allow_host", "allow_write"])]
    undo: bool,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn agent_name(name: &str) -> Result<AgentId, String> {
    let known = |agent: &AgentId| agent.spec().sandbox.is_some();
    AgentId::from_name(name).filter(known).ok_or_else(|| {
        let names: Vec<&str> =
            AGENTS.iter().filter(|agent| agent.sandbox.is_some()).map(|agent| agent.id.name()).collect();
        format!("one of: {}", names.join(", "))
    })
}

pub(crate) fn run(args: &PolicyArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let PolicyCommand::Sandbox(args) = &args.command;
    if !args.dry_run {
        person::refuse_inside_agent(host)?;
    }
    let project = here(host)?;
    let files = &args.agent.spec().settings;
    let path = files
        .path(args.scope, &agent_env(host, &project, args.scope))
        .map_err(|error| Problem::new(&error, error.hint()))?;
    let confinement = confinement(args, host, &project);
    let parts = args.agent.spec().sandbox.map(|parts| parts(&confinement)).unwrap_or_default();
    let mode = if args.dry_run { Mode::DryRun } else { Mode::Write };
    let sandbox = Sandbox { paths: &host.paths, settings: &path, syntax: files.syntax, parts: &parts };
    let change = if args.undo { Sandbox::release } else { Sandbox::confine };
    let reports = change(&sandbox, mode).map_err(|error| Problem::new(&error, error.hint()))?;
    let changes = Changes::new(out, args.json);
    for report in &reports {
        show(&changes, report, args, host);
    }
    if !args.undo {
        changes.line(&format!(
            "Reads of {} places and names are denied, writes to {}; `sprag policy sandbox --agent {} --undo` takes it back.",
            confinement.deny_read.len(),
            confinement.deny_write.len(),
            args.agent.name()
        ));
        if let Some(advice) = files.sandbox_advice {
            out.note(advice);
        }
    }
    changes.finish(args.dry_run, &[]);
    Ok(ExitCode::SUCCESS)
}

/// What the active guards keep from being read and written.
fn confinement(args: &SandboxArgs, host: &Host, project: &Project) -> Confinement {
    let resolved = sprag_config::load(host, project).resolved;
    let privacy = resolved
        .chain(EventKind::PreToolUse)
        .find(|hook| hook.hook.name == privacy_block::HOOK.spec.name && hook.hook.mode == HookMode::Enforce);
    let mut deny_read = Vec::new();
    if let Some(hook) = privacy {
        let settings: PrivacyBlockSettings<'_> = hook.hook.settings.read();
        deny_read = sprag_sensitive::patterns();
        deny_read.extend(settings.also.iter().map(str::to_owned));
        deny_read.retain(|path| !settings.allow.iter().any(|allowed| allowed == path));
    }
    // What self-protection guards: it has no off switch.
    let env = agent_env(host, project, Scope::User);
    let settings =
        AgentId::ALL.into_iter().filter_map(|agent| agent.spec().settings.path(Scope::User, &env).ok());
    let own = [host.paths.config.clone(), host.paths.state.clone()];
    let deny_write = own.into_iter().chain(settings).map(|path| host.paths.tilde(&path)).collect();
    Confinement {
        deny_read,
        deny_write,
        allow_write: args.allow_write.clone(),
        hosts: args.allow_host.clone(),
    }
}

fn show(changes: &Changes<'_>, report: &SandboxReport, args: &SandboxArgs, host: &Host) {
    let (out, dry_run) = (changes.out, args.dry_run);
    let change = Change {
        agent: args.agent.name(),
        what: "sandbox",
        file: &report.file,
        outcome: report.outcome,
        diff: &report.diff,
        notes: report.notes.iter().map(ToString::to_string).collect(),
    };
    if changes.takes(&change) {
        return;
    }
    let file = host.paths.tilde(&report.file);
    let said = match report.outcome {
        Outcome::Created => "created",
        Outcome::Removed => "removed",
        Outcome::Updated => "updated",
        Outcome::Unchanged | Outcome::Restored | Outcome::Elsewhere => "up to date",
    };
    let tail = if dry_run { " (dry run: nothing was written)" } else { "" };
    out.line(&out.paint(Tone::Strong, &format!("{file}: {said}{tail}")));
    if dry_run {
        out.diff(&report.diff);
    }
    for note in &report.notes {
        out.note(&format!("  {note}"));
    }
}
