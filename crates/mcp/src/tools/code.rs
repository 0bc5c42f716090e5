//! Source code: outlines, the map, definitions, calls, slices. Only files of the project are read, and none that hold secrets.

use super::{Call, ToolResult, members};
use crate::error::ToolError;
use crate::page::{MAX_TOKENS, page};
use serde_json::{Value, json};
use sprag_base::files;
use sprag_code::answer::{self, Caller, caller};
use sprag_code::facts_cache::FactsCache;
use sprag_code::flow::{self, Direction};
use sprag_code::graph::Graph;
use sprag_code::index::{Index, SymbolId};
use sprag_code::map;
use sprag_code::outline;
use sprag_code::parse::{self, Limits};
use sprag_code::tokens;
use sprag_project::Project;
use std::path::PathBuf;

/// The most bytes of a file that are read.
const LARGEST: u64 = 64 << 20;

/// A file of the project, by its path from the root or from the disk's, and its bytes.
fn source(call: &Call<'_>, project: &Project) -> Result<(PathBuf, Vec<u8>), ToolError> {
    let named = call.arguments.text("file")?;
    let path = project.root.join(named);
    let missing = || {
        ToolError::new(
            format!("{named} is no file of this project"),
            "Give its path from the project's root.",
        )
    };
    // Links are followed before the question where it is: one may lead out.
    let real = path.canonicalize().map_err(|_| missing())?;
    let root = project.root.canonicalize().unwrap_or_else(|_| project.root.clone());
    if !real.starts_with(&root) {
        return Err(ToolError::new(
            format!("{named} is outside of the project"),
            "Give a file below its root.",
        ));
    }
    let context = sprag_guard::shell::context_at(&root.to_string_lossy(), &call.host.paths.home, project);
    if let Some(kind) = sprag_shell::sensitive_path(&real.to_string_lossy(), &context) {
        return Err(ToolError::new(
            format!("{named} is not read: {}", kind.reason),
            "Work without its content, or ask the user for what you need of it.",
        ));
    }
    let bytes = files::read_limited(&real, LARGEST)?.ok_or_else(missing)?;
    Ok((real, bytes))
}

fn index(call: &Call<'_>, project: &Project) -> Result<Index, ToolError> {
    let failed = "Use your own search instead, and tell the user to run `sprag doctor`.";
    sprag_worker::open_index(call.host, project)
        .map_err(|error| ToolError::from(error).hint(failed))?
        .ok_or_else(|| ToolError::new("the index of this project cannot be made", failed))
}

pub(crate) fn outline(call: &Call<'_>) -> ToolResult {
    let project = call.project()?;
    let (path, bytes) = source(call, &project)?;
    let cache = FactsCache { state: &call.host.paths.state, root: &project.root };
    let known = cache
        .facts(&path, &bytes, Limits::PATIENT)
        .map_err(|error| ToolError::new(format!("no outline: {error}"), "Read the file instead."))?;
    let budget = call.arguments.number("tokens", 2_000, MAX_TOKENS)?;
    let outline = outline::within(&known.facts, known.language, budget.max(100));
    Ok(members(json!({
        "language": known.language.name(), "lines": known.facts.lines,
        "tokens_of_file": tokens::estimate(&known.source.text), "outline": outline.text,
        "left_out": Some(outline.left_out).filter(|count| *count > 0),
    })))
}

pub(crate) fn map(call: &Call<'_>) -> ToolResult {
    let project = call.project()?;
    let near = call.arguments.texts("near")?;
    let budget = call.arguments.number("tokens", 2_000, MAX_TOKENS)?;
    let index = index(call, &project)?;
    let map = map::rank(&index, &near);
    let told = map.text(&index, budget.max(100));
    Ok(members(json!({"map": told.text, "files": map.files.len()})))
}

pub(crate) fn find(call: &Call<'_>) -> ToolResult {
    const MAX_DEFINITIONS: usize = 20;
    const MAX_CALLERS: usize = 10;
    const MAX_LINES: usize = 1_000;
    const PAGE: u64 = 30;
    let project = call.project()?;
    let text = call.arguments.text("text")?;
    let offset = call.arguments.number("offset", 0, MAX_LINES as u64)?;
    let index = index(call, &project)?;
    let (found, _) = answer::lines(&index, &|line| line.contains(text), MAX_LINES);
    let lines: Vec<Value> = found
        .iter()
        .map(|line| {
            let within = if line.within.is_empty() { String::new() } else { format!(" [{}]", line.within) };
            json!(format!("{}:{}{within} {}", line.file, line.line, line.text))
        })
        .collect();
    let mut answer = page("lines", lines, offset, PAGE);
    let mut definitions = Vec::new();
    if offset == 0 {
        let graph = Graph::new(&index);
        let exact = answer::find(&index, text);
        let places = exact.unwrap_or_else(|_| answer::with_part(&index, text));
        let abouts = places.iter().take(MAX_DEFINITIONS).filter_map(|id| answer::about(&index, &graph, *id));
        definitions = abouts
            .map(|about| {
                let callers: Vec<String> = about.callers.iter().take(MAX_CALLERS).map(Caller::told).collect();
                let more = about.callers.len().saturating_sub(MAX_CALLERS);
                json!({"symbol": about.headline(), "callers": callers, "more": Some(more).filter(|more| *more > 0)})
            })
            .collect();
        if places.len() > MAX_DEFINITIONS {
            answer.insert("more_definitions".to_owned(), json!(places.len() - MAX_DEFINITIONS));
        }
    }
    answer.insert("definitions".to_owned(), Value::Array(definitions));
    Ok(answer)
}

