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
    /// Work the background queue off (hooks start this when there is work)
    #[command(after_help = "Example:\n  sprag worker --once")]
    Worker(crate::commands::worker::WorkerArgs),
    /// Run hook cases (*.hook.toml), each in a throw-away home
    #[command(after_help = "Example:\n  sprag test .sprag/tests --agent codex")]
    Test(crate::commands::test::TestArgs),
    /// Keep the payloads of real sessions, without secrets
    #[command(after_help = "Example:\n  sprag record on && sprag record list")]
    Record(crate::commands::record::RecordArgs),
    /// Run a recorded session against the present configuration and show what changed
    #[command(after_help = "Examples:\n  sprag replay d42fd80c\n  sprag replay --shadow --since 2d")]
    Replay(crate::commands::replay::ReplayArgs),
    /// Write a hook, its configuration and its first case
    #[command(
        hide = true,
        after_help = "Example:\n  sprag hooks-new no_console --lang py --event PostToolUse"
    )]
    HooksNew(crate::commands::hooks_new::NewArgs),
}
