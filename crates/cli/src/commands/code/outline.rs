//! `sprag code outline`: the outline of one file, from its text as it is now.

use super::tree_json;
use anyhow::bail;
use serde_json::{Value, json};
use sprag_code::facts_cache::{FactsCache, FileFacts};
use sprag_code::outline::{self, Detail};
use sprag_code::parse::Limits;
use sprag_code::{Language, tokens};
use sprag_config::host::Host;
use sprag_terminal::{Out, Problem};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct OutlineArgs {
    /// The file
    file: PathBuf,
    /// At most about so many tokens; what is left out is counted
    #[arg(long)]
    budget: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &OutlineArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let shown = args.file.display();
    let bytes = super::source_of(&args.file)?;
    let path = std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone());
    let project = super::super::project_at(host, path.parent());
    let cache = FactsCache { state: &host.paths.state, root: &project.root };
    let known = match cache.facts(&path, &bytes, Limits::PATIENT) {
        Ok(known) => known,
        Err(error) => bail!(Problem::new(
            format!("{shown} has no outline: {error}"),
            format!("languages: {}", languages())
        )),
    };
    let FileFacts { language, source, facts } = &known;
    let (language, raw) = (*language, tokens::estimate(&source.text));
    let outline = match args.budget {
        Some(budget) => outline::within(facts, language, budget),
        None => outline::at(facts, language, Detail::Documented),
    };
    if args.json {
        let symbols: Vec<Value> = facts
            .symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| symbol.parent.is_none())
            .map(|(number, symbol)| tree_json(facts, symbol, number as u32))
            .collect();
        let imports: Vec<Value> = facts
            .imports
            .iter()
            .map(|import| {
                json!({"module": import.module, "imported": import.name, "alias": import.alias, "line": import.line})
            })
            .collect();
        out.json(&json!({
            "file": args.file.display().to_string(),
            "language": language.name(),
            "lines": facts.lines,
            "tokens_raw": raw,
            "tokens_outline": outline.tokens,
            "symbols": symbols,
            "imports": imports,
            "notes": facts.notes,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    out.line(&format!(
        "{shown} ({}, {} lines, about {raw} tokens; this outline {})",
        language.name(),
        facts.lines,
        outline.tokens
    ));
    out.raw(&outline.text);
    if outline.left_out > 0 {
        out.line(&format!("{} of {} symbols are counted, not named", outline.left_out, facts.symbols.len()));
    }
    Ok(ExitCode::SUCCESS)
}

fn languages() -> String {
    sprag_code::language::TABLE
        .iter()
        .map(|row| row.name)
        .filter(|name| *name != Language::Tsx.name())
        .collect::<Vec<_>>()
        .join(", ")
}
