//! `sprag hooks`: see, try and switch hooks. Each subcommand has a file of its own.

mod list;
mod order;
mod run;
mod show;

use sprag_config::host::Host;
use sprag_terminal::Out;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct HooksArgs {
    #[command(subcommand)]
    command: HooksCommand,
}

#[derive(clap::Subcommand)]
enum HooksCommand {
    /// All hooks: builtin and your own, on or off, and why
    #[command(after_help = "Example:\n  sprag hooks list --json")]
    List(list::ListArgs),
    /// One hook: what it does, its settings and where they come from, its recent numbers
    #[command(after_help = "Example:\n  sprag hooks show tool-loop")]
    Show(show::ShowArgs),
    /// Run one hook on a payload, against a throw-away state
    #[command(
        after_help = "Examples:\n  sprag hooks run tool-loop --event PreToolUse\n  sprag hooks run my_hook --event session_start --payload payload.json\n  cat payload.json | sprag hooks run my_hook --event Stop --payload -"
    )]
    Run(run::RunArgs),
    /// Enable a hook (interactive only)
    #[command(
        hide = true,
        after_help = "Examples:\n  sprag hooks enable tool-loop\n  sprag hooks enable my_hook --event PreToolUse"
    )]
    Enable(super::switch::EnableArgs),
    /// Disable a hook (interactive only)
    #[command(
        hide = true,
        after_help = "Example:\n  sprag hooks disable tool-loop\n\nFor one run only: SPRAG_DISABLE=tool-loop"
    )]
    Disable(super::switch::DisableArgs),
    /// The active hooks: what runs on which event, in which order, and why
    #[command(after_help = "Examples:\n  sprag hooks order\n  sprag hooks order --event PreToolUse")]
    Order(order::OrderArgs),
    /// Write a hook, its configuration and its first case
    #[command(after_help = "Example:\n  sprag hooks new no_console --lang py --event PostToolUse")]
    New(super::hooks_new::NewArgs),
}

pub(crate) fn run(args: &HooksArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        HooksCommand::List(args) => Ok(list::run(args, host, out)),
        HooksCommand::Show(args) => show::run(args, host, out),
        HooksCommand::Run(args) => run::run(args, host, out),
        HooksCommand::Enable(args) => super::switch::enable(args, host, out),
        HooksCommand::Disable(args) => super::switch::disable(args, host, out),
        HooksCommand::Order(args) => Ok(order::run(args, host, out)),
        HooksCommand::New(args) => super::hooks_new::run(args, host, out),
    }
}
