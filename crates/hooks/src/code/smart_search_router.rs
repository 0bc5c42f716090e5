//! smart-search-router: a search for a name is answered from the symbol index: where it is defined and who calls it. A search in a
//! shell command runs all the same; so does one with a tool, but for one that asks for a definition and nothing else and gets it whole:
//! that is answered inline, once.

mod command;
mod filter;

use command::Target;
use filter::Filter;
use serde_json::Value;
use sprag_base::files::read_limited;
use sprag_base::id::short_hash;
use sprag_code::Language;
use sprag_code::answer::{self, About};
use sprag_code::facts::SymbolKind;
use sprag_code::flow::intent;
use sprag_code::graph::{Certainty, Graph};
use sprag_code::index::{Index, SymbolId};
use sprag_code::parse::{self, Limits};
use sprag_code::query::{self, Query};
use sprag_code::search_context::{self, Searched, layers};
use sprag_config::settings;
use sprag_guard::shell;
use sprag_protocol::edits;
use sprag_protocol::{Event, EventKind, ToolKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use sprag_runtime::job::code_index;
use std::fmt::Write as _;
use std::path::Path;

settings! {
    struct SmartSearchRouterSettings {
        /// a search for a definition (`def pay`) is answered instead of run, once; false: beside it
        deny_definitions: bool = true;
        /// definitions that are shown
        max_definitions: usize = 5, min 1;
        /// callers that are shown of each
        max_callers: usize = 10;
        /// a function's control flow or a variable's data flow is added when it has at most so many tokens
        deep_tokens: u64 = 200;
        /// a search in words is answered with symbols that have them in their names
        ideas: bool = true;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "smart-search-router",
        family: Family::Code,
        bundle: Bundle::Code,
        summary: "answers a search for a name with its definition and callers from the symbol index",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "Grep|Bash" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: SmartSearchRouterSettings::SETTINGS,
        timeout_ms: 2_000,
    },
    run,
};

/// Searches that were answered instead of run.
const ANSWERED: &str = "searches-answered";
/// A name with more definitions than this says nothing.
const COMMON: usize = 40;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(search) = Search::new(event, cx) else { return Ok(Reply::pass()) };
    let settings: SmartSearchRouterSettings = cx.settings.read();
    let query = match &search.target {
        Target::Lines(pattern) => query::read(pattern),
        Target::Files(_) => Query::Text,
    };
    let by_name = matches!(search.target, Target::Files(_));
    if query == Query::Text && !by_name || matches!(query, Query::Idea(_)) && !settings.ideas {
        return Ok(Reply::pass());
    }
    let (index, due) = Index::open_quick(&cx.host.paths.state, &cx.project.root);
    let job = if due { code_index(cx.project, &cx.host.paths.home) } else { None };
    let mut reply = match (&index, &search.target) {
        (Some(index), Target::Files(name)) => files(name, &search, index),
        (Some(index), Target::Lines(pattern)) => answer(&query, pattern, &search, index, event, cx)?,
        (None, _) => Reply::pass(),
    };
    reply.jobs.extend(job);
    Ok(reply)
}

/// A search over code.
struct Search {
    target: Target,
    filter: Filter,
    /// It wants nothing but places, and can be answered instead of run.
    plain: bool,
}

impl Search {
    /// `None` for a search in what is no code, or outside of the project.
    fn new(event: &Event, cx: &Cx<'_>) -> Option<Self> {
        let tool = event.tool.as_ref()?;
        let search = match tool.kind {
            ToolKind::Shell => Self::of_command(event, cx)?,
            _ if tool.name == "Grep" => Self::of_tool(event, cx)?,
            _ => return None,
        };
        let is_other_file = |path: &Path| path.extension().is_some() && Language::of_path(path).is_none();
        let others = |path: &String| {
            let path = cx.project.root.join(path);
            is_other_file(&path) && path.is_file()
        };
        let only_others = !search.filter.within.is_empty() && search.filter.within.iter().all(others);
        (search.filter.has_code() && !only_others).then_some(search)
    }

