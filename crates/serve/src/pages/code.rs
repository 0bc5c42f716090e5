//! Code: a project's files by how much they are used, who calls a symbol and what it calls as a picture, and a function's flow.

use crate::app::Ask;
use crate::chart::{self, number};
use crate::drawing::{self, Link, Node, Step, Tile};
use crate::maps::{self, Drawn, Known};
use crate::view::{Screen, empty, encode, panel, tag_as, tile};
use maud::{Markup, html};
use serde_json::Value;
use sprag_base::files;
use sprag_base::text::cut;
use sprag_code::answer;
use sprag_code::flow::blocks::BlockTarget;
use sprag_code::flow::graph::EdgeKind;
use sprag_code::flow::{self, FunctionAnalysis};
use sprag_code::graph::{Certainty, Edge, Graph};
use sprag_code::index::{Index, SymbolId};
use sprag_code::parse::{self, Limits, Parsed};
use sprag_code::{Symbol, SymbolKind};
use sprag_project::Project;
use sprag_scan::scrub::scrub;
use std::collections::BTreeSet;

/// Folders of the journal that are looked at for projects.
const FOLDERS: usize = 60;
/// Days of the journal that they come from.
const DAYS: u64 = 30;
/// The largest file whose flow is shown.
const LARGEST: u64 = 2 << 20;
/// Boxes in a column of the picture, and columns beside the symbol on each side.
const BOXES: usize = 10;
const STEPS: usize = 2;
/// Blocks of a function that are drawn, and lines in each.
const BLOCKS: usize = 80;
const LINES: usize = 8;

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let projects = projects(ask);
    let wanted = ask.param("root");
    let chosen = projects.iter().find(|project| project.root.to_string_lossy() == wanted);
    let body = match chosen.or(projects.first()) {
        None => html! {
            div.panel { (empty("No project is known", &html! { "Projects in which an agent was at work appear here: their files by how much they are used, who calls what, and the control flow of a function. Start " code { "sprag serve" } " in a project, or let an agent work in one." })) }
        },
        Some(project) => html! {
            (search_form(ask, project, &projects))
            (content(ask, project))
        },
    };
    Screen::of("/code", body)
}

/// The project of the page, and those in which agents were at work, the busiest first.
fn projects(ask: &Ask<'_>) -> Vec<Project> {
    let host = &ask.app.host;
    let first = (ask.now.0 / crate::index::segment::DAY).saturating_sub(DAYS);
    let folders = ask.app.index.look().folders_since(first as u32);
    let mut folders: Vec<(String, u64)> =
        folders.into_iter().map(|(folder, sums)| (folder, sums.events)).collect();
    folders.sort_by_key(|(_, events)| std::cmp::Reverse(*events));
    let seen = folders.iter().take(FOLDERS).map(|(cwd, _)| Project::find(cwd, &host.env, &host.paths.home));
    let mut found: Vec<Project> = Vec::new();
    for project in std::iter::once(ask.app.project.clone()).chain(seen) {
        let known = found.iter().any(|known| known.root == project.root);
        if !known && project.is_codebase(&host.paths.home) && project.root.is_dir() {
            found.push(project);
        }
    }
    found
}

fn search_form(ask: &Ask<'_>, project: &Project, projects: &[Project]) -> Markup {
    html! {
        form.filters method="get" action="/code" role="search" data-auto {
            label { "Project" select name="root" {
                @for one in projects {
                    @let root = one.root.to_string_lossy();
                    option value=(root) selected[one.root == project.root] { (ask.tilde(&root)) }
                }
            } }
            label.grow { "Function, type or file:line" input type="search" name="q" value=(ask.param("q")) placeholder="Cart.pay" data-search; }
            button.go type="submit" { "Show" }
            @if !ask.param("q").is_empty() { a.button href=(address(project, "")) { "Whole map" } }
        }
    }
}

fn address(project: &Project, symbol: &str) -> String {
    let root = encode(&project.root.to_string_lossy());
    if symbol.is_empty() {
        format!("/code?root={root}")
    } else {
        format!("/code?root={root}&q={}", encode(symbol))
    }
}

