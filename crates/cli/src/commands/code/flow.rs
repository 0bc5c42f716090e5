//! `sprag code cfg|dfg|slice`: control flow, data flow, what a line depends on.

use anyhow::bail;
use serde_json::{Value, json};
use sprag_code::flow::{self, Direction, FunctionAnalysis};
use sprag_code::parse::{self, Limits, Parsed};
use sprag_terminal::{Out, Problem};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct FunctionArgs {
    /// The file
    file: PathBuf,
    /// The function: `pay`, `Cart.pay`, or a line inside of it
    function: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct SliceArgs {
    /// The file
    file: PathBuf,
    /// The line
    line: u32,
    /// Only what this variable of the line has to do with
    #[arg(long)]
    var: Option<String>,
    /// What the line depends on (this is the default)
    #[arg(long, conflicts_with = "forward")]
    backward: bool,
    /// What depends on the line
    #[arg(long)]
    forward: bool,
    /// Print JSON: the numbers of the lines
    #[arg(long)]
    json: bool,
}

pub(crate) fn cfg(args: &FunctionArgs, out: &Out) -> anyhow::Result<ExitCode> {
    let parsed = read(&args.file)?;
    let found = find(&parsed, &args.file, &args.function)?;
    if args.json {
        out.json(&told(
            &parsed,
            &args.file,
            found.analysis.cfg_json(&parsed.source, found.func, &found.name),
        ));
    } else {
        out.raw(&found.analysis.cfg_text(&parsed.source, found.func, &found.name));
        notes(&parsed, out);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn dfg(args: &FunctionArgs, out: &Out) -> anyhow::Result<ExitCode> {
    let parsed = read(&args.file)?;
    let found = find(&parsed, &args.file, &args.function)?;
    if args.json {
        out.json(&told(&parsed, &args.file, found.analysis.dfg_json(found.func, &found.name)));
    } else {
        out.raw(&found.analysis.dfg_text(found.func, &found.name));
        notes(&parsed, out);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn slice(args: &SliceArgs, out: &Out) -> anyhow::Result<ExitCode> {
    let parsed = read(&args.file)?;
    let shown = args.file.display();
    let direction = if args.forward { Direction::Forward } else { Direction::Backward };
    let found = flow::around(&parsed, args.line).map_err(|error| {
        anyhow::anyhow!(Problem::new(
            format!("{shown}: {error}"),
            format!("`sprag code outline {shown}` shows what is where")
        ))
    })?;
    let lines = found.analysis.slice(args.line, args.var.as_deref(), direction).map_err(|error| {
        anyhow::anyhow!(Problem::new(
            format!("{shown}: {error}"),
            "name a line with a statement and a variable of it"
        ))
    })?;
    if args.json {
        let value = json!({
            "function": found.name,
            "line": args.line,
            "var": args.var,
            "direction": if args.forward { "forward" } else { "backward" },
            "count": lines.len(),
            "lines": lines,
            "complete": found.analysis.is_complete(),
            "notes": found.analysis.unit.notes,
        });
        out.json(&told(&parsed, &args.file, value));
    } else {
        out.raw(&found.analysis.slice_text(&parsed.source, &found.name, &lines, args.line, direction));
        notes(&parsed, out);
    }
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> anyhow::Result<Parsed> {
    let shown = file.display();
    let bytes = super::source_of(file)?;
    match parse::file(file, &bytes, Limits::PATIENT) {
        Ok(parsed) if flow::is_supported(parsed.language) => Ok(parsed),
        Ok(parsed) => {
            bail!(Problem::new(
                format!("{shown}: control flow and data flow are not known for {}", parsed.language.name()),
                format!("languages: {}", languages())
            ))
        }
        Err(error) => bail!(Problem::new(
            format!("{shown} has no flow: {error}"),
            format!("languages: {}", languages())
        )),
    }
}

fn languages() -> String {
    let rows = sprag_code::language::TABLE.iter().filter(|row| flow::is_supported(row.language));
    rows.map(|row| row.name).collect::<Vec<_>>().join(", ")
}

fn find(parsed: &Parsed, file: &Path, name: &str) -> anyhow::Result<FunctionAnalysis> {
    flow::function(parsed, name).map_err(|error| {
        let shown = file.display();
        anyhow::anyhow!(Problem::new(
            format!("{shown}: {error}"),
            format!("`sprag code outline {shown}` shows its functions")
        ))
    })
}

/// What is said about the file as a whole: that it was cut, that its bytes are odd.
fn notes(parsed: &Parsed, out: &Out) {
    for note in &parsed.source.notes {
        out.line(&format!("note: {note}"));
    }
}

/// JSON with the file, and with its notes among the others.
fn told(parsed: &Parsed, file: &Path, mut value: Value) -> Value {
    if let Some(map) = value.as_object_mut() {
        map.insert("file".to_owned(), json!(file.display().to_string()));
        map.insert("language".to_owned(), json!(parsed.language.name()));
        if !parsed.source.notes.is_empty() {
            map.insert("complete".to_owned(), json!(false));
            if let Some(Value::Array(notes)) = map.get_mut("notes") {
                notes.extend(parsed.source.notes.iter().map(|note| json!(note)));
            }
        }
    }
    value
}
