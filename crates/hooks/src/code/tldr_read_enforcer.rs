//! tldr-read-enforcer: a large file of code is answered with its outline, once. The second ask, a range, a file that is
//! about to be edited, tests, configuration and whatever has no outline pass.

mod asked;

use serde_json::Value;
use sprag_base::files::read_limited;
use sprag_base::glob;
use sprag_base::id::short_hash;
use sprag_code::facts_cache::{FactsCache, FileFacts};
use sprag_code::flow::intent;
use sprag_code::parse::{self, Limits};
use sprag_code::search_context::{self, Searched};
use sprag_code::source::Source;
use sprag_code::{Facts, Language, outline, tokens};
use sprag_config::settings;
use sprag_protocol::edits;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

settings! {
    struct TldrReadEnforcerSettings<'a> {
        /// smaller files are read as they are
        min_bytes: u64 = 8_000, min 1_000;
        /// the outline has at most so many per cent of the text's tokens; more, up to a third, only to name every symbol
        max_percent: u64 = 9, min 1;
        /// and at most so many tokens
        max_tokens: u64 = 3_000, min 100;
        /// files that are read as they are: tests, configuration, what is hidden
        skip: Texts = [
                    "**/test_*",
                    "**/*_test.*",
                    "**/*.test.*",
                    "**/*.spec.*",
                    "**/*_spec.rb",
                    "**/*Test.java",
                    "**/*Tests.cs",
                    "**/conftest.py",
                    "**/tests/**",
                    "**/test/**",
                    "**/__tests__/**",
                    "**/spec/**",
                    "**/fixtures/**",
                    "**/testdata/**",
                    "**/migrations/**",
                    "**/*.config.*",
                    "**/setup.py",
                    "**/.*/**",
                    "**/*.d.ts",
                ];
        /// what was searched for this recently is shown with its text
        search_memory_seconds: u64 = search_context::REMEMBER_S;
        /// the most lines of text of what was searched for
        focus_lines: u32 = 60;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "tldr-read-enforcer",
        family: Family::Code,
        bundle: Bundle::Code,
        summary: "answers the first whole read of a large code file with its outline; a range or the second ask gives the text",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "Read|Edit|Write|MultiEdit" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: TldrReadEnforcerSettings::SETTINGS,
        timeout_ms: 2_000,
    },
    run,
};

/// Files whose outline was shown, or that are edited: a mark of agent and path, and the tokens of the text.
const SHOWN: &str = "outlines-shown";
/// A larger file is not parsed on an agent's time; the agents refuse to read it anyway.
const LARGEST: u64 = 4 << 20;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    if tool.changes_files() {
        return about_to_edit(event, cx);
    }
    let Some(path) = whole_read(event, cx) else { return Ok(Reply::pass()) };
    let mark = mark(event, &path);
    if let Some(tokens) = shown(cx, &mark) {
        // It wants the text after all: what was counted as spared was not.
        if tokens > 0 {
            cx.session.append(SHOWN, &format!("{mark} 0"))?;
        }
        return Ok(Reply { saved: -tokens, ..Reply::pass() });
    }
    let Some(known) = read(&path, cx) else { return Ok(Reply::pass()) };
    let raw = tokens::estimate(&known.source.text);
    // What was searched for says more than what was asked; a subagent was asked by somebody else.
    let asked = || asked::in_file(cx, &known.facts).filter(|_| event.agent_id.is_none());
    let searched = searched_in(event, cx, &known.facts).or_else(asked);
    let Some(text) = answer(&known, &path, raw, searched.as_ref(), cx) else {
        return Ok(Reply::pass());
    };
    // First the mark, then the answer: without it there would be no second ask.
    cx.session.append(SHOWN, &format!("{mark} {raw}"))?;
    let saved = raw as i64 - tokens::estimate(&text) as i64;
    Ok(Reply { saved, ..Reply::answer(text).rule("tldr:outline") })
}

/// A file that is edited is wanted as it is, now and later.
fn about_to_edit(event: &Event, cx: &Cx<'_>) -> HookResult {
    for edit in edits::of(event) {
        let path = edits::absolute(&edit.path, &cx.project.cwd);
        if Language::of_path(&path).is_none() {
            continue;
        }
        let mark = mark(event, &path);
        if shown(cx, &mark).is_none() {
            cx.session.append(SHOWN, &format!("{mark} 0"))?;
        }
    }
    Ok(Reply::pass())
}

/// The one file that a call reads whole.
fn whole_read(event: &Event, cx: &Cx<'_>) -> Option<PathBuf> {
    let settings: TldrReadEnforcerSettings<'_> = cx.settings.read();
    const RANGES: [&str; 6] = ["offset", "limit", "start_line", "end_line", "pages", "view_range"];
    let tool = event.tool.as_ref().filter(|tool| tool.name == "Read")?;
    let input = event.tool_input()?;
    if RANGES.iter().any(|key| input.get(key).is_some_and(|value| !matches!(value, Value::Null))) {
        return None;
    }
    let [used] = tool.paths.as_slice() else { return None };
    let path = edits::absolute(&used.path, &cx.project.cwd);
    let inside = path.strip_prefix(&cx.project.root).ok()?.to_string_lossy().replace('\\', "/");
    Language::of_path(&path)?;
    let skipped = settings.skip.iter().any(|pattern| {
        glob::path(pattern, &inside)
            || pattern.strip_prefix("**/").is_some_and(|tail| glob::path(tail, &inside))
    });
    (!skipped).then_some(path)
}

