//! `sprag code`: outlines, calls, flow and search. Each subcommand has its own file; what they say comes from `sprag-code`.

mod calls;
mod flow;
mod impact;
mod index;
mod left_out;
mod map;
mod outline;
mod search;
mod symbols;

use anyhow::Context as _;
use clap::Subcommand;
use serde_json::{Value, json};
use sprag_code::answer::{self, Caller};
use sprag_code::facts::{Facts, Symbol};
use sprag_code::graph::{Certainty, Graph};
use sprag_code::index::{Index, SymbolId};
use sprag_config::host::Host;
use sprag_runtime::queue;
use sprag_terminal::{Out, Problem};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct CodeArgs {
    #[command(subcommand)]
    command: CodeCommand,
}

#[derive(Subcommand)]
enum CodeCommand {
    /// The outline of one file: symbols with heads and lines, instead of the text
    #[command(
        after_help = "Examples:\n  sprag code outline src/cart.py\n  sprag code outline src/cart.py --budget 300\n  sprag code outline src/cart.py --json"
    )]
    Outline(outline::OutlineArgs),
    /// Who calls a symbol, and what it calls
    #[command(
        after_help = "Examples:\n  sprag code calls Cart.pay\n  sprag code calls src/cart.py:pay\n  sprag code calls src/cart.py      every call of the file\n\nA `?` marks what only the name says."
    )]
    Calls(calls::CallsArgs),
    /// What a change of a symbol may touch: its callers, their callers, and so on
    #[command(
        after_help = "Examples:\n  sprag code impact Cart.pay\n  sprag code impact Cart.pay --depth 5 --json"
    )]
    Impact(impact::ImpactArgs),
    /// The most important files and symbols of the project, within a budget of tokens
    #[command(
        after_help = "Examples:\n  sprag code map\n  sprag code map --tokens 1000\n  sprag code map --near src/cart.py      what this file uses comes first\n\nFiles are ranked by who calls and imports them."
    )]
    Map(map::MapArgs),
    /// Control flow of a function: blocks, branches, loops, ends, errors, complexity
    #[command(
        after_help = "Examples:\n  sprag code cfg src/cart.py pay\n  sprag code cfg src/cart.py Cart.pay --json\n  sprag code cfg src/cart.py 120        the function at line 120\n\nA block is named by its first line: `14 if x: yes→15 no→20`."
    )]
    Cfg(flow::FunctionArgs),
    /// Data flow of a function: one line for each variable
    #[command(
        after_help = "Examples:\n  sprag code dfg src/cart.py Cart.pay\n\n`total: 3→5,9 5*→9` says: what line 3 puts into total is used in 5 and 9; line 5 changes it (`*`; `?` perhaps)."
    )]
    Dfg(flow::FunctionArgs),
    /// What a line depends on, or what depends on it: the code of those lines
    #[command(
        after_help = "Examples:\n  sprag code slice src/cart.py 120\n  sprag code slice src/cart.py 120 --var total\n  sprag code slice src/cart.py 98 --forward --json"
    )]
    Slice(flow::SliceArgs),
    /// Definitions of a name with their callers, functions that a question means, and lines that have a text
    #[command(
        after_help = "Examples:\n  sprag code search pay\n  sprag code search 'how are redirects checked'\n  sprag code search 'retry after'\n  sprag code search --regex 'fn \\w+_all'"
    )]
    Search(search::SearchArgs),
    /// Symbols by name
    #[command(
        after_help = "Examples:\n  sprag code symbols pay        every symbol with `pay` in its name\n  sprag code symbols --kind class --limit 0\n  sprag code symbols '' --path src/shop"
    )]
    Symbols(symbols::SymbolsArgs),
    /// Make or refresh the index of the project (questions refresh it too)
    #[command(after_help = "Examples:\n  sprag code index\n  sprag code index ~/work/shop --json")]
    Index(index::IndexArgs),
}