fn content(ask: &Ask<'_>, project: &Project) -> Markup {
    let drawn = match ask.app.maps.of(&ask.app.host, project) {
        Known::Ready(drawn) => drawn,
        Known::Reading => {
            return panel(
                "map",
                "Map",
                "",
                &empty(
                    "The project is read",
                    &html! { "It appears here as soon as its files are read: " (ask.tilde(&project.root.to_string_lossy())) },
                ),
            );
        }
        Known::Failed(why) => {
            return html! { p.note.bad { "The project cannot be read: " (why) } };
        }
    };
    let wanted = ask.param("q").trim();
    if wanted.is_empty() {
        return map(project, &drawn);
    }
    match sprag_worker::open_index(&ask.app.host, project) {
        Ok(Some(index)) => found(project, &index, wanted),
        Ok(None) => html! { p.note.bad { "The project cannot be read." } },
        Err(error) => html! { p.note.bad { "The project cannot be read: " (error.to_string()) } },
    }
}

/// The files by how much they are used: as areas, and as a list.
fn map(project: &Project, drawn: &Drawn) -> Markup {
    const LISTED: usize = 40;
    let highest = drawn.files.first().map_or(0.0, |file| file.score).max(1e-9);
    let mut largest: Vec<&maps::File> = drawn.files.iter().collect();
    largest.sort_by_key(|file| std::cmp::Reverse(file.lines));
    let tiles: Vec<Tile> = largest
        .iter()
        .map(|file| Tile {
            weight: f64::from(file.lines.max(1)),
            heat: heat(file.score / highest),
            name: file.path.clone(),
            about: format!("{} lines, {} symbols", number(u64::from(file.lines)), file.symbols),
            href: file.top.first().map_or_else(
                || address(project, &format!("{}:1", file.path)),
                |(name, _)| address(project, &format!("{}:{name}", file.path)),
            ),
        })
        .collect();
    html! {
        div.tiles #counts data-live {
            (tile("", drawn.file_count as u64, "files"))
            (tile("", drawn.symbols as u64, "symbols"))
            (tile("", drawn.lines, "lines"))
            @for (language, count) in top_languages(drawn) { (tile("", count, &format!("{language} files"))) }
        }
        @if drawn.files.is_empty() {
            div.panel { (empty("No code is here", &html! { "Files of some thirty languages are read; what git ignores is not." })) }
        } @else {
            (panel("map", "Map", "area: lines; colour: how much the rest of the project uses it", &html! { div.in { (drawing::tree_map("Files of the project, by size and use", &tiles)) } }))
            (panel("files", "Most used files", &format!("{} of {}", drawn.files.len().min(LISTED), drawn.file_count), &html! {
                div.scroll tabindex="0" role="region" aria-label="Most used files" {
                    table {
                        thead { tr { th { "File" } th { "Language" } th.num { "Lines" } th { "Use" } th { "Most used in it" } } }
                        tbody { @for file in drawn.files.iter().take(LISTED) { tr {
                            td.wrap { code { (file.path) } }
                            td.one { (file.language) }
                            td.num { (number(u64::from(file.lines))) }
                            td.bar { (chart::share((file.score / highest * 1_000.0) as u64, 1_000, "acc", "share of the most used file")) }
                            td.wrap { @for (at, (name, _)) in file.top.iter().enumerate() {
                                @if at > 0 { " · " } a.mono href=(address(project, &format!("{}:{name}", file.path))) { (cut(name, 60)) }
                            } }
                        } } }
                    }
                }
                @if drawn.unread > 0 { div.in { p.soft { "The calls of " (drawn.unread) " files are not read yet; the background does it." } } }
            }))
        }
    }
}

fn heat(share: f64) -> usize {
    [0.6, 0.3, 0.12, 0.03].iter().position(|least| share >= *least).map_or(0, |at| 4 - at)
}

