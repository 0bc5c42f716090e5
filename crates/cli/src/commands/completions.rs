//! `sprag completions`: what a shell needs to complete sprag's words.

use crate::args::Args;
use crate::ui::Out;
use clap::CommandFactory as _;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

pub(crate) fn run(args: &CompletionsArgs, out: &Out) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "sprag", &mut text);
    out.raw(&String::from_utf8_lossy(&text));
    ExitCode::SUCCESS
}
