//! signature-helper: what an edit calls, with its signature: the real one, not the one that is remembered.

use sprag_code::answer::Wanted;
use sprag_code::facts::{Call, Facts, Receiver, Symbol};
use sprag_code::graph::{Certainty, Graph};
use sprag_code::index::{Index, SymbolId};
use sprag_code::parse::Limits;
use sprag_code::{Language, extract};
use sprag_config::settings;
use sprag_protocol::edits::{self, Change};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use sprag_runtime::job::code_index;
use std::fmt::Write as _;

settings! {
    struct SignatureHelperSettings {
        /// signatures that one edit is given
        max_signatures: usize = 5, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "signature-helper",
        family: Family::Code,
        bundle: Bundle::Code,
        summary: "gives the signatures of the project's functions that an edit calls",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "Edit|Write|MultiEdit" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: SignatureHelperSettings::SETTINGS,
        timeout_ms: 2_000,
    },
    run,
};

/// An edit with less calls nothing.
const SHORTEST: usize = 10;
/// The most bytes of an edit that are looked at.
const LOOK_AT: usize = 256 << 10;

#[expect(clippy::unnecessary_wraps, reason = "the signature of every hook")]
fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SignatureHelperSettings = cx.settings.read();
    let mut wanted: Vec<(String, Language, String)> = Vec::new();
    for edit in edits::of(event) {
        let path = edits::absolute(&edit.path, &cx.project.cwd);
        let Some(language) = Language::of_path(&path) else { continue };
        let Ok(inside) = path.strip_prefix(&cx.project.root) else { continue };
        let text = match &edit.change {
            Change::Whole(text) => text.to_string(),
            Change::Parts(parts) => parts.iter().map(|part| part.new.as_ref()).collect::<Vec<_>>().join("\n"),
            Change::Delete => continue,
        };
        // Most edits call nothing: that is seen without an index.
        if text.len() >= SHORTEST && text.contains('(') {
            wanted.push((inside.to_string_lossy().replace('\\', "/"), language, text));
        }
    }
    if wanted.is_empty() {
        return Ok(Reply::pass());
    }
    let (index, due) = Index::open_quick(&cx.host.paths.state, &cx.project.root);
    let job = if due { code_index(cx.project, &cx.host.paths.home) } else { None };
    let mut reply = Reply::pass();
    if let Some(index) = &index {
        for (path, language, text) in &wanted {
            for (key, line) in signatures(index, path, *language, text, settings.max_signatures) {
                // Each is said once, whichever edit calls it.
                reply = reply.with_note(format!("signature:{key}"), priority::REMINDER, line);
            }
        }
    }
    reply.jobs.extend(job);
    Ok(reply)
}

/// The signatures of what a text calls, with the place of each.
fn signatures(
    index: &Index,
    path: &str,
    language: Language,
    text: &str,
    most: usize,
) -> Vec<(String, String)> {
    let text = text.get(..text.len().min(LOOK_AT)).unwrap_or(text);
    let Ok(mut piece) = extract::text(language, text, Limits::QUICK) else { return Vec::new() };
    let file = index.number(path);
    if let Some(whole) = file.and_then(|file| index.facts(file)) {
        piece.imports.extend(whole.imports.iter().cloned());
    }
    let graph = Graph::new(index);
    let mut found: Vec<(String, String)> = Vec::new();
    for call in &piece.calls {
        if found.len() >= most {
            break;
        }
        let Some(place) = meant(index, &graph, file, path, &piece, call) else { continue };
        let Some(symbol) = index.symbol(place) else { continue };
        let key = format!("{}:{}", index.path(place.file), symbol.name);
        if found.iter().any(|(known, _)| *known == key) {
            continue;
        }
        let mut line = format!(
            "`{}` is {} ({}:{})",
            name(&symbol),
            symbol.signature,
            index.path(place.file),
            symbol.line
        );
        if !symbol.doc.is_empty() {
            let _ = write!(line, ": {}", symbol.doc);
        }
        found.push((key, line));
    }
    found
}

fn name(symbol: &Symbol) -> String {
    if symbol.container.is_empty() {
        symbol.name.clone()
    } else {
        format!("{}.{}", symbol.container, symbol.name)
    }
}

/// The one definition that a call means; none when it is not clear, or when the piece itself defines it.
fn meant(
    index: &Index,
    graph: &Graph<'_>,
    file: Option<u32>,
    path: &str,
    piece: &Facts,
    call: &Call,
) -> Option<SymbolId> {
    if piece.symbols.iter().any(|symbol| symbol.name == call.name) {
        return None;
    }
    let callable = |place: &SymbolId| {
        index.symbol(*place).is_some_and(|symbol| {
            symbol.kind.is_function() || !symbol.signature.is_empty() && symbol.kind.is_type()
        })
    };
    let mut places = match (file, &call.on) {
        // The type around a piece is not in the piece; the file has it.
        (Some(file), Receiver::Own) => {
            let mut found = index.definitions(&call.name);
            found.retain(|place| place.file == file);
            found
        }
        (Some(file), _) => {
            let mut found = graph.targets_of(file, piece, call);
            found.retain(|(_, how)| {
                *how == Certainty::Resolved || matches!(call.on, Receiver::Unknown | Receiver::Name(_))
            });
            found.into_iter().map(|(place, _)| place).collect()
        }
        // A new file: its imports are in the text, its name is not in the index.
        (None, _) => {
            let folder =
                |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
            let imported = piece.imports.iter().any(|import| import.alias == call.name);
            let mut found = Wanted::new(&call.name).find(index);
            found.retain(|place| {
                imported || call.on != Receiver::Nothing || folder(index.path(place.file)) == folder(path)
            });
            found
        }
    };
    places.retain(callable);
    match places.as_slice() {
        [one] => Some(*one),
        // A header and its body are one thing.
        [first, rest @ ..]
            if rest.iter().all(|place| {
                index.symbol(*place).map(|s| s.signature) == index.symbol(*first).map(|s| s.signature)
            }) =>
        {
            Some(*first)
        }
        _ => None,
    }
}