fn top_languages(drawn: &Drawn) -> Vec<(&'static str, u64)> {
    let mut all: Vec<(&str, u64)> =
        drawn.languages.iter().map(|(name, count)| (*name, *count as u64)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.truncate(3);
    all
}

/// What was asked for: one symbol, several, or names that are near.
fn found(project: &Project, index: &Index, wanted: &str) -> Markup {
    const LISTED: usize = 60;
    match answer::find(index, wanted).as_deref() {
        Ok([one]) => symbol(project, index, *one),
        Ok([first, ..]) if wanted.contains(['/', ':']) => symbol(project, index, *first),
        other => {
            let several = other.map(<[SymbolId]>::to_vec);
            let known = several.is_ok();
            let ids = several.unwrap_or_else(|_| answer::with_part(index, wanted));
            panel(
                "found",
                if known { "Which one?" } else { "Names with this in them" },
                &format!("{} found", ids.len()),
                &html! {
                    @if ids.is_empty() {
                        (empty("Nothing has this name", &html! { "Try a part of it; " code { "sprag code search" } " finds functions by a question in words." }))
                    } @else {
                        ul.list { @for id in ids.iter().take(LISTED) { (listed(project, index, *id)) } }
                    }
                },
            )
        }
    }
}

fn listed(project: &Project, index: &Index, id: SymbolId) -> Markup {
    let Some((file, path, line)) = maps::address(index, id) else { return html! {} };
    let symbol = index.symbol(id);
    html! {
        li {
            div.row {
                @if let Some(symbol) = &symbol { (tag_as("acc", symbol.kind.name())) }
                a.mono href=(address(project, &format!("{file}:{path}"))) { (path) }
                span.soft { (file) ":" (line) }
            }
            @if let Some(symbol) = symbol.filter(|symbol| !symbol.doc.is_empty()) { p.soft.wrap { (cut(&symbol.doc, 200)) } }
        }
    }
}

fn is_function(symbol: &Symbol) -> bool {
    matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method)
}

/// One symbol: what it is, its graph of calls, its flow.
fn symbol(project: &Project, index: &Index, id: SymbolId) -> Markup {
    let graph = Graph::new(index);
    let Some(about) = answer::about(index, &graph, id) else {
        return html! { p.note.bad { "The symbol is not there any more." } };
    };
    let source = source_of(index, id);
    html! {
        (panel("symbol", &about.path, &format!("{}:{}–{}", about.file, about.symbol.line, about.symbol.end_line), &html! {
            div.in {
                div.row { (tag_as("acc", about.symbol.kind.name())) code.wrap { (scrub(&about.symbol.signature)) } }
                @if !about.symbol.doc.is_empty() { p.soft.wrap { (scrub(&about.symbol.doc)) } }
            }
        }))
        (panel("calls", "Calls", "who calls it on the left, what it calls on the right; dashed: by its name or values alone", &html! {
            div.in { (calls(project, index, &graph, id)) }
        }))
        @if is_function(&about.symbol) {
            @match source.as_ref().map(|parsed| (parsed, flow::function(parsed, &about.symbol.line.to_string()))) {
                Some((parsed, Ok(function))) => (flow_of(parsed, &function)),
                Some((_, Err(error))) => (panel("flow", "Control flow", "", &empty("No flow is known", &html! { (error.to_string()) }))),
                None => {},
            }
        } @else {
            (members(project, index, id))
        }
    }
}

/// The parsed file of a symbol.
fn source_of(index: &Index, id: SymbolId) -> Option<Parsed> {
    let path = index.root().join(index.path(id.file));
    // A link may have been put there since it was indexed; nothing outside of the project is shown.
    let real = path.canonicalize().ok()?;
    if !real.starts_with(index.root().canonicalize().ok()?) {
        return None;
    }
    let bytes = files::read_limited(&real, LARGEST).ok()??;
    parse::file(&path, &bytes, Limits::PATIENT).ok()
}

/// What a type or a module holds.
fn members(project: &Project, index: &Index, id: SymbolId) -> Markup {
    const LISTED: usize = 80;
    let Some(facts) = index.facts(id.file) else { return html! {} };
    let inside: Vec<u32> = (0..facts.symbols.len() as u32)
        .filter(|number| facts.symbol(*number).is_some_and(|symbol| symbol.parent == Some(id.symbol)))
        .collect();
    html! {
        @if !inside.is_empty() {
            (panel("members", "In it", "", &html! {
                ul.list { @for number in inside.iter().take(LISTED) {
                    @if let Some(symbol) = facts.symbol(*number) {
                        li { div.row {
                            (tag_as("acc", symbol.kind.name()))
                            a.mono href=(address(project, &format!("{}:{}", index.path(id.file), facts.path(*number)))) { (symbol.name) }
                            span.soft { "line " (symbol.line) }
                        } }
                    }
                } }
            }))
        }
    }
}

