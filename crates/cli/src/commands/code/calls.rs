//! `sprag code calls`: callers and callees of a symbol, or every call of a file.

use super::left_out::LeftOut;
use super::{caller_json, find, mark, open, symbol_json, tell_unread};
use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_code::answer::{Caller, caller};
use sprag_code::graph::{Edge, Graph};
use sprag_code::index::Index;
use sprag_config::host::Host;
use sprag_terminal::{Out, Problem, Tone};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct CallsArgs {
    /// A symbol (`pay`, `Cart.pay`, `src/cart.py:pay`, `src/cart.py:12`) or a file
    of: String,
    /// The most definitions that are shown, each with ten times as many callers; 0 for all
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// A folder of the project; default: here
    #[arg(long)]
    project: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &CallsArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let index = open(host, args.project.as_ref())?;
    let graph = Graph::new(&index);
    if let Some(file) = file(&index, &args.of) {
        return Ok(of_file(&index, &graph, file, args.json, out));
    }
    let mut all = Vec::new();
    let found = find(&index, &args.of)?;
    let (found, left_out) = LeftOut::cut(&index, &found, args.limit);
    for place in found.iter().copied() {
        let callers: Vec<Caller> = graph.callers(place).iter().map(|edge| caller(&index, edge)).collect();
        let callees = graph.callees(place);
        if args.json {
            let callees: Vec<Value> = callees.iter().map(|edge| callee_json(&index, edge)).collect();
            let callers: Vec<Value> = callers.iter().map(caller_json).collect();
            all.push(json!({"symbol": symbol_json(&index, place), "callers": callers, "callees": callees}));
            continue;
        }
        let symbol = index.symbol(place).context(Problem::new("the file changed meanwhile", "ask again"))?;
        let file = index.path(place.file);
        out.line(&format!("{}:{} {}", file, symbol.line, out.paint(Tone::Strong, &symbol.signature)));
        let most = if args.limit == 0 { usize::MAX } else { args.limit.saturating_mul(10) };
        for caller in callers.iter().take(most) {
            out.line(&format!(
                "  called by {}:{} {}{}",
                caller.file,
                caller.line,
                caller.path,
                mark(caller.how)
            ));
        }
        if callers.len() > most {
            out.line(&format!("  and {} more callers", callers.len() - most));
        }
        for edge in &callees {
            out.line(&format!("  calls {} (line {}){}", told(&index, edge), edge.line, mark(edge.how)));
        }
        if callers.is_empty() && callees.is_empty() {
            out.line("  no calls are known");
        }
    }
    if args.json {
        all.extend(left_out.json());
        out.json(&json!(all));
    } else {
        left_out
            .tell(&format!("`sprag code calls FILE:{}` asks about one; `--limit 0` shows all", args.of), out);
        tell_unread(&graph, out);
    }
    Ok(ExitCode::SUCCESS)
}

/// The file that is meant, from here or from the project's root.
fn file(index: &Index, text: &str) -> Option<u32> {
    let here = std::path::absolute(text).ok()?;
    let root = index.root().canonicalize().ok()?;
    let here = here.canonicalize().ok().and_then(|here| here.strip_prefix(&root).map(Path::to_path_buf).ok());
    let path = here.map_or_else(|| text.to_owned(), |path| path.to_string_lossy().replace('\\', "/"));
    index.number(&path)
}

fn of_file(index: &Index, graph: &Graph<'_>, file: u32, as_json: bool, out: &Out) -> ExitCode {
    let edges = graph.of_file(file);
    if as_json {
        let edges: Vec<Value> = edges.iter().map(|edge| callee_json(index, edge)).collect();
        out.json(&json!(edges));
        return ExitCode::SUCCESS;
    }
    for edge in &edges {
        let from = caller(index, edge).path;
        let from = if from.is_empty() { "(file)" } else { &from };
        out.line(&format!("{} {from} -> {}{}", edge.line, told(index, edge), mark(edge.how)));
    }
    tell_unread(graph, out);
    ExitCode::SUCCESS
}

/// What is called: `file:line path`.
fn told(index: &Index, edge: &Edge) -> String {
    let path = index.facts(edge.to.file).map(|facts| facts.path(edge.to.symbol)).unwrap_or_default();
    let line = index.symbol(edge.to).map_or(0, |symbol| symbol.line);
    format!("{path} {}:{line}", index.path(edge.to.file))
}

fn callee_json(index: &Index, edge: &Edge) -> Value {
    let from = caller(index, edge);
    json!({"line": edge.line, "caller": from.path, "how": edge.how.name(), "to": symbol_json(index, edge.to)})
}
