//! import-validator: imports that an edit brought and that do not resolve, as module or as name, with the nearest that do.

use sprag_checks::ask;
use sprag_checks::disk::{Disk, below};
use sprag_code::index::Index;
use sprag_config::settings;
use sprag_protocol::edits::{self, Change};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_runtime::job::code_index;
use sprag_verify::detect::Tree as _;
use sprag_verify::imports::{self, Problem};

settings! {
    struct ImportValidatorSettings {
        /// the most imports that are named at a time
        max_shown: usize = 8, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "import-validator",
        family: Family::Verify,
        bundle: Bundle::Checks,
        summary: "tells which imports of an edited Python, TypeScript, JavaScript, Rust or Go file do not resolve",
        sees: &[Sees { kind: EventKind::PostToolUse, matcher: "Edit|Write|MultiEdit" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: ImportValidatorSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: ImportValidatorSettings = cx.settings.read();
    let tree = Disk { root: &cx.project.root };
    let mut found: Vec<(String, Problem)> = Vec::new();
    let ours = ask::edited(event, cx);
    for edit in edits::of(event) {
        let path = edits::absolute(&edit.path, &cx.project.cwd);
        let Some(file) = below(&cx.project.root, &path).filter(|_| ours.contains(&path)) else { continue };
        let Some(language) = imports::language_of(&file) else { continue };
        let Some(text) = tree.read(&file) else { continue };
        for problem in imports::check(language, &file, &text, &tree) {
            if brought(&edit.change, &problem.about) {
                found.push((file.clone(), problem));
            }
        }
    }
    if found.is_empty() {
        return Ok(Reply::pass());
    }
    let most = settings.max_shown;
    // Only what does not resolve is worth opening the index for.
    let (index, due) = Index::open_quick(&cx.host.paths.state, &cx.project.root);
    let job = if due { code_index(cx.project, &cx.host.paths.home) } else { None };
    let line = |(file, problem): &(String, Problem)| {
        let places = index.as_ref().map(|index| places(index, file, problem)).unwrap_or_default();
        format!("\n- {file}:{}: {}{places}", problem.line, problem.text)
    };
    let lines: Vec<String> = found.iter().map(line).collect();
    let mut text = "These imports do not resolve:".to_owned();
    text.extend(lines.iter().take(most).map(String::as_str));
    if lines.len() > most {
        text.push_str(&format!("\n- and {} more", lines.len() - most));
    }
    let note =
        Note { key: "import-validator".to_owned(), priority: priority::WARNING, text, repeat: Repeat::Once };
    Ok(Reply { notes: vec![note], jobs: job.into_iter().collect(), ..Reply::pass() })
}

/// Where the names that were wanted are defined.
fn places(index: &Index, file: &str, problem: &Problem) -> String {
    const MAX_SUGGESTIONS: usize = 3;
    let mut found: Vec<String> = Vec::new();
    for name in problem.symbols.iter().take(MAX_SUGGESTIONS) {
        let defined = index.definitions(name).into_iter();
        let other = defined.filter(|place| {
            let path = index.path(place.file);
            path != file && imports::language_of(path) == imports::language_of(file)
        });
        found.extend(other.take(MAX_SUGGESTIONS).filter_map(|place| {
            let line = index.symbol(place)?.line;
            Some(format!("`{name}` is defined in {}:{line}", index.path(place.file)))
        }));
    }
    found.truncate(MAX_SUGGESTIONS);
    if found.is_empty() { String::new() } else { format!("; {}", found.join(", ")) }
}

/// True when the edit wrote the word: what stood there before is not its doing.
fn brought(change: &Change<'_>, word: &str) -> bool {
    match change {
        Change::Whole(_) => true,
        Change::Delete => false,
        Change::Parts(parts) => {
            parts.is_empty() || parts.iter().any(|part| part.new.contains(word) && !part.old.contains(word))
        }
    }
}
