//! `sprag init`: finds the agents and the project, writes a commented configuration, offers deploy.

use crate::commands::{deploy, import, project_at};
use crate::guarded::{agent_around, at_terminal};
use crate::installed::{self, Installed};
use crate::ui::{Out, Problem, Tone};
use serde_json::json;
use sprag_base::files;
use sprag_config::host::Host;
use sprag_config::schema::LlmBackend;
use sprag_config::settings::Choice as _;
use sprag_config::spec::Preset;
use sprag_config::template::{self, Chosen};
use sprag_project::Project;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct InitArgs {
    /// Ask nothing: write the configuration only, and leave one that is there alone
    #[arg(long)]
    yes: bool,
    /// Take over the hooks that the agents' settings have now, and settings of other hook tools
    #[arg(long, conflicts_with = "json")]
    import: bool,
    /// Print JSON; asks nothing
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &InitArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let file = host.paths.config_file();
    let agents = installed::find(host);
    let project = project_at(host, None);
    if !args.json {
        say_agents(&agents, host, out);
        say_project(&project, host, out);
    }
    // A model that answers the questions would choose its own guards.
    let ask = !args.yes && !args.json && at_terminal() && agent_around(&host.env).is_none();
    let there = file.symlink_metadata().is_ok();
    if !there {
        let (preset, backend) = if ask { questions(host, out) } else { (None, None) };
        let chosen = Chosen { preset, backend };
        let text = template::text(host.hooks, chosen);
        files::write_durable(&file, text.as_bytes()).map_err(|error| {
            anyhow::anyhow!(Problem::new(
                format!("{}: {error}", file.display()),
                "check the folder's owner, or set SPRAG_CONFIG_DIR; nothing was written"
            ))
        })?;
    }
    if args.json {
        out.json(&json!({
            "config": { "path": file, "written": !there },
            "agents": agents.iter().map(|found| json!({
                "agent": found.agent.name(), "program": found.program, "folder": found.folder,
            })).collect::<Vec<_>>(),
            "project": { "root": project.root, "git": project.git.is_some(), "sprag": project.sprag.is_some() },
        }));
        return Ok(ExitCode::SUCCESS);
    }
    let what = if there { "is there and was left alone" } else { "written" };
    out.line(&format!("{} {} {what}", out.paint(Tone::Strong, "config "), host.paths.tilde(&file)));
    if args.import {
        return import::run(host, args.yes, out);
    }
    offer_deploy(&agents, ask, host, out)
}

fn say_agents(agents: &[Installed], host: &Host, out: &Out) {
    if agents.is_empty() {
        out.line(&format!(
            "{} none found; `sprag deploy` works later too",
            out.paint(Tone::Strong, "agents ")
        ));
    }
    for found in agents {
        let program = found.program.as_ref().map(|program| host.paths.tilde(program));
        let folder = found.folder.as_ref().map(|folder| host.paths.tilde(folder));
        let place = match (program, folder) {
            (Some(program), _) => program,
            (None, Some(folder)) => format!("not on the PATH, but {folder} is there"),
            (None, None) => String::new(),
        };
        out.line(&format!(
            "{} {}  {}",
            out.paint(Tone::Strong, "agent  "),
            found.agent,
            out.paint(Tone::Dim, &place)
        ));
    }
}

fn say_project(project: &Project, host: &Host, out: &Out) {
    let mut facts = Vec::new();
    facts.extend(project.branch().map(|branch| format!("git, {branch}")));
    facts.extend(project.sprag.as_ref().map(|_| "has .sprag (`sprag check` says what it wants)".to_owned()));
    let facts = if facts.is_empty() { String::new() } else { format!("  ({})", facts.join("; ")) };
    out.line(&format!(
        "{} {}{}",
        out.paint(Tone::Strong, "project"),
        host.paths.tilde(&project.root),
        out.paint(Tone::Dim, &facts)
    ));
}

/// The two choices that no default can make for a person: how much is on, and whether tokens may be spent.
fn questions(host: &Host, out: &Out) -> (Option<Preset>, Option<LlmBackend>) {
    let hooks = |preset: Preset| host.hooks.iter().filter(|builtin| builtin.presets.has(preset)).count();
    let mut presets = Preset::ALL;
    // The usual choice is the first, which Enter takes.
    presets.sort_by_key(|preset| *preset != Preset::default());
    let presets = presets.map(|preset| (preset.name(), format!("{} hooks", hooks(preset))));
    let preset = out.choose("Which hooks are on?", &presets);
    let backends: Vec<(&str, String)> = LlmBackend::WORDS
        .iter()
        .map(|word| {
            let what = match LlmBackend::from_word(word) {
                Some(LlmBackend::None) => "the background worker asks no model; nothing is spent",
                Some(LlmBackend::Openai) => "any OpenAI-compatible endpoint ([llm] url, key_env)",
                _ => "its own -p mode, on your account",
            };
            (*word, what.to_owned())
        })
        .collect();
    let backend = out.choose("Which model may the background worker ask?", &backends);
    (Preset::from_name(&preset), LlmBackend::from_word(&backend))
}

/// What comes next: with a person at the terminal, now.
fn offer_deploy(agents: &[Installed], ask: bool, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    out.line("");
    if ask && !agents.is_empty() {
        let names: Vec<&str> = agents.iter().map(|found| found.agent.name()).collect();
        if out.confirm(&format!("Register the hooks with {} now?", names.join(", "))) {
            return deploy::run_after_init(host, out);
        }
    }
    match agents {
        [] => out.line("Next, when an agent is there: sprag deploy"),
        _ => out.line("Next: sprag deploy    (registers the hooks; --dry-run shows the change first)"),
    }
    out.line(&out.paint(
        Tone::Dim,
        "Then: sprag doctor, and start a session. `sprag demo` shows what happens in one.",
    ));
    Ok(ExitCode::SUCCESS)
}
