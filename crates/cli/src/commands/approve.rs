//! `sprag approve`: a person lets the model read a file that privacy-block keeps, for a while.

use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_runtime::approvals::{self, Approval};
use sprag_terminal::person;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct ApproveArgs {
    /// The file or folder
    #[arg(required_unless_present = "list")]
    path: Option<PathBuf>,
    /// How long: 90s, 10m, 2h, 1d
    #[arg(long = "for", default_value = "10m", value_name = "TIME", value_parser = when::parse_span)]
    time: Duration,
    /// Do not ask (from a script, outside of any agent)
    #[arg(long)]
    yes: bool,
    /// List what is approved
    #[arg(long)]
    list: bool,
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ApproveArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if args.list {
        list(args.json, host, out);
        return Ok(ExitCode::SUCCESS);
    }
    person::require_person(host, args.yes)?;
    let path = args.path.as_deref().context(Problem::new("name a file", "sprag approve .env --for 10m"))?;
    let path = std::path::absolute(path).context("invalid path")?;
    // The guard compares the path as it is written and what a link leads to; both are meant.
    let mut paths = vec![sprag_shell::normalise(&path.to_string_lossy(), "/")];
    paths.extend(paths.first().and_then(|path| sprag_guard::links::elsewhere(path)));
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
            out.line(&format!("{path} may be read until {}", until(&approval)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// When it ends, on the user's clock.
fn until(approval: &Approval) -> String {
    Stamp::parse(&approval.until).map_or_else(|| approval.until.clone(), when::local)
}

fn row(approval: &Approval) -> Value {
    serde_json::to_value(approval).unwrap_or_default()
}

/// What is approved: paths, and calls that were stopped.
pub(super) fn list(json: bool, host: &Host, out: &Out) {
    let all = approvals::valid(host);
    if json {
        return out.json(&json!({ "approvals": all.iter().map(row).collect::<Vec<_>>() }));
    }
    if all.is_empty() {
        return out.line("nothing is approved");
    }
    let mut table = Table::new(&["what", "how", "until"]);
    for approval in all {
        let how = match (&approval.path, &approval.session) {
            (Some(_), _) => "read".to_owned(),
            (None, Some(session)) => format!("session {}", session.chars().take(8).collect::<String>()),
            (None, None) => "once".to_owned(),
        };
        let ends = until(&approval);
        let what = approval.path.or(approval.shown).unwrap_or_default().replace('\n', " ");
        let what = what.chars().take(60).collect();
        table.row(vec![(Tone::Plain, what), (Tone::Plain, how), (Tone::Plain, ends)]);
    }
    out.table(&table);
}
