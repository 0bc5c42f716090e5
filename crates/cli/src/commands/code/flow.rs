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
    /// The file, or FILE:FUNCTION
    file: PathBuf,
    /// The function: `pay`, `Cart.pay`, or a line inside of it
    function: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct SliceArgs {
    /// The file, or FILE:LINE
    file: PathBuf,
    /// The line
    line: Option<u32>,
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
    let (file, function) = place(&args.file, args.function.clone(), "FUNCTION")?;
    let parsed = read(&file)?;
    let found = find(&parsed, &file, &function)?;
    if args.json {
        out.json(&told(&parsed, &file, found.analysis.cfg_json(&parsed.source, found.func, &found.name)));
    } else {
        out.raw(&found.analysis.cfg_text(&parsed.source, found.func, &found.name));
        notes(&parsed, out);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn dfg(args: &FunctionArgs, out: &Out) -> anyhow::Result<ExitCode> {
    let (file, function) = place(&args.file, args.function.clone(), "FUNCTION")?;
    let parsed = read(&file)?;
    let found = find(&parsed, &file, &function)?;
    if args.json {
        out.json(&told(&parsed, &file, found.analysis.dfg_json(found.func, &found.name)));
    } else {
        out.raw(&found.analysis.dfg_text(found.func, &found.name));
        notes(&parsed, out);
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn slice(args: &SliceArgs, out: &Out) -> anyhow::Result<ExitCode> {
    let (file, line) = place(&args.file, args.line.map(|line| line.to_string()), "LINE")?;
    let line: u32 = line.parse().map_err(|_| {
        anyhow::anyhow!(Problem::new(format!("`{line}` is no line"), "sprag code slice src/cart.py 13"))
    })?;
    let parsed = read(&file)?;
    let shown = file.display();
    let direction = if args.forward { Direction::Forward } else { Direction::Backward };
    let path = std::path::absolute(&file).unwrap_or_else(|_| file.clone());
    let project = flow::Project::new(&path);
    let found = flow::around(&parsed, line, Some(&project)).map_err(|error| {
        anyhow::anyhow!(Problem::new(
            format!("{shown}: {error}"),
            format!("`sprag code outline {shown}` shows what is where")
        ))
    })?;
    let lines = found.analysis.slice(line, args.var.as_deref(), direction).map_err(|error| {
        anyhow::anyhow!(Problem::new(
            format!("{shown}: {error}"),
            "name a line with a statement and a variable of it"
        ))
    })?;
    if args.json {
        let value = json!({
            "function": found.name,
            "line": line,
            "var": args.var,
            "direction": if args.forward { "forward" } else { "backward" },
            "count": lines.len(),
            "lines": lines,
            "complete": found.analysis.is_complete(),
            "notes": found.analysis.unit.notes,
        });
        out.json(&told(&parsed, &file, value));
    } else {
        out.raw(&found.analysis.slice_text(&parsed.source, &found.name, &lines, line, direction));
        notes(&parsed, out);
    }
    Ok(ExitCode::SUCCESS)
}

/// A file and what is meant in it, as two words or as `FILE:WHAT`, which `calls` and `impact` take too.
fn place(file: &Path, what: Option<String>, name: &str) -> anyhow::Result<(PathBuf, String)> {
    if let Some(what) = what {
        return Ok((file.to_path_buf(), what));
    }
    let text = file.to_string_lossy();
    match text.rsplit_once(':').filter(|(file, what)| !file.is_empty() && !what.is_empty()) {
        Some((file, what)) => Ok((PathBuf::from(file), what.to_owned())),
        None => bail!(Problem::new(
            format!("{text}: which {}?", name.to_ascii_lowercase()),
            format!("write {text} {name}, or {text}:{name}")
        )),
    }
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
