//! `sprag agent`: agents as people know them. The identity part is in `agent/identity.rs`.

mod identity;

use crate::ui::Out;
use sprag_engine::host::Host;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct AgentArgs {
    #[command(subcommand)]
    command: AgentCommand,
}

#[derive(clap::Subcommand)]
enum AgentCommand {
    /// An agent's own documents (SOUL.md, IDENTITY.md …) in the store: versions, differences, restore
    #[command(
        after_help = "Examples:\n  sprag agent identity log SOUL.md\n  sprag agent identity diff SOUL.md --from 2\n  sprag agent identity restore SOUL.md 2"
    )]
    Identity(identity::IdentityArgs),
}

pub(crate) fn run(args: &AgentArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        AgentCommand::Identity(args) => identity::run(args, host, out),
    }
}
