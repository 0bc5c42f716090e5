//! smart-search-router: a search for a name is answered from the symbol index: where it is defined and who calls it.
//! The search runs all the same, but for one that asks for a definition and nothing else: that is answered inline, once.

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
use sprag_protocol::edits;
use sprag_protocol::{Event, EventKind};
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
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "Grep" }],
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
    let settings: SmartSearchRouterSettings = cx.settings.read();
    let Some(search) = Search::new(event, cx) else { return Ok(Reply::pass()) };
    let query = query::read(search.pattern);
    if query == Query::Text || matches!(query, Query::Idea(_)) && !settings.ideas {
        return Ok(Reply::pass());
    }
    let (index, due) = Index::open_quick(&cx.host.paths.state, &cx.project.root);
    let job = if due { code_index(cx.project, &cx.host.paths.home) } else { None };
    let mut reply = match &index {
        Some(index) => answer(&query, &search, index, event, cx)?,
        None => Reply::pass(),
    };
    reply.jobs.extend(job);
    Ok(reply)
}

/// A search over code.
struct Search<'a> {
    pattern: &'a str,
    /// From the root; empty for all of it.
    folder: String,
    /// It wants nothing but places.
    plain: bool,
}

impl<'a> Search<'a> {
    /// `None` for a search in what is no code, or outside of the project.
    fn new(event: &'a Event, cx: &Cx<'_>) -> Option<Self> {
        event.tool.as_ref().filter(|tool| tool.name == "Grep")?;
        let input = event.tool_input()?;
        let text = |key: &str| input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let pattern = text("pattern").filter(|pattern| pattern.len() <= 400)?;
        let path = text("path").or_else(|| text("dir_path")).unwrap_or(".");
        let path = edits::absolute(path, &cx.project.cwd);
        let folder = path.strip_prefix(&cx.project.root).ok()?.to_string_lossy().replace('\\', "/");
        let is_other_file = |path: &Path| path.extension().is_some() && Language::of_path(path).is_none();
        if path.is_file() && is_other_file(&path) {
            return None;
        }
        let filter = text("glob").or_else(|| text("include")).or_else(|| text("include_pattern"));
        if filter.is_some_and(|filter| !has_code(filter))
            || text("type").is_some_and(|name| !is_code_type(name))
        {
            return None;
        }
        let more = ["-A", "-B", "-C", "context", "multiline", "offset"];
        let plain = !more.iter().any(|key| {
            input.get(key).is_some_and(|value| *value != Value::Null && *value != Value::Bool(false))
        }) && text("output_mode") != Some("count");
        Some(Self { pattern, folder, plain })
    }

    fn covers(&self, file: &str) -> bool {
        self.folder.is_empty() || file == self.folder || file.starts_with(&format!("{}/", self.folder))
    }
}

/// A filter of file names that lets code through: `*.py`, `**/*.{ts,tsx}`, `src/**`.
fn has_code(filter: &str) -> bool {
    let Some((_, ending)) = filter.rsplit_once('.') else { return true };
    if ending.contains('/') {
        return true;
    }
    ending
        .split(['{', '}', ','])
        .filter(|word| !word.is_empty())
        .any(|word| word.contains('*') || Language::of_path(Path::new(&format!("a.{word}"))).is_some())
}

/// A type of ripgrep that is code.
fn is_code_type(name: &str) -> bool {
    let known = matches!(
        name,
        "python"
            | "typescript"
            | "javascript"
            | "rust"
            | "ruby"
            | "csharp"
            | "shell"
            | "cpp"
            | "golang"
            | "php"
            | "java"
    );
    known || Language::of_path(Path::new(&format!("a.{name}"))).is_some()
}

fn answer(query: &Query, search: &Search<'_>, index: &Index, event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SmartSearchRouterSettings = cx.settings.read();
    let graph = Graph::new(index);
    let names = match query {
        Query::Definition(name) => std::slice::from_ref(name),
        Query::Names(names) => names.as_slice(),
        Query::Idea(words) => return Ok(idea(words, index, event, cx)),
        Query::Text => return Ok(Reply::pass()),
    };
    let mut told = String::new();
    let mut first = None;
    let mut covered = true;
    for name in names {
        let all = about(index, &graph, name);
        if all.is_empty() {
            continue;
        }
        covered &= all.iter().all(|one| search.covers(&one.file));
        told.push_str(&answer::text(&all, settings.max_definitions, settings.max_callers));
        if let ([_], [one]) = (names, all.as_slice()) {
            told.push_str(&deep(one, cx).unwrap_or_default());
        }
        first = first.or_else(|| all.into_iter().next());
    }
    let Some(first) = first else { return Ok(Reply::pass()) };
    remember(query, &first, event, cx);
    let unread = unread(index);
    let denies = matches!(query, Query::Definition(_)) && settings.deny_definitions;
    let agent = event.agent_id.as_deref().unwrap_or_default();
    let mark = short_hash(format!("{agent}\0{}\0{}", search.pattern, search.folder).as_bytes());
    if denies
        && search.plain
        && covered
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_and_types_of_code() {
        for filter in ["*.py", "**/*.{ts,tsx}", "src/**", "*", "*.{md,py}", "Makefile"] {
            assert!(has_code(filter), "{filter}");
        }
        for filter in ["*.md", "**/*.{json,yaml}", "*.log"] {
            assert!(!has_code(filter), "{filter}");
        }
        assert!(is_code_type("py") && is_code_type("rust") && !is_code_type("md"));
    }
}
