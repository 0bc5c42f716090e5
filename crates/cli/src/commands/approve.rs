//! `sprag approve`: a person lets the model read a file that privacy-block keeps, for a while.

use crate::commands::loosened;
use anyhow::Context as _;
use serde_json::Value;
use sprag_config::host::Host;
use sprag_runtime::approvals::{self, Approval};
use sprag_terminal::person;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Tone};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct ApproveArgs {
    /// The file or folder
    #[arg(required_unless_present_any = ["list", "revoke"])]
    path: Option<PathBuf>,
    /// How long: 90s, 10m, 2h, 1d
    #[arg(long = "for", default_value = "10m", value_name = "TIME", value_parser = when::parse_span)]
    time: Duration,
    /// Do not ask (from a script, outside of any agent)
    #[arg(long)]
    yes: bool,
    /// List all that was loosened
    #[arg(long)]
    list: bool,
    /// Take an approval back
    #[arg(long, value_name = "PATH", conflicts_with_all = ["path", "list"])]
    revoke: Option<String>,
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ApproveArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if args.list {
        loosened::list(args.json, host, out);
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &args.revoke {
        return loosened::revoke(path, args.json, host, out);
    }
    person::require_person(host, args.yes)?;
    let path = args.path.as_deref().context(Problem::new("name a file", "sprag approve .env --for 10m"))?;
    let path = std::path::absolute(path).context("invalid path")?;
    // The guard compares the path as it is written and what a link leads to; both are meant.
    let mut paths = vec![sprag_shell::normalise(&path.to_string_lossy(), "/")];
    paths.extend(paths.first().and_then(|path| sprag_guard::links::elsewhere(path)));
    // A path that is approved is read by a model: a slip of the tab key must not be enough.
    if !args.yes {
        for path in &paths {
            out.line(&format!("  {}", out.paint(Tone::Strong, &sprag_terminal::visible(path))));
        }
        if !out.confirm(&format!("Let agents read this for {}?", when::span(args.time))) {
            out.line("nothing was changed");
            return Ok(ExitCode::FAILURE);
        }
    }
    for path in paths {
        let approval = Approval { path: Some(path.clone()), ..Approval::new(host, args.time) };
        approval.keep_path(host, Path::new(&path)).with_context(|| {
            Problem::new(format!("{} cannot be written", host.paths.state.display()), "check the disk")
        })?;
        let said = format!("a person approved {path} until {}", approval.until);
        approvals::note(host, "approve", &["privacy-block"], &said);
        if args.json {
            out.json(&row(&approval));
        } else {
            out.line(&format!("{path} may be read until {}", loosened::until(&approval)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn row(approval: &Approval) -> Value {
    serde_json::to_value(approval).unwrap_or_default()
}
