//! `sprag worker`: the background queue.

use anyhow::Context as _;
use sprag_config::host::Host;
use sprag_runtime::panics;
use sprag_runtime::queue::{self, Until};
use sprag_terminal::{Out, Problem};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct WorkerArgs {
    /// Wait for a running worker, then handle every job once, due or not, and exit
    #[arg(long)]
    once: bool,
    /// Started by a hook: nobody reads what it prints
    #[arg(long, hide = true, conflicts_with = "once")]
    detached: bool,
}

pub(crate) fn run(args: &WorkerArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if args.detached {
        panics::silence();
    }
    let until = if args.once { Until::Once } else { Until::Empty };
    let done = queue::work(host, sprag_worker::handle, until)
        .context(Problem::new("the queue cannot be worked off", "`sprag doctor` looks for the cause"))?;
    if !args.detached {
        let failed = if done.failed > 0 {
            format!(", {} failed (`sprag status queue`)", done.failed)
        } else {
            String::new()
        };
        out.line(&format!("{} done{failed}", done.finished));
    }
    Ok(ExitCode::SUCCESS)
}
