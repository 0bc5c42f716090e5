//! `sprag code symbols`: symbols by a part of their name, exact ones first.

use super::{open, symbol_json};
use serde_json::{Value, json};
use sprag_code::answer;
use sprag_code::facts::SymbolKind;
use sprag_code::index::{Index, SymbolId};
use sprag_config::host::Host;
use sprag_terminal::Out;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct SymbolsArgs {
    /// A part of the name; none for all
    #[arg(default_value = "")]
    name: String,
    /// Only this kind: function, method, class, struct, enum, interface, trait, type, constant, …
    #[arg(long, value_parser = kind)]
    kind: Option<SymbolKind>,
    /// Only files whose path has this in it
    #[arg(long)]
    path: Option<String>,
    /// The most that are shown; 0 for all
    #[arg(long, default_value_t = 100)]
    limit: usize,
    /// A folder of the project; default: here
    #[arg(long)]
    project: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn kind(text: &str) -> Result<SymbolKind, String> {
    SymbolKind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
        let names: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("one of: {}", names.join(", "))
    })
}

pub(crate) fn run(args: &SymbolsArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let index = open(host, args.project.as_ref())?;
    let found = matching(&index, args);
    let most = if args.limit == 0 { usize::MAX } else { args.limit };
    if args.json {
        let symbols: Vec<Value> = found.iter().take(most).map(|place| symbol_json(&index, *place)).collect();
        out.json(&json!({"found": found.len(), "symbols": symbols}));
        return Ok(ExitCode::SUCCESS);
    }
    for place in found.iter().take(most) {
        let Some(symbol) = index.symbol(*place) else { continue };
        out.line(&format!(
            "{}:{} {} {}",
            index.path(place.file),
            symbol.line,
            symbol.kind.name(),
            symbol.signature
        ));
    }
    if found.len() > most {
        out.note(&format!("{} more; `--limit 0` shows all", found.len() - most));
    } else if found.is_empty() {
        out.note("No such symbol.");
    }
    Ok(ExitCode::SUCCESS)
}

fn matching(index: &Index, args: &SymbolsArgs) -> Vec<SymbolId> {
    let wanted = |place: &SymbolId| {
        let of_kind =
            args.kind.is_none_or(|kind| index.symbol(*place).is_some_and(|symbol| symbol.kind == kind));
        of_kind && args.path.as_ref().is_none_or(|part| index.path(place.file).contains(part.as_str()))
    };
    answer::with_part(index, &args.name).into_iter().filter(wanted).collect()
}
