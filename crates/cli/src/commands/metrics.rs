//! `sprag metrics`: numbers for Prometheus, on standard output or into a file for node_exporter.

use anyhow::Context as _;
use sprag_config::host::Host;
use sprag_terminal::{Out, Problem};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct MetricsArgs {
    /// Write to this file, as a whole, instead of standard output
    #[arg(long, value_name = "PATH")]
    textfile: Option<PathBuf>,
}

pub(crate) fn run(args: &MetricsArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.textfile {
        let problem =
            Problem::new(format!("cannot write {}", path.display()), "name a file in a folder of yours");
        sprag_telemetry::write_textfile(host, path).context(problem)?;
        out.line(&format!("written: {}", path.display()));
    } else {
        let problem = Problem::new("the journal cannot be read", "`sprag doctor` looks for the cause");
        out.line(sprag_telemetry::text(host).context(problem)?.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}
