//! What can be typed after `sprag`. Help texts and examples live here; what a command does, in its own file.

use clap::{Parser, Subcommand};

/// Hooks for coding agents: what must happen, happens; what was learned, stays.
#[derive(Parser)]
#[command(name = "sprag", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Answer one event: payload on standard input, answer on standard output (agents call this)
    #[command(after_help = "Example:\n  sprag hook --agent claude < payload.json")]
    Hook {
        /// Who calls: claude, codex, gemini, qwen, or auto
        #[arg(long, default_value = "auto")]
        agent: String,
    },
    /// Register sprag in the agents' own hook configuration
    #[command(
        after_help = "Examples:\n  sprag deploy --dry-run\n  sprag deploy --agent claude --scope project"
    )]
    Deploy(crate::commands::deploy::DeployArgs),
    /// Take sprag out of the agents' hook configuration again
    #[command(after_help = "Example:\n  sprag undeploy --agent claude")]
    Undeploy(crate::commands::deploy::DeployArgs),
    /// Work the background queue off (hooks start this when there is work)
    #[command(after_help = "Example:\n  sprag worker --once")]
    Worker(crate::commands::worker::WorkerArgs),
    /// Run hook cases (*.hook.toml), each in a throw-away home
    #[command(after_help = "Example:\n  sprag test .sprag/tests --agent codex")]
    Test(crate::commands::test::TestArgs),
}