/// A column of the picture that grows.
#[derive(Default)]
struct Column {
    ids: Vec<Option<SymbolId>>,
    nodes: Vec<Node>,
    left_out: usize,
}

impl Column {
    /// The row of a symbol, or of a file's own code; `None` when there is no room.
    fn row(&mut self, project: &Project, index: &Index, id: Option<SymbolId>, file: u32) -> Option<usize> {
        let node = node(project, index, id, file)?;
        if let Some(at) = self.nodes.iter().position(|known| *known == node) {
            return Some(at);
        }
        if self.nodes.len() >= BOXES {
            self.left_out += 1;
            return None;
        }
        self.ids.push(id);
        self.nodes.push(node);
        Some(self.nodes.len() - 1)
    }

    fn close(mut self) -> Vec<Node> {
        if self.left_out > 0 {
            self.nodes.push(Node { name: format!("{} more calls", self.left_out), ..Node::default() });
        }
        self.nodes
    }
}

fn node(project: &Project, index: &Index, id: Option<SymbolId>, file: u32) -> Option<Node> {
    match id {
        Some(id) => {
            let (file, path, line) = maps::address(index, id)?;
            let href = address(project, &format!("{file}:{path}"));
            Some(Node { name: path, place: format!("{file}:{line}"), href })
        }
        None => Some(Node {
            name: "(top level)".to_owned(),
            place: index.path(file).to_owned(),
            href: String::new(),
        }),
    }
}

/// The picture of who calls a symbol and what it calls, two steps each way.
fn calls(project: &Project, index: &Index, graph: &Graph<'_>, id: SymbolId) -> Markup {
    let mut own = Column::default();
    if own.row(project, index, Some(id), id.file).is_none() {
        return html! {};
    }
    let (callers, into) = side(project, index, &own, &|id| graph.callers(id), &|edge| (edge.from, edge.file));
    let called = |edge: &Edge| (Some(edge.to), edge.to.file);
    let (callees, out) = side(project, index, &own, &|id| graph.callees(id), &called);
    if callers.is_empty() && callees.is_empty() {
        return empty(
            "No calls are known",
            &html! { "Nothing in this project calls it, and it calls nothing of this project." },
        );
    }
    let middle = callers.len();
    let mut columns: Vec<Vec<Node>> = callers.into_iter().rev().map(Column::close).collect();
    columns.push(own.nodes);
    columns.extend(callees.into_iter().map(Column::close));
    let mut links: Vec<Link> = Vec::new();
    for (step, near, far, sure) in into {
        links.push(Link { column: middle - step - 1, from: far, to: near, sure });
    }
    for (step, near, far, sure) in out {
        links.push(Link { column: middle + step, from: near, to: far, sure });
    }
    html! {
        (drawing::call_graph("Who calls it and what it calls", &columns, &links, middle))
        @if graph.left_out() > 0 { p.soft { "Calls through values of " (graph.left_out()) " more files are not known yet." } }
    }
}

/// Links of one side: how many steps away, the row nearer to the symbol, the row farther away, whether it is sure.
type Links = Vec<(usize, usize, usize, bool)>;

