//! `sprag lessons scan`: looks for lessons in transcripts, now.

use super::{keep, open, warn};
use crate::commands::counted;
use crate::commands::store::explained;
use serde_json::json;
use sprag_config::host::Host;
use sprag_lessons::model::summary_of;
use sprag_lessons::scan::{self, Busy, Request};
use sprag_llm::Llm;
use sprag_terminal::{Out, Problem};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct ScanArgs {
    /// A folder or a transcript, instead of the agents' own (may be repeated)
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read everything again
    #[arg(long)]
    full: bool,
    /// Tell what is there, change nothing
    #[arg(long)]
    dry_run: bool,
    /// Only tags, no errors and corrections
    #[arg(long)]
    tags_only: bool,
    /// The most new candidates
    #[arg(long, default_value_t = 50)]
    max_candidates: usize,
    /// Also give this many new sessions to the model that `[llm]` names; this spends tokens
    #[arg(long, value_name = "SESSIONS", num_args = 0..=1, default_missing_value = "3")]
    model: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ScanArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut store = open(host)?;
    let request = Request {
        paths: args.paths.clone(),
        full: args.full,
        dry_run: args.dry_run,
        heuristics: !args.tags_only,
        max_candidates: args.max_candidates.max(1),
        ..Request::default()
    };
    let failed = |error: Busy| match error {
        Busy::Store(error) => explained(error),
        other => anyhow::anyhow!(Problem::new(&other, "try again when it is done")),
    };
    let scanned = scan::scan(host, &mut store, &request).map_err(failed)?;
    let mut deep = None;
    if let Some(most) = args.model.filter(|_| !args.dry_run) {
        let llm = Llm::read(host);
        if llm.is_off() {
            anyhow::bail!(Problem::new(
                "no model is configured",
                "set [llm] backend in the configuration, or leave --model out"
            ));
        }
        deep = Some(scan::deep(host, &mut store, &llm, &args.paths, most).map_err(failed)?);
    }
    if !args.dry_run {
        warn(&keep(host, &mut store, &[])?, out);
    }
    let outcome = &scanned.outcome;
    if args.json {
        let found: Vec<_> = scanned
            .found
            .iter()
            .map(|one| json!({
                "source": one.source, "tool": one.tool, "trigger": one.trigger, "problem": one.problem, "solution": one.solution,
                "tags": one.tags, "confidence": one.confidence, "priority": one.priority, "session": one.session, "project": one.project,
            }))
            .collect();
        out.json(&json!({
            "files": scanned.files, "read": scanned.read, "bytes": scanned.bytes, "broken_lines": scanned.broken, "found": found,
            "added": outcome.added, "seen_again": outcome.seen_again, "ignored": outcome.ignored, "withdrawn": outcome.withdrawn,
            "left_out": outcome.left_out, "errors": scanned.errors, "fixes": scanned.fixes, "new_fixes": scanned.new_fixes,
            "model": deep.as_ref().map(|deep| json!({"sessions": deep.sessions, "added": deep.outcome.added, "errors": deep.errors})),
        }));
        return Ok(ExitCode::SUCCESS);
    }
    out.line(&format!(
        "{} transcripts, {} with something new ({} KB)",
        scanned.files,
        scanned.read,
        scanned.bytes / 1024
    ));
    if args.dry_run {
        for one in &scanned.found {
            out.line(&format!("  would be kept: {}", summary_of(&one.problem)));
        }
        return Ok(ExitCode::SUCCESS);
    }
    for slug in &outcome.added {
        out.line(&format!("  candidate {slug}"));
    }
    out.line(&format!(
        "{}, {} of what is known",
        counted(outcome.added.len(), "new candidate"),
        counted(outcome.seen_again, "sighting")
    ));
    for (count, what) in [
        (scanned.new_fixes, "known fixes, told when their error is met again (sprag lessons fixes)"),
        (outcome.left_out, "left out: a scan keeps the surest (--max-candidates)"),
        (outcome.withdrawn, "taken back by the model"),
        (outcome.ignored, "mistakes that were made although their lesson had been said"),
    ] {
        if count > 0 {
            out.line(&format!("{count} {what}"));
        }
    }
    if let Some(deep) = &deep {
        out.line(&format!(
            "the model read {} and found {}",
            counted(deep.sessions, "session"),
            counted(deep.outcome.added.len(), "candidate")
        ));
        deep.errors.iter().for_each(|error| out.note(&format!("warning: {error}")));
    }
    scanned.errors.iter().take(10).for_each(|error| out.note(&format!("warning: {error}")));
    if !outcome.added.is_empty() {
        out.line("look at them: sprag lessons review");
    }
    Ok(ExitCode::SUCCESS)
}
