//! `sprag code index`: makes the index, or refreshes it; what did not change is not parsed again.

use anyhow::Context as _;
use serde_json::json;
use sprag_code::extract::Depth;
use sprag_config::host::Host;
use sprag_terminal::{Out, Problem};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct IndexArgs {
    /// A folder of the project; default: here
    project: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &IndexArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let project = crate::commands::project_at(host, args.project.as_deref());
    let began = Instant::now();
    let built =
        sprag_code::index::build(&host.paths.state, &project.root, Depth::Calls).with_context(|| {
            Problem::new(
                format!("the index of {} cannot be written", project.root.display()),
                "`sprag doctor` looks at the state folder",
            )
        })?;
    let ms = began.elapsed().as_millis() as u64;
    if args.json {
        out.json(&json!({
            "root": project.root.display().to_string(),
            "files": built.files,
            "parsed": built.parsed,
            "symbols": built.symbols,
            "lines": built.lines,
            "bytes": built.bytes,
            "complete": !built.cut,
            "ms": ms,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    out.line(&format!(
        "{} symbols in {} files, {} lines ({} parsed now) in {ms} ms; the index has {} KB",
        built.symbols,
        built.files,
        built.lines,
        built.parsed,
        built.bytes / 1_024
    ));
    if built.cut {
        out.note("There are more files than an index takes. `.spragignore` keeps folders out.");
    }
    Ok(ExitCode::SUCCESS)
}
