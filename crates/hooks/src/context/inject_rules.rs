//! inject-rules: the project's and the user's rules, in a stable order, under a budget.
//! Again after a compaction or a clear; on a resume only what changed (the context broker remembers).

use sprag_base::files::read_limited;
use sprag_config::settings;
use sprag_config::settings::Texts;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::broker;
use sprag_runtime::hook::{
    Builtin, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use std::path::{Path, PathBuf};

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
    for (name, path) in rule_files(cx, settings.folders) {
        let Some(bytes) = read_limited(&path, 256 << 10)? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let text = body(&text);
        if text.is_empty() {
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
        let said = format!("Rules cut for space: {}. Read the files when they matter.", cut.join(", "));
        reply = reply.with_note("rules:cut", priority::RULES, said);
    }
    Ok(reply)
}

/// Less than this of a file says nothing.
const MIN_PIECE: usize = 200;

/// The rule files: folders in the order of the setting, files by name; the same file twice counts once.
pub(crate) fn rule_files(cx: &Cx<'_>, folders: Texts<'_>) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for folder in folders.iter() {
        let dir = match folder.strip_prefix("~config") {
            Some(rest) => cx.host.paths.config.join(rest.trim_start_matches('/')),
            None => match folder.strip_prefix("~/") {
                Some(rest) => cx.host.paths.home.join(rest),
                None => cx.project.root.join(folder),
            },
        };
        let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ext| ext == "md") && path.is_file())
            .collect();
        files.sort();
        for path in files {
            if !found.iter().any(|(_, known)| *known == path) {
                found.push((shown_name(cx, &path), path));
            }
        }
    }
    found
}

fn shown_name(cx: &Cx<'_>, path: &Path) -> String {
    match path.strip_prefix(&cx.project.root) {
        Ok(relative) => relative.display().to_string(),
        Err(_) => cx.host.paths.tilde(path),
    }
}

/// The text without a front matter block, which is for tools.
pub(crate) fn body(text: &str) -> &str {
    let rest = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map(|(_, body)| body);
    rest.unwrap_or(text).trim()
}

/// Whole lines up to a number of characters; the first line may be cut inside.
pub(crate) fn lines_within(text: &str, most: usize) -> &str {
    let mut used = 0;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let size = broker::length(line);
        if used + size > most {
            break;
        }
        used += size;
        end += line.len();
    }
    if end == 0 {
        end = text.char_indices().map(|(at, _)| at).take(most).last().unwrap_or(0);
    }
    text.get(..end).unwrap_or(text).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn front_matter_is_not_a_rule() {
        assert_eq!(body("---\npaths: x\n---\n\nBe kind.\n"), "Be kind.");
        assert_eq!(body("--- no front matter"), "--- no front matter");
    }

    proptest! {
        #[test]
        fn a_cut_keeps_within_its_limit(text in "[a-zé\n ]{0,400}", most in 1usize..200) {
            prop_assert!(broker::length(lines_within(&text, most)) <= most);
        }
    }
}