pub(crate) fn run(args: &CodeArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let done = match &args.command {
        CodeCommand::Outline(args) => outline::run(args, host, out),
        CodeCommand::Calls(args) => calls::run(args, host, out),
        CodeCommand::Impact(args) => impact::run(args, host, out),
        CodeCommand::Map(args) => map::run(args, host, out),
        CodeCommand::Cfg(args) => flow::cfg(args, out),
        CodeCommand::Dfg(args) => flow::dfg(args, out),
        CodeCommand::Slice(args) => flow::slice(args, out),
        CodeCommand::Search(args) => search::run(args, host, out),
        CodeCommand::Symbols(args) => symbols::run(args, host, out),
        CodeCommand::Index(args) => index::run(args, host, out),
    };
    // What `open` queued waits until the answer is there: both want the processor.
    if queue::has_due(&host.paths, host.clock.now()) {
        queue::wake(host);
    }
    done
}

/// The index of the project around a folder, as it is now.
fn open(host: &Host, project: Option<&PathBuf>) -> anyhow::Result<Index> {
    let project = super::project_at(host, project.map(PathBuf::as_path));
    sprag_worker::open_index(host, &project)
        .with_context(|| {
            Problem::new(
                format!("the index of {} cannot be read or written", project.root.display()),
                "`sprag doctor` looks at the state folder",
            )
        })?
        .with_context(|| {
            Problem::new(
                format!("the index of {} cannot be made", project.root.display()),
                "is there room in the state folder?",
            )
        })
}

/// The symbols that a person means, or what to do.
fn find(index: &Index, text: &str) -> anyhow::Result<Vec<SymbolId>> {
    let near = match answer::find(index, text) {
        Ok(found) => return Ok(found),
        Err(near) => near,
    };
    if near.is_empty() {
        anyhow::bail!(Problem::new(
            format!("no symbol `{text}` in {}", index.root().display()),
            "`sprag code symbols` lists them"
        ));
    }
    anyhow::bail!(Problem::new(
        format!("no symbol `{text}` in {}", index.root().display()),
        format!("near it: {}", near.join(", "))
    ));
}

/// A symbol as JSON: scalars first.
fn symbol_json(index: &Index, place: SymbolId) -> Value {
    let Some(facts) = index.facts(place.file) else { return Value::Null };
    let Some(symbol) = facts.symbol(place.symbol) else { return Value::Null };
    json!({
        "name": symbol.name,
        "kind": symbol.kind.name(),
        "line": symbol.line,
        "end_line": symbol.end_line,
        "file": index.path(place.file),
        "path": facts.path(place.symbol),
        "container": symbol.container,
        "signature": symbol.signature,
        "doc": symbol.doc,
    })
}

/// How sure a link is, behind a line.
fn mark(how: Certainty) -> String {
    let space = if how == Certainty::Resolved { "" } else { " " };
    format!("{space}{}", how.mark())
}

/// Says that there are files whose values were not followed.
fn tell_unread(graph: &Graph<'_>, out: &Out) {
    match graph.left_out() {
        0 => {}
        count => out.line(&format!(
            "Incomplete: calls through values of {count} more files are not known yet; `sprag code index` reads them."
        )),
    }
}

fn caller_json(caller: &Caller) -> Value {
    json!({"file": caller.file, "line": caller.line, "caller": caller.path, "how": caller.how.name()})
}

/// The most bytes of a file that are read.
const LARGEST: u64 = 64 << 20;

/// A file that was named.
fn source_of(file: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = file.display();
    sprag_base::files::read_limited(file, LARGEST)
        .with_context(|| {
            Problem::new(format!("{shown} cannot be read"), "check the path and its permissions")
        })?
        .with_context(|| Problem::new(format!("{shown} is no file, or is not there"), "name a file of code"))
}

/// One symbol of one file as JSON, with what is inside it last.
fn tree_json(facts: &Facts, symbol: &Symbol, number: u32) -> Value {
    let children: Vec<Value> = facts
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, child)| child.parent == Some(number))
        .map(|(number, child)| tree_json(facts, child, number as u32))
        .collect();
    json!({
        "name": symbol.name,
        "kind": symbol.kind.name(),
        "line": symbol.line,
        "end_line": symbol.end_line,
        "container": symbol.container,
        "signature": symbol.signature,
        "doc": symbol.doc,
        "bases": symbol.bases,
        "children": children,
    })
}
