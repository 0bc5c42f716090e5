//! One file per command. A command returns its exit code; errors are one line what and one line what to do.

pub(crate) mod hook;
pub(crate) mod hooks_new;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod test;
pub(crate) mod worker;

use crate::args::{Args, Command};
use crate::ui::Out;
use clap::Parser as _;
use sprag_engine::host::Host;
use std::process::ExitCode;

/// Exit code for words that make no sense.
const USAGE: u8 = 2;

pub(crate) fn run() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    let host = Host::of_process(sprag_hooks::BUILTINS, sprag_hooks::JOBS);
    let out = Out::new(&host.env);
    match dispatch(&args.command, &host, &out) {
        Ok(code) => code,
        Err(error) => {
            out.error(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: &Command, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match command {
        Command::Hook { agent } => {
            anyhow::bail!(
                "`{agent}` is no agent that sprag knows\n  one of: auto, claude, codex, gemini, qwen"
            )
        }
        Command::Worker(args) => worker::run(args, host, out),
        Command::Test(args) => test::run(args, host, out),
        Command::Record(args) => record::run(args, host, out),
        Command::Replay(args) => replay::run(args, host, out),
        Command::HooksNew(args) => hooks_new::run(args, host, out),
    }
}
