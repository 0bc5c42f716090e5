//! `sprag code search`: definitions of a name with callers, or for several words the symbols that they may mean; then lines of code with
//! the text, each in its symbol.

use super::{caller_json, open, symbol_json};
use anyhow::Context as _;
use regex::RegexBuilder;
use serde_json::{Value, json};
use sprag_code::answer::{self, About, Wanted};
use sprag_code::graph::Graph;
use sprag_code::index::Index;
use sprag_config::host::Host;
use sprag_runtime::job::code_index;
use sprag_runtime::queue;
use sprag_terminal::{Out, Problem, Tone};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct SearchArgs {
    /// A name, any text, or a question in words
    text: String,
    /// The text is a regular expression
    #[arg(long)]
    regex: bool,
    /// The most lines that are shown; 0 for all
    #[arg(long, default_value_t = 30)]
    limit: usize,
    /// A folder of the project; default: here
    #[arg(long)]
    project: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Symbols that a question may mean.
const MEANT: usize = 8;

pub(crate) fn run(args: &SearchArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let pattern = if args.regex { args.text.clone() } else { regex::escape(&args.text) };
    let pattern = RegexBuilder::new(&pattern).size_limit(8 << 20).build().with_context(|| {
        Problem::new(
            format!("invalid regular expression `{}`", args.text),
            "leave `--regex` away to search for the text itself",
        )
    })?;
    let index = open(host, args.project.as_ref())?;
    let graph = Graph::new(&index);
    let places = if args.regex { Vec::new() } else { Wanted::new(&args.text).find(&index) };
    let found: Vec<About> = places.iter().filter_map(|place| answer::about(&index, &graph, *place)).collect();
    let most = if args.limit == 0 { usize::MAX } else { args.limit };
    let asks = !args.regex && found.is_empty() && sprag_codesearch::words::of(&args.text).len() > 1;
    let meant = if asks {
        sprag_codesearch::search(&index, &host.paths.state, &args.text, MEANT)
    } else {
        sprag_codesearch::Answer::default()
    };
    if meant.without_meaning > 0
        && let Some(job) =
            code_index(&crate::commands::project_at(host, args.project.as_deref()), &host.paths.home)
    {
        let _ = queue::push(&host.paths, &job, host.clock.now());
    }
    let (lines, more) = answer::lines(&index, &|text| pattern.is_match(text), most);
    if args.json {
        let found: Vec<Value> = found
            .iter()
            .map(|about| {
                let callers: Vec<Value> = about.callers.iter().map(caller_json).collect();
                json!({"symbol": symbol_json(&index, about.id), "callers": callers})
            })
            .collect();
        let lines: Vec<Value> = lines
            .iter()
            .map(|line| json!({"file": line.file, "line": line.line, "in": line.within, "text": line.text}))
            .collect();
        let by_meaning: Vec<Value> = meant
            .found
            .iter()
            .map(|found| json!({"score": found.score, "symbol": symbol_json(&index, found.id)}))
            .collect();
        out.json(&json!({
            "definitions": found,
            "meant": by_meaning,
            "meant_by_words_only": meant.without_meaning,
            "matches": lines,
            "left_out": more,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    out.raw(&answer::text(&found, 20, 20));
    tell_meant(&index, &meant, out);
    for line in &lines {
        let within = if line.within.is_empty() { String::new() } else { format!(" [{}]", line.within) };
        let within = out.paint(Tone::Dim, &within);
        out.line(&format!("{}:{}{within} {}", line.file, line.line, line.text));
    }
    if more > 0 {
        out.note(&format!("{more} more lines; `--limit 0` shows all"));
    } else if lines.is_empty() && found.is_empty() && meant.found.is_empty() {
        out.note("Nothing has it.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Symbols that a question may mean, the best first.
fn tell_meant(index: &Index, meant: &sprag_codesearch::Answer, out: &Out) {
    for found in &meant.found {
        let Some(symbol) = index.symbol(found.id) else { continue };
        let lines = if symbol.line == symbol.end_line {
            symbol.line.to_string()
        } else {
            format!("{}-{}", symbol.line, symbol.end_line)
        };
        let doc = if symbol.doc.is_empty() { String::new() } else { format!("  # {}", symbol.doc) };
        let head = out.paint(Tone::Strong, &symbol.signature);
        out.line(&format!("{}:{lines} {head}{}", index.path(found.id.file), out.paint(Tone::Dim, &doc)));
    }
    if meant.without_meaning > 0 && !meant.found.is_empty() {
        out.note(&format!(
            "{} of {} symbols were searched by their words alone; the background is reading their meaning.",
            meant.without_meaning, meant.symbols
        ));
    }
}