fn mark(event: &Event, path: &Path) -> String {
    let agent = event.agent_id.as_deref().unwrap_or_default();
    short_hash(&[agent.as_bytes(), b"\0", path.as_os_str().as_encoded_bytes()].concat())
}

/// The tokens that a file's outline spared, when it was shown; 0 when that was taken back or it is edited.
fn shown(cx: &Cx<'_>, mark: &str) -> Option<i64> {
    let text = cx.session.read(SHOWN);
    text.lines().rev().find_map(|line| line.strip_prefix(mark)?.trim().parse().ok())
}

/// The file's text and facts, when it is worth an outline.
fn read(path: &Path, cx: &Cx<'_>) -> Option<FileFacts> {
    let settings: TldrReadEnforcerSettings<'_> = cx.settings.read();
    let length = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
    if length < settings.min_bytes || length > LARGEST {
        return None;
    }
    let bytes = read_limited(path, LARGEST).ok()??;
    let cache = FactsCache { state: &cx.host.paths.state, root: &cx.project.root };
    let known = cache.facts(path, &bytes, Limits::QUICK).ok()?;
    (!known.source.is_minified() && !known.facts.symbols.is_empty()).then_some(known)
}

/// The last search whose target is in this file.
fn searched_in(event: &Event, cx: &Cx<'_>, facts: &Facts) -> Option<Searched> {
    let settings: TldrReadEnforcerSettings<'_> = cx.settings.read();
    let within = Duration::from_secs(settings.search_memory_seconds);
    let agent = event.agent_id.as_deref().unwrap_or_default();
    search_context::lately(&cx.session.read(search_context::FILE), agent, cx.host.clock.now().0, within)
        .into_iter()
        .find(|searched| facts.symbols.iter().any(|symbol| symbol.name == searched.target))
}

/// The answer in place of the text; `None` when it would not spare enough to be worth a turn.
fn answer(
    known: &FileFacts,
    path: &Path,
    raw: u64,
    searched: Option<&Searched>,
    cx: &Cx<'_>,
) -> Option<String> {
    let settings: TldrReadEnforcerSettings<'_> = cx.settings.read();
    let FileFacts { language, source, facts } = known;
    let path = edits::shown(path, &cx.project.root);
    let most = (raw * settings.max_percent / 100).min(settings.max_tokens);
    let around = frame(&path, facts, raw, 99, "");
    // What fits the intent goes first: a function's control flow, a variable's data flow.
    let deep = searched.map_or_else(String::new, |searched| deep(known, searched, &path, most / 3));
    let taken = tokens::estimate(&around) + tokens::estimate(&deep);
    // A third of the text for the name of every symbol is still a bargain; most files need less than the first number.
    let stretch = (raw / 3).min(settings.max_tokens);
    let room = |most: u64| most.saturating_sub(taken);
    let outline = outline::fitting(facts, *language, room(most), room(stretch));
    let mut body = outline.text;
    if outline.left_out > 0 {
        let _ = writeln!(
            body,
            "{} of {} symbols are counted here, not named; `sprag code outline {path}` names all.",
            outline.left_out,
            facts.symbols.len()
        );
    }
    if let Some(searched) = searched {
        body.push_str(&focus(source, facts, searched, settings.focus_lines));
        body.push_str(&deep);
    }
    let spared = 100 - (tokens::estimate(&body) + tokens::estimate(&around)).min(raw) * 100 / raw.max(1);
    // Half a file for a turn more is no bargain.
    (spared >= 50).then(|| frame(&path, facts, raw, spared, &body))
}

/// What stands around the outline: what this is, and how to get the text.
fn frame(path: &str, facts: &Facts, raw: u64, spared: u64, body: &str) -> String {
    format!(
        "{path}: {} lines, about {raw} tokens. This is its outline, {spared} % less, lines first:\n{body}Read it with \
         offset and limit for the lines you need; Read it whole once more and you get the text.",
        facts.lines
    )
}

/// The layer beyond outline and calls that the search asks for, within a part of the read's budget.
fn deep(known: &FileFacts, searched: &Searched, path: &str, budget: u64) -> String {
    if !searched.layers.iter().any(|layer| layer == "flow" || layer == "data") {
        return String::new();
    }
    let symbol = known.facts.symbols.iter().find(|symbol| symbol.name == searched.target);
    // Only here the tree itself is needed.
    let parsed = symbol.and_then(|_| parse::text(known.language, &known.source.text, Limits::QUICK).ok());
    let told = symbol.zip(parsed).and_then(|(symbol, parsed)| intent::told(&parsed, symbol, path, budget));
    told.unwrap_or_default()
}

/// The text of what was searched for, with who calls it.
fn focus(source: &Source, facts: &Facts, searched: &Searched, most: u32) -> String {
    let mut text = String::new();
    for symbol in facts.symbols.iter().filter(|symbol| symbol.name == searched.target).take(2) {
        let last = symbol.end_line.min(symbol.line + most.saturating_sub(1));
        let why = if searched.kind == "asked" { "Asked about" } else { "You searched for" };
        let _ = writeln!(text, "\n{why} `{}`, lines {}-{last}:", symbol.name, symbol.line);
        if most > 0 {
            text.push_str(source.span(symbol.line, last).trim_end());
            text.push('\n');
        }
        if last < symbol.end_line {
            let _ = writeln!(text, "… to line {}", symbol.end_line);
        }
    }
    if !searched.callers.is_empty() {
        let _ = writeln!(text, "called by {}", searched.callers.join(", "));
    }
    text
}