    fn of_tool(event: &Event, cx: &Cx<'_>) -> Option<Self> {
        let input = event.tool_input()?;
        let text = |key: &str| input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let pattern = text("pattern").filter(|pattern| pattern.len() <= LONGEST)?;
        let path = text("path").or_else(|| text("dir_path")).unwrap_or(".");
        let within = vec![from_root(&edits::absolute(path, &cx.project.cwd), cx)?];
        let glob = text("glob").or_else(|| text("include")).or_else(|| text("include_pattern"));
        let more = ["-A", "-B", "-C", "context", "multiline", "offset"];
        let plain = !more.iter().any(|key| {
            input.get(key).is_some_and(|value| *value != Value::Null && *value != Value::Bool(false))
        }) && text("output_mode") != Some("count");
        let filter = Filter {
            within,
            globs: glob.map(str::to_owned).into_iter().collect(),
            types: text("type").map(str::to_owned).into_iter().collect(),
            ignores_case: input.get("-i") == Some(&Value::Bool(true)),
        };
        Some(Self { target: Target::Lines(pattern.to_owned()), filter, plain })
    }

    /// The first search of a shell command.
    fn of_command(event: &Event, cx: &Cx<'_>) -> Option<Self> {
        let text = event.tool.as_ref()?.command.as_deref()?;
        if text.len() > LONGEST * 4 || !command::may_search(text) {
            return None;
        }
        let (line, context) = shell::analysis(event, cx)?;
        let (cmd, found) = line.local_commands().find_map(|cmd| Some((cmd, command::read(cmd)?)))?;
        let dir = cmd.dir.as_deref().unwrap_or(&context.cwd);
        let paths = if found.paths.is_empty() { vec![".".to_owned()] } else { found.paths };
        let within: Vec<String> = paths
            .iter()
            .filter_map(|path| from_root(Path::new(&sprag_shell::normalise(path, dir)), cx))
            .collect();
        let filter = Filter { within, ..found.filter };
        (!filter.within.is_empty()).then_some(Self { target: found.target, filter, plain: false })
    }
}

/// The longest pattern that is read.
const LONGEST: usize = 400;

/// A path from the project's root; `None` when it is elsewhere.
fn from_root(path: &Path, cx: &Cx<'_>) -> Option<String> {
    Some(path.strip_prefix(&cx.project.root).ok()?.to_string_lossy().replace('\\', "/"))
}

