//! `sprag code impact`: callers of a symbol, callers of these, breadth first.

use super::left_out::LeftOut;
use super::{caller_json, find, mark, open, symbol_json, tell_unread};
use serde_json::{Value, json};
use sprag_code::answer::caller;
use sprag_code::graph::Graph;
use sprag_config::host::Host;
use sprag_terminal::{Out, Tone};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct ImpactArgs {
    /// A symbol: `pay`, `Cart.pay`, `src/cart.py:pay`
    symbol: String,
    /// How many steps away
    #[arg(long, default_value_t = 3)]
    depth: usize,
    /// The most callers that are shown
    #[arg(long, default_value_t = 200)]
    limit: usize,
    /// Follow calls that only the name links, too
    #[arg(long)]
    by_name: bool,
    /// A folder of the project; default: here
    #[arg(long)]
    project: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The most definitions of one name that are followed.
const DEFINITIONS: usize = 20;

pub(crate) fn run(args: &ImpactArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let index = open(host, args.project.as_ref())?;
    let graph = Graph::new(&index);
    let mut all = Vec::new();
    let found = find(&index, &args.symbol)?;
    let (found, left_out) = LeftOut::cut(&index, &found, DEFINITIONS);
    for place in found.iter().copied() {
        let impact = graph.impact(place, args.depth, args.limit, args.by_name);
        if args.json {
            let reached: Vec<Value> = impact
                .reached
                .iter()
                .map(|(distance, edge)| {
                    let mut value = caller_json(&caller(&index, edge));
                    if let Some(map) = value.as_object_mut() {
                        map.insert("distance".to_owned(), json!(distance));
                    }
                    value
                })
                .collect();
            all.push(json!({
                "symbol": symbol_json(&index, place),
                "files": impact.files,
                "left_out": impact.more,
                "by_name": impact.by_name,
                "goes_on": impact.beyond,
                "callers": reached,
            }));
            continue;
        }
        let Some(symbol) = index.symbol(place) else { continue };
        let head = out.paint(Tone::Strong, &symbol.signature);
        out.line(&format!("{}:{} {head}", index.path(place.file), symbol.line));
        for (distance, edge) in &impact.reached {
            let caller = caller(&index, edge);
            let mark = mark(caller.how);
            out.line(&format!(
                "{}{}:{} {}{mark}",
                "  ".repeat(*distance),
                caller.file,
                caller.line,
                caller.path
            ));
        }
        let more = if impact.more > 0 { format!(", {} more not shown", impact.more) } else { String::new() };
        let beyond = if impact.beyond { "; there are callers further away (`--depth`)" } else { "" };
        out.line(&format!("  {} callers in {} files{more}{beyond}", impact.reached.len(), impact.files));
        if impact.by_name > 0 {
            let count = impact.by_name;
            out.line(&format!("  {count} calls of the same name are not counted; `--by-name` follows them"));
        }
    }
    if args.json {
        out.json(&json!({ "symbols": all, "left_out": left_out.json() }));
    } else {
        left_out.tell(&format!("`sprag code impact FILE:{}` asks about one", args.symbol), out);
        tell_unread(&graph, out);
    }
    Ok(ExitCode::SUCCESS)
}
