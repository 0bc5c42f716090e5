//! `sprag code search`: definitions of a name with callers, then lines of code with the text, each in its symbol.

use super::{caller_json, open, symbol_json};
use anyhow::Context as _;
use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};
use sprag_code::answer::{self, About, Wanted};
use sprag_code::graph::Graph;
use sprag_code::index::Index;
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

/// A line with the text.
struct Hit {
    file: String,
    line: u32,
    within: String,
    text: String,
}

/// The most bytes of a file that are searched, and of a line that is shown.
const LARGEST: u64 = 8 << 20;
const SHOWN: usize = 160;

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
    let (lines, more) = lines(&index, &pattern, most);
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

/// Lines that match, in the order of files, and how many more there are.
fn lines(index: &Index, pattern: &Regex, most: usize) -> (Vec<Hit>, usize) {
    let mut files: Vec<u32> = index.files().collect();
    files.sort_by(|a, b| index.path(*a).cmp(index.path(*b)));
    let mut found = Vec::new();
    let mut more = 0;
    for file in files {
        let path = index.root().join(index.path(file));
        let Ok(Some(bytes)) = sprag_base::files::read_limited(&path, LARGEST) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        if !pattern.is_match(&text) {
            continue;
        }
        let facts = index.facts(file);
        for (number, line) in text.lines().enumerate().filter(|(_, line)| pattern.is_match(line)) {
            if found.len() >= most {
                more += 1;
                continue;
            }
            let number = number as u32 + 1;
            let within = facts.as_ref().and_then(|facts| Some(facts.path(facts.at_line(number)?)));
            found.push(Hit {
                file: index.path(file).to_owned(),
                line: number,
                within: within.unwrap_or_default(),
                text: line.trim().chars().take(SHOWN).collect(),
            });
        }
    }
    (found, more)
}