pub(crate) fn calls(call: &Call<'_>) -> ToolResult {
    const PAGE: u64 = 10;
    let project = call.project()?;
    let symbol = call.arguments.text("symbol")?;
    let depth = call.arguments.number("depth", 1, 10)? as usize;
    let offset = call.arguments.number("offset", 0, 100_000)?;
    let index = index(call, &project)?;
    let graph = Graph::new(&index);
    let places = answer::find(&index, symbol).map_err(|near| {
        let hint = if near.is_empty() {
            "code_find searches names and lines.".to_owned()
        } else {
            format!("Near it: {}.", near.join(", "))
        };
        ToolError::new(format!("there is no symbol `{symbol}`"), hint)
    })?;
    // Only the definitions of this page are followed.
    let shown: Vec<Value> = places
        .iter()
        .enumerate()
        .map(|(at, place)| {
            let here = (offset..offset + PAGE).contains(&(at as u64));
            if here { one_symbol(&index, &graph, *place, depth) } else { Value::Null }
        })
        .collect();
    let mut answer = page("symbols", shown, offset, PAGE);
    if graph.left_out() > 0 {
        let note = format!("calls through values of {} more files are not known yet", graph.left_out());
        answer.insert("incomplete".to_owned(), json!(note));
    }
    Ok(answer)
}

fn one_symbol(index: &Index, graph: &Graph<'_>, place: SymbolId, depth: usize) -> Value {
    const MAX_CALLS: usize = 100;
    let Some(about) = answer::about(index, graph, place) else { return Value::Null };
    if depth > 1 {
        let impact = graph.impact(place, depth, MAX_CALLS, false);
        let reached: Vec<String> = impact
            .reached
            .iter()
            .map(|(distance, edge)| format!("{distance} {}", caller(index, edge).told()))
            .collect();
        return json!({
            "symbol": about.headline(), "reached": reached, "files": impact.files,
            "more": Some(impact.more).filter(|more| *more > 0),
            "goes_on": Some(impact.beyond).filter(|beyond| *beyond),
        });
    }
    let callees = graph.callees(place);
    let callees: Vec<String> = callees
        .iter()
        .take(MAX_CALLS)
        .map(|edge| {
            let path = index.facts(edge.to.file).map(|facts| facts.path(edge.to.symbol)).unwrap_or_default();
            let line = index.symbol(edge.to).map_or(0, |symbol| symbol.line);
            format!("{}:{line} {path}{}", index.path(edge.to.file), edge.how.mark())
        })
        .collect();
    let callers: Vec<String> = about.callers.iter().take(MAX_CALLS).map(Caller::told).collect();
    let more = about.callers.len().saturating_sub(MAX_CALLS);
    json!({
        "symbol": about.headline(), "callers": callers, "callees": callees,
        "more": Some(more).filter(|more| *more > 0),
    })
}

pub(crate) fn slice(call: &Call<'_>) -> ToolResult {
    let project = call.project()?;
    let line = call.arguments.number("line", 0, u64::from(u32::MAX))? as u32;
    let direction = if call.arguments.flag("forward")? { Direction::Forward } else { Direction::Backward };
    let (path, bytes) = source(call, &project)?;
    let read_it = "Read the function instead.";
    let parsed = parse::file(&path, &bytes, Limits::PATIENT)
        .map_err(|error| ToolError::new(format!("no slice: {error}"), read_it))?;
    if !flow::is_supported(parsed.language) {
        return Err(ToolError::new(
            format!("data flow is not known for {}", parsed.language.name()),
            read_it,
        ));
    }
    let around = flow::Project::new(&path);
    let found = flow::around(&parsed, line, Some(&around))
        .map_err(|error| ToolError::new(error, "code_outline shows which lines are functions."))?;
    let lines = found
        .analysis
        .slice(line, call.arguments.given("var")?, direction)
        .map_err(|error| ToolError::new(error, "Name a line with a statement and a variable of it."))?;
    let code = found.analysis.slice_text(&parsed.source, &found.name, &lines, line, direction);
    Ok(members(json!({"function": found.name, "code": code, "lines": lines})))
}