fn side(
    project: &Project,
    index: &Index,
    own: &Column,
    edges: &dyn Fn(SymbolId) -> Vec<Edge>,
    other: &dyn Fn(&Edge) -> (Option<SymbolId>, u32),
) -> (Vec<Column>, Links) {
    let mut columns: Vec<Column> = Vec::new();
    let mut links = Vec::new();
    let mut seen: BTreeSet<SymbolId> = own.ids.iter().flatten().copied().collect();
    let mut near: Vec<Option<SymbolId>> = own.ids.clone();
    for step in 0..STEPS {
        let mut column = Column::default();
        let mut fresh = BTreeSet::new();
        for (row, id) in near.iter().enumerate() {
            let Some(id) = id else { continue };
            for edge in edges(*id) {
                let (to, file) = other(&edge);
                // What is in the picture already is not drawn twice.
                if to.is_some_and(|to| seen.contains(&to)) {
                    continue;
                }
                fresh.extend(to);
                let Some(at) = column.row(project, index, to, file) else { continue };
                let sure = edge.how == Certainty::Resolved;
                match links.iter_mut().find(|(known, near, far, _)| (*known, *near, *far) == (step, row, at))
                {
                    Some((.., known)) => *known |= sure,
                    None => links.push((step, row, at, sure)),
                }
            }
        }
        if column.nodes.is_empty() {
            break;
        }
        seen.extend(fresh);
        near.clone_from(&column.ids);
        columns.push(column);
    }
    (columns, links)
}

/// A function's control flow as a picture, and where its values go.
fn flow_of(parsed: &Parsed, function: &FunctionAnalysis) -> Markup {
    let FunctionAnalysis { analysis, func, name } = function;
    let blocks = analysis.blocks(*func);
    let steps: Vec<Step> = blocks
        .blocks
        .iter()
        .map(|block| {
            let numbers: Vec<u32> = block.lines.iter().flat_map(|(first, last)| *first..=*last).collect();
            let indent = |number: &u32| {
                let line = parsed.source.line(*number);
                line.len() - line.trim_start().len()
            };
            let least = numbers
                .iter()
                .filter(|number| !parsed.source.line(**number).trim().is_empty())
                .map(indent)
                .min();
            let text = |number: &u32| {
                let line = scrub(parsed.source.line(*number)).trim_end().replace('\t', "    ");
                let line = line.get(least.unwrap_or(0)..).map_or(line.trim_start(), |line| line).to_owned();
                (*number, line)
            };
            let next =
                block.next.iter().filter(|(kind, to)| !(*kind == EdgeKind::Raise && *to == BlockTarget::End));
            Step {
                lines: numbers.iter().take(LINES).map(text).collect(),
                more: numbers.len().saturating_sub(LINES),
                reached: block.reached,
                next: next
                    .map(|(kind, to)| {
                        let word = if *kind == EdgeKind::Next { "" } else { kind.word() };
                        let to = match to {
                            BlockTarget::Block(number) => Some(*number as usize),
                            BlockTarget::End => None,
                        };
                        (word.to_owned(), to)
                    })
                    .collect(),
            }
        })
        .collect();
    let about = format!("Control flow of {name}");
    html! {
        (panel("flow", "Control flow", &format!("{} blocks, complexity {}", steps.len(), blocks.complexity), &html! {
            div.in {
                @if steps.len() > BLOCKS {
                    pre tabindex="0" { (scrub(&analysis.cfg_text(&parsed.source, *func, name))) }
                } @else { (drawing::flow_chart(&about, &steps)) }
                @for note in &analysis.unit.notes { p.soft { (note) } }
            }
        }))
        (panel("values", "Where its values go", "lines", &values(&analysis.dfg_json(*func, name))))
    }
}

fn values(told: &Value) -> Markup {
    let variables = told.get("variables").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    html! {
        @if variables.is_empty() {
            (empty("It has no values of its own", &html! { "No parameter and no variable." }))
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Where its values go" {
                table {
                    thead { tr { th { "Value" } th { "What" } th { "Set at" } th { "Used at" } } }
                    tbody { @for variable in variables.iter().take(100) {
                        @let definitions = variable.get("definitions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                        tr {
                            td.mono { (text(variable, "name")) }
                            td { (text(variable, "origin")) }
                            td.nums { (lines(definitions.iter().filter_map(|one| one.get("line").and_then(Value::as_u64)))) }
                            td.nums { (lines(definitions.iter().filter_map(|one| one.get("uses")).filter_map(Value::as_array).flatten().filter_map(Value::as_u64))) }
                        }
                    } }
                }
            }
        }
    }
}

fn lines(numbers: impl Iterator<Item = u64>) -> String {
    let numbers: BTreeSet<u32> = numbers.map(|number| number as u32).collect();
    flow::render::runs(&numbers)
}
