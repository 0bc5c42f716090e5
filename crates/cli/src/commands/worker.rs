//! `sprag worker`: the background queue.

use anyhow::Context as _;
use sprag_config::host::Host;
use sprag_llm::Llm;
use sprag_project::Project;
use sprag_runtime::queue::{self, Told, Until};
use sprag_runtime::{panics, seal};
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
    // Whoever waits for it is told what is waited for, and why something was not done.
    let asks = Llm::read(host);
    let tell = |told: &Told<'_>| {
        if args.detached {
            return;
        }
        match told {
            Told::Begins(job) if job.work.asks_model() && !asks.is_off() => {
                out.note(&format!(
                    "{}: the model is asked, for at most {} s",
                    job.work.kind(),
                    asks.timeout.as_secs()
                ));
            }
            Told::Begins(_) => {}
            Told::Failed(job, why) => out.note(&format!("{} failed: {why}", job.work.kind())),
            Told::Postponed(job, why) => out.note(&format!("{} put off: {why}", job.work.kind())),
        }
    };
    let done = queue::work_told(host, sprag_worker::handle, until, &tell)
        .context(Problem::new("the queue cannot be worked off", "`sprag doctor` looks for the cause"))?;
    let journal = sprag_config::load(host, &Project::default()).resolved;
    let head = seal::head_file(host);
    let sealed = seal::run(&host.paths, journal.sections.journal().keep, head.as_deref(), host.clock.now());
    if !args.detached {
        if let Err(error) = sealed {
            out.note(&format!("the journal could not be sealed: {error}"));
        }
        let failed = if done.failed > 0 {
            format!(", {} failed (`sprag status queue`)", done.failed)
        } else {
            String::new()
        };
        let postponed = if done.postponed > 0 {
            format!(", {} put off (`sprag doctor` says why)", done.postponed)
        } else {
            String::new()
        };
        out.line(&format!("{} done{failed}{postponed}", done.finished));
    }
    Ok(ExitCode::SUCCESS)
}