/// Files with a name: what is in them, in a line.
fn files(name: &str, search: &Search, index: &Index) -> Reply {
    const FILES: usize = 5;
    const NAMES: usize = 12;
    let small = name.to_lowercase();
    let is = |path: &str| sprag_base::glob::path(&small, &path.to_lowercase()) && search.filter.covers(path);
    let mut found: Vec<u32> = index.files().filter(|file| is(index.path(*file))).collect();
    // A name that half of the project has says nothing.
    if found.is_empty() || found.len() > FILES * 4 {
        return Reply::pass();
    }
    found.sort_by(|a, b| index.path(*a).cmp(index.path(*b)));
    let mut told = String::new();
    for file in found.iter().take(FILES) {
        let Some(facts) = index.facts(*file) else { continue };
        let outside = facts.symbols.iter().filter(|symbol| {
            symbol.parent.is_none() && !symbol.kind.is_value() && symbol.kind != SymbolKind::Impl
        });
        let names: Vec<String> = outside.map(|symbol| format!("{} {}", symbol.name, symbol.line)).collect();
        let more = names.len().saturating_sub(NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown: Vec<String> = names.into_iter().take(NAMES).collect();
        let _ = writeln!(told, "{} ({} lines): {}{more}", index.path(*file), facts.lines, shown.join(", "));
    }
    if found.len() > FILES {
        let _ = writeln!(told, "{} more files", found.len() - FILES);
    }
    Reply::note(
        format!("files:{name}"),
        priority::FACTS,
        format!("From the symbol index:\n{told}").trim_end(),
    )
}

fn answer(
    query: &Query,
    pattern: &str,
    search: &Search,
    index: &Index,
    event: &Event,
    cx: &Cx<'_>,
) -> HookResult {
    let settings: SmartSearchRouterSettings = cx.settings.read();
    let graph = Graph::new(index);
    let names = match query {
        Query::Definition(name) => std::slice::from_ref(name),
        Query::Names(names) => names.as_slice(),
        Query::Idea(words) => return Ok(idea(words, index, event, cx)),
        Query::Text => return Ok(Reply::pass()),
    };
    let form = query::definition_form(pattern);
    let mut told = String::new();
    let mut first = None;
    let mut whole = true;
    for name in names {
        let mut all = about(index, &graph, name);
        if let (Query::Definition(_), Some((words, _))) = (query, form) {
            all.retain(|one| one.symbol.signature.contains(&format!("{words} {name}")));
        }
        let (inside, outside): (Vec<About>, Vec<About>) =
            all.into_iter().partition(|one| search.filter.covers(&one.file));
        whole &= outside.is_empty();
        told.push_str(&answer::text(&inside, settings.max_definitions, settings.max_callers));
        if !outside.is_empty() {
            told.push_str("Outside of what is searched:\n");
            told.push_str(&answer::text(&outside, settings.max_definitions, settings.max_callers));
        }
        if let ([_], [one], []) = (names, inside.as_slice(), outside.as_slice()) {
            told.push_str(&deep(one, cx).unwrap_or_default());
        }
        first = first.or_else(|| inside.into_iter().chain(outside).next());
    }
    if let ([name], Query::Definition(_), Some((words, true))) = (names, query, form) {
        let longer = longer(index, search, words, name);
        whole &= longer.is_empty();
        told.push_str(&longer);
    }
    if told.is_empty() {
        return Ok(Reply::pass());
    }
    if let Some(first) = &first {
        remember(query, first, event, cx);
    }
    let unread = unread(index);
    let denies = matches!(query, Query::Definition(_)) && settings.deny_definitions;
    let agent = event.agent_id.as_deref().unwrap_or_default();
    let mark = short_hash(format!("{agent}\0{pattern}\0{}", search.filter.within.join("\0")).as_bytes());
    if denies
        && search.plain
        && whole
        && !search.filter.ignores_case
        && index.refreshed.unread + index.unparsed() == 0
        && !cx.session.read(ANSWERED).contains(&mark)
    {
        cx.session.append(ANSWERED, &mark)?;
        return Ok(Reply::answer(format!(
            "From the symbol index, checked against the files:\n{told}Read those lines for the text. The same search once \
             more runs as it is."
        ))
        .rule("search:definition"));
    }
    let key = format!("search:{}", names.join("|"));
    Ok(Reply::note(key, priority::FACTS, format!("From the symbol index:\n{told}{unread}").trim_end()))
}

/// Definitions whose longer names the pattern finds, too.
fn longer(index: &Index, search: &Search, words: &str, name: &str) -> String {
    const MAX_LISTED: usize = 8;
    let names = index.names_with(name).into_iter().filter(|other| other.starts_with(name) && other != name);
    let mut found: Vec<String> = Vec::new();
    for other in names.take(COMMON * 4) {
        for place in index.definitions(&other) {
            let file = index.path(place.file);
            let Some(symbol) = index.symbol(place).filter(|_| search.filter.covers(file)) else { continue };
            if symbol.signature.contains(&format!("{words} {other}")) {
                found.push(format!("{other} {file}:{}", symbol.line));
            }
        }
    }
    let more = found.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    found.truncate(MAX_LISTED);
    if found.is_empty() { String::new() } else { format!("Also matching: {}{more}\n", found.join(", ")) }
}

/// The layer beyond outline and calls that fits what was searched for.
fn deep(one: &About, cx: &Cx<'_>) -> Option<String> {
    let settings: SmartSearchRouterSettings = cx.settings.read();
    const LARGEST: u64 = 1 << 20;
    let budget = settings.deep_tokens;
    intent::Deep::of(&one.symbol).filter(|_| budget > 0)?;
    let path = cx.project.root.join(&one.file);
    let bytes = read_limited(&path, LARGEST).ok()??;
    let parsed = parse::file(&path, &bytes, Limits::QUICK).ok()?;
    intent::told(&parsed, &one.symbol, &one.file, budget)
}

/// What is known of a name; nothing of one that is everywhere.
fn about(index: &Index, graph: &Graph<'_>, name: &str) -> Vec<About> {
    let mut places: Vec<SymbolId> = index.definitions(name);
    places.retain(|place| index.symbol(*place).is_some_and(|symbol| symbol.kind != SymbolKind::Impl));
    if places.len() > COMMON {
        return Vec::new();
    }
    places.into_iter().filter_map(|place| answer::about(index, graph, place)).collect()
}

fn unread(index: &Index) -> String {
    match index.refreshed.unread + index.unparsed() {
        0 => String::new(),
        count => format!("Incomplete: the calls of {count} files are still being read."),
    }
}

fn remember(query: &Query, about: &About, event: &Event, cx: &Cx<'_>) {
    let kind = about.symbol.kind.name();
    let callers = about
        .callers
        .iter()
        .filter(|caller| caller.how != Certainty::ByName)
        .take(20)
        .map(|caller| format!("{}:{} {}", caller.file, caller.line, caller.path).trim_end().to_owned());
    let searched = Searched {
        at: cx.host.clock.now().0,
        agent: event.agent_id.clone().unwrap_or_default(),
        kind: if matches!(query, Query::Idea(_)) { "semantic" } else { "structural" }.to_owned(),
        target: about.symbol.name.clone(),
        target_kind: kind.to_owned(),
        layers: layers(kind),
        defined: format!("{}:{}", about.file, about.symbol.line),
        callers: callers.collect(),
    };
    // Without it the next read shows the whole outline.
    if let Some(line) = searched.line() {
        let _ = cx.session.append(search_context::FILE, &sprag_scan::scrub::scrub(&line));
    }
}

/// Symbols that have the words of an idea in their names or in what is written about them.
fn idea(words: &[String], index: &Index, event: &Event, cx: &Cx<'_>) -> Reply {
    let mut scored: Vec<(usize, String)> = index
        .names_with("")
        .into_iter()
        .filter_map(|name| {
            let small = name.to_lowercase();
            let hits = words.iter().filter(|word| small.contains(stem(word))).count();
            (hits > 0 && hits * 3 >= words.len().min(4)).then_some((hits, name))
        })
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.len().cmp(&b.1.len())).then(a.1.cmp(&b.1)));
    let mut told = String::new();
    let mut shown = 0;
    for (_, name) in scored.iter().take(12) {
        for place in index.definitions(name).into_iter().take(2) {
            let Some(symbol) = index.symbol(place).filter(|symbol| symbol.kind != SymbolKind::Impl) else {
                continue;
            };
            if shown >= 10 {
                break;
            }
            shown += 1;
            let doc = if symbol.doc.is_empty() { String::new() } else { format!("  # {}", symbol.doc) };
            let _ = writeln!(told, "{}:{} {}{doc}", index.path(place.file), symbol.line, symbol.signature);
            if shown == 1 {
                let graph = Graph::new(index);
                if let Some(about) = answer::about(index, &graph, place) {
                    remember(&Query::Idea(words.to_vec()), &about, event, cx);
                }
            }
        }
    }
    if told.is_empty() {
        return Reply::pass();
    }
    let text =
        format!("A search in words finds text, not ideas. Symbols with these words in their names:\n{told}");
    Reply::note(format!("idea:{}", words.join(" ")), priority::FACTS, text.trim_end())
}

/// A word without its ending: `paying` and `payment` begin like `pay`.
fn stem(word: &str) -> &str {
    for ending in ["ings", "ing", "tion", "ments", "ment", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.len() >= 3
        {
            return stem;
        }
    }
    word
}
