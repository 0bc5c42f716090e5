//! `sprag code search`: definitions of a name with callers, then lines of code with the text, each in its symbol.

use super::{caller_json, open, symbol_json};
use anyhow::Context as _;
use regex::RegexBuilder;
use serde_json::{Value, json};
use sprag_code::answer::{self, About, Wanted};
use sprag_code::graph::Graph;
use sprag_config::host::Host;
use sprag_terminal::{Out, Problem, Tone};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct SearchArgs {
    /// A name, or any text
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
        out.json(&json!({"definitions": found, "matches": lines, "left_out": more}));
        return Ok(ExitCode::SUCCESS);
    }
    out.raw(&answer::text(&found, 20, 20));
    for line in &lines {
        let within = if line.within.is_empty() { String::new() } else { format!(" [{}]", line.within) };
        let within = out.paint(Tone::Dim, &within);
        out.line(&format!("{}:{}{within} {}", line.file, line.line, line.text));
    }
    if more > 0 {
        out.note(&format!("{more} more lines; `--limit 0` shows all"));
    } else if lines.is_empty() && found.is_empty() {
        out.note("Nothing has it.");
    }
    Ok(ExitCode::SUCCESS)
}
