//! `sprag lessons fixes`: errors that were met before and what fixed them.

use crate::commands::project_at;
use anyhow::Context as _;
use serde_json::json;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_lessons::fixes::book::{self, Fix};
use sprag_terminal::{Out, Problem, Tone, when};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct FixesArgs {
    /// Only this one: its key, or the beginning of it
    key: Option<String>,
    /// Forget it
    #[arg(long, requires = "key")]
    forget: bool,
    /// Those of all projects
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &FixesArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut fixes = book::all(&host.paths);
    match &args.key {
        Some(key) => fixes.retain(|fix| fix.key.starts_with(key.as_str())),
        None if !args.all => {
            let root = project_at(host, None).root.display().to_string();
            fixes.retain(|fix| fix.root == root);
        }
        None => {}
    }
    if args.key.is_some() && fixes.is_empty() {
        anyhow::bail!(Problem::new(
            "there is no known fix with this key",
            "`sprag lessons fixes --all` lists them"
        ));
    }
    if args.forget {
        return forget(&fixes, args.json, host, out);
    }
    if args.json {
        out.json(&json!({ "fixes": fixes }));
        return Ok(ExitCode::SUCCESS);
    }
    if fixes.is_empty() {
        out.line("no known fixes in this project\n  they are found in sessions in which a command failed and then worked");
        return Ok(ExitCode::SUCCESS);
    }
    for fix in &fixes {
        print(fix, host, out);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(fix: &Fix, host: &Host, out: &Out) {
    let when = when::ago(host.clock.now(), Stamp(u64::try_from(fix.at).unwrap_or_default()));
    let times = if fix.seen.len() > 1 { format!(", {} times", fix.seen.len()) } else { String::new() };
    out.line(&format!("{} {}", out.paint(Tone::Strong, &fix.key), out.paint(Tone::Bad, &fix.error)));
    out.line(&format!("  failed  `{}`", fix.failed));
    out.line(&format!("  fixed   {}", fix.remedy));
    let session: String = fix.session.chars().take(8).collect();
    let from = format!(
        "session {session} of {} in {}, {when}{times}",
        fix.agent,
        host.paths.tilde(fix.root.as_ref())
    );
    out.line(&format!("  from    {}", out.paint(Tone::Dim, &from)));
}

fn forget(fixes: &[Fix], as_json: bool, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut keys: Vec<&str> = fixes.iter().map(|fix| fix.key.as_str()).collect();
    keys.sort_unstable();
    keys.dedup();
    let [key] = keys.as_slice() else {
        anyhow::bail!(Problem::new("several errors begin with this key", "give more of it"));
    };
    let count = book::forget(&host.paths, key).context(Problem::new(
        "the known fixes cannot be written",
        "`sprag doctor` looks at the state folder",
    ))?;
    if as_json {
        out.json(&json!({ "forgotten": count }));
    } else {
        out.line(&format!("forgotten: {count}"));
    }
    Ok(ExitCode::SUCCESS)
}
