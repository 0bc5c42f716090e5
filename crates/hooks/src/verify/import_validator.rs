//! import-validator: imports that an edit brought and that do not resolve, as module or as name, with the nearest that do.

use super::ask;
use super::disk::{Disk, below};
use crate::edits::{self, Change};
use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Note, Presets, Repeat, Reply, Sees, priority};
use sprag_engine::settings::{Kind, Setting};
use sprag_protocol::{Event, EventKind};
use sprag_verify::detect::Tree as _;
use sprag_verify::imports;

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "import-validator",
    family: Family::Verify,
    summary: "tells which imports of an edited Python, TypeScript, JavaScript, Rust or Go file do not resolve",
    sees: &[Sees { kind: EventKind::PostToolUse, matcher: "Edit|Write|MultiEdit" }],
    presets: Presets("sx"),
    settings: &[Setting::new(
        "max_shown",
        Kind::Int { default: 8, min: 1 },
        "the most imports that are named at a time",
    )],
    timeout_ms: 1_000,
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let tree = Disk { root: &cx.project.root };
    let mut lines = Vec::new();
    let ours = ask::edited(event, cx);
    for edit in edits::of(event) {
        let path = edits::absolute(&edit.path, &cx.project.cwd);
        let Some(file) = below(&cx.project.root, &path).filter(|_| ours.contains(&path)) else { continue };
        let Some(language) = imports::language_of(&file) else { continue };
        let Some(text) = tree.read(&file) else { continue };
        for problem in imports::check(language, &file, &text, &tree) {
            if brought(&edit.change, &problem.about) {
                lines.push(format!("\n- {file}:{}: {}", problem.line, problem.text));
            }
        }
    }
    if lines.is_empty() {
        return Ok(Reply::pass());
    }
    let most = cx.settings.count("max_shown");
    let mut text = "These imports do not resolve:".to_owned();
    text.extend(lines.iter().take(most).map(String::as_str));
    if lines.len() > most {
        text.push_str(&format!("\n- and {} more", lines.len() - most));
    }
    let note =
        Note { key: "import-validator".to_owned(), priority: priority::WARNING, text, repeat: Repeat::Once };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
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
