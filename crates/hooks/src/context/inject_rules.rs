//! inject-rules: the project's and the user's rules, in a stable order, under a budget.
//! Again after a compaction or a clear; on a resume only what changed (the context broker remembers).

use sprag_base::files::read_limited;
use sprag_config::settings;
use sprag_config::trust::{self, Trust};
use sprag_project::rules::{body, lines_within, rule_files, too_large};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::broker;
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use sprag_scan::injection;
use std::cell::OnceCell;

settings! {
    struct InjectRulesSettings<'a> {
        /// folders with *.md files, below the project's root; `~config` is sprag's own folder, `~` the home
        folders: Texts = ["~config/rules", ".sprag/rules", "rules"];
        /// the most characters of all rules together
        max_chars: usize = 6_000, min 200;
        /// the most characters of one file
        max_file_chars: usize = 2_500, min 100;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "inject-rules",
        family: Family::Context,
        bundle: Bundle::Context,
        summary: "gives the model the rules in rules/*.md, once, within a budget",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: InjectRulesSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(_event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: InjectRulesSettings<'_> = cx.settings.read();
    let mut left = settings.max_chars;
    let per_file = settings.max_file_chars;
    let mut reply = Reply::pass();
    let mut cut = Vec::new();
    let mut hostile = Vec::new();
    let trusted = OnceCell::new();
    let is_trusted =
        || *trusted.get_or_init(|| trust::state(&cx.host.paths, &cx.project.root) == Trust::Trusted);
    for (name, path) in rule_files(&cx.project.root, &cx.host.paths, settings.folders.iter()) {
        let Some(bytes) = read_limited(&path, 256 << 10)? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let text = body(&text);
        if text.is_empty() {
            continue;
        }
        // A clone's rules are a stranger's text until somebody trusts it.
        let is_own = !path.starts_with(&cx.project.root) || is_trusted();
        if !is_own && injection::score(text) >= injection::THRESHOLD {
            hostile.push(name);
            continue;
        }
        let room = per_file.min(left);
        let size = broker::length(text);
        if room < MIN_PIECE && size > room {
            cut.push(format!("{name} (left out, {size} characters)"));
            continue;
        }
        let shown = if size > room {
            cut.push(format!("{name} ({room} of {size} characters)"));
            lines_within(text, room)
        } else {
            text
        };
        left = left.saturating_sub(broker::length(shown));
        reply =
            reply.with_note(format!("rules:{name}"), priority::RULES, format!("# Rules: {name}\n{shown}"));
    }
    if !cut.is_empty() {
        let said = format!("Rules cut for space: {}. Read the files when they matter.", names(&cut));
        reply = reply.with_note("rules:cut", priority::RULES, said);
    }
    if !hostile.is_empty() {
        let said = format!(
            "sprag left out {}: the text gives orders to the model that reads it, and this repository is not trusted. \
             (`sprag trust` lets sprag show it.)",
            names(&hostile)
        );
        reply = reply.with_note("rules:hostile", priority::RULES, said.clone()).with_message(said);
    }
    for (folder, documents) in too_large(&cx.project.root, settings.folders.iter()) {
        let said = format!(
            "{folder}/ has {documents} documents and is taken for a reference, not for rules; those that are rules can move to .sprag/rules/."
        );
        reply = reply.with_note("rules:many", priority::RULES, said);
    }
    Ok(reply)
}

/// Less than this of a file says nothing.
const MIN_PIECE: usize = 200;

/// Names of files; of many, the first ones.
fn names(all: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<&str> = all.iter().take(SHOWN).map(String::as_str).collect();
    match all.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
