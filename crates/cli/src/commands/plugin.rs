//! `sprag plugin`: a folder that is a complete plugin of an agent.

use super::deploy::agent_name;
use anyhow::Context as _;
use serde_json::json;
use sprag_config::host::Host;
use sprag_deploy::plugin::{self, PluginUse};
use sprag_deploy::register;
use sprag_protocol::AgentId;
use sprag_terminal::{Out, Problem};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct PluginArgs {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(clap::Subcommand)]
enum PluginCommand {
    /// Write the plugin's folder for an agent and print where it is
    #[command(
        after_help = "Examples:\n  sprag plugin dir --agent claude\n  sprag plugin dir --agent gemini --out ./extension\n\nClaude Code: claude plugin marketplace add \"$(sprag plugin dir --agent claude)\" && claude plugin install sprag@sprag\nGemini CLI:  gemini extensions install \"$(sprag plugin dir --agent gemini)\"\nCodex:       codex plugin marketplace add \"$(sprag plugin dir --agent codex)\" && codex plugin add sprag@sprag"
    )]
    Dir {
        /// For which agent: claude, codex or gemini
        #[arg(long, value_name = "AGENT", value_parser = agent_name)]
        agent: AgentId,
        /// Write it into this folder instead
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
        /// For everybody: name the `sprag` on the PATH instead of this program
        #[arg(long)]
        shared: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &PluginArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let PluginCommand::Dir { agent, out: elsewhere, shared, json } = &args.command;
    let files = &agent.spec().settings;
    let exe = host
        .exe
        .clone()
        .context(Problem::new("this program's own path is unknown", "start sprag by its full path"))?;
    let wanted = if *shared { PluginUse::Shared } else { PluginUse::Here(&exe) };
    // What is shared depends on nobody's configuration.
    let configurations =
        if *shared { register::defaults(host) } else { register::configurations(host, None) };
    // The user's own; a trusted project adds none.
    let mods = configurations.first().is_some_and(|user| user.sections.agents().mods);
    let registrations = register::registrations(*agent, files, &configurations);
    let all = plugin::files_of(files, &registrations, wanted, env!("CARGO_PKG_VERSION"), mods).with_context(
        || {
            let hint = format!("`sprag deploy --mcp --agent {agent}` registers sprag in its settings");
            Problem::new(format!("sprag makes no plugin for {}", files.title()), hint)
        },
    )?;
    let folder = match elsewhere {
        Some(folder) => std::path::absolute(folder).context("invalid path")?,
        None => plugin::folder(&host.paths, files),
    };
    plugin::write(&folder, &all, elsewhere.is_none())
        .map_err(|error| anyhow::anyhow!(Problem::new(&error, error.hint())))?;
    if *json {
        let files: Vec<&str> = all.iter().map(|file| file.path.as_str()).collect();
        out.json(&json!({ "agent": agent.name(), "folder": folder, "events": registrations.len(), "files": files }));
    } else {
        // Exactly one line: an agent that runs this as the source of a plugin reads it.
        out.line(&folder.display().to_string());
    }
    Ok(ExitCode::SUCCESS)
}
