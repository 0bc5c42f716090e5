//! `sprag code map`: the most important files and symbols of a project within a budget of tokens.

use super::{open, symbol_json};
use serde_json::{Value, json};
use sprag_code::index::{Index, SymbolId};
use sprag_code::map;
use sprag_code::search_context;
use sprag_config::host::Host;
use sprag_runtime::session::Session;
use sprag_terminal::Out;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct MapArgs {
    /// The most tokens of the map
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(100..=100_000))]
    tokens: u64,
    /// A file that you work on: what it uses comes first. Inside an agent, the files of its session are added
    #[arg(long, value_name = "FILE")]
    near: Vec<PathBuf>,
    /// A folder of the project; default: here
    #[arg(long)]
    project: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Files that are listed in JSON, and symbols of each.
const FILES: usize = 50;
const SYMBOLS: usize = 10;

pub(crate) fn run(args: &MapArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let index = open(host, args.project.as_ref())?;
    let mut near: Vec<String> = args.near.iter().filter_map(|file| from_root(&index, file)).collect();
    near.extend(of_session(host, &index));
    near.sort_unstable();
    near.dedup();
    let map = map::rank(&index, &near);
    let told = map.text(&index, args.tokens);
    if args.json {
        let files: Vec<Value> = map
            .files
            .iter()
            .take(FILES)
            .map(|of| {
                let symbols: Vec<Value> = of
                    .symbols
                    .iter()
                    .take(SYMBOLS)
                    .map(|(symbol, _)| symbol_json(&index, SymbolId { file: of.file, symbol: *symbol }))
                    .collect();
                json!({"file": index.path(of.file), "score": of.score, "symbols": symbols})
            })
            .collect();
        out.json(&json!({
            "files": map.files.len(),
            "symbols": map.symbols,
            "lines": map.lines,
            "tokens": told.tokens,
            "complete": map.unread == 0,
            "near": near,
            "text": told.text,
            "ranked": files,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    out.raw(&told.text);
    Ok(ExitCode::SUCCESS)
}

/// The files that the session around this command edited or searched for.
fn of_session(host: &Host, index: &Index) -> Vec<String> {
    let Some(id) = host.env.get("SPRAG_SESSION_ID") else { return Vec::new() };
    let session = Session::new(&host.paths, &id);
    let edited = session.read(sprag_checks::place::EDITS);
    let edited = edited.lines().filter_map(|path| from_root(index, Path::new(path)));
    let searched = session.read(search_context::FILE);
    let searched = search_context::files(&searched);
    edited.chain(searched).collect()
}

/// A file as the index names it.
fn from_root(index: &Index, file: &Path) -> Option<String> {
    let here = std::path::absolute(file).ok()?.canonicalize().ok()?;
    let root = index.root().canonicalize().ok()?;
    Some(here.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/"))
}
