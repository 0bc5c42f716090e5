//! enforce-doc-rules: the project's rules for documents when one is edited, once per file, and a limit on its size.
//! Warns when a document would grow past the limit and says where to split; denies only when told to.

use sprag_base::files::read_limited;
use sprag_base::glob;
use sprag_config::settings;
use sprag_protocol::edits::{self, Change};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};

settings! {
    struct EnforceDocRulesSettings<'a> {
        /// which files are documents; `*.md` is all of that kind
        paths: Texts = ["docs/**/*.md", "docs/**/*.mdx", "doc/**/*.md"], tighten Add;
        /// files with the rules for documents, below the project's root; the first that is there
        rules_files: Texts = [".sprag/rules/docs.md", "rules/docs.md"];
        /// the rules when there is no such file; empty: none
        text: Text = RULES;
        /// the most characters of the rules
        max_rules_chars: usize = 1_500, min 100;
        /// the most lines of one document
        max_lines: usize = 800, min 1, tighten Lower;
        /// deny what grows a document past the limit
        deny: bool = false, tighten ToTrue;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "enforce-doc-rules",
        family: Family::Guard,
        bundle: Bundle::Advice,
        summary: "gives the rules for documents once per file, and warns when one would have more than 800 lines",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "Edit|Write|MultiEdit" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: EnforceDocRulesSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// What holds for documents anywhere.
const RULES: &str = "One subject per document, and its first lines say which and for whom. Headings in order, none \
skipped. Relative links to files that exist. A language on every code block. Say what is true now: no dates, no plans, no \
history of the change. When a document is renamed or removed, its links go along.";

/// The most of a document that is read.
const LOOK_AT: u64 = 4 << 20;

#[expect(clippy::unnecessary_wraps, reason = "the signature of every hook")]
fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: EnforceDocRulesSettings<'_> = cx.settings.read();
    let most = settings.max_lines;
    let mut reply = Reply::pass();
    let mut denied = Vec::new();
    for file in edits::of(event) {
        let path = edits::absolute(&file.path, &cx.project.cwd);
        let Ok(inside) = path.strip_prefix(&cx.project.root) else { continue };
        let shown = inside.to_string_lossy().replace('\\', "/");
        if file.change == Change::Delete || !settings.paths.iter().any(|pattern| glob::path(pattern, &shown))
        {
            continue;
        }
        let before = read_limited(&path, LOOK_AT).ok().flatten().unwrap_or_default();
        let before = String::from_utf8_lossy(&before);
        if let Some(size) = oversize(&file.change, &before, most) {
            let text = format!("`{shown}` {size}");
            if settings.deny {
                denied.push(text);
                continue;
            }
            reply = reply.with_note(format!("doc-size:{shown}"), priority::WARNING, text);
        }
        if let Some(rules) = rules(cx) {
            // The rules are said once; what they hold for is said for every file.
            reply = reply
                .with_note("doc-rules", priority::RULES, format!("# Rules for documents\n{rules}"))
                .with_note(
                    format!("doc-rules:{shown}"),
                    priority::REMINDER,
                    format!(
                        "`{shown}` is a document: the rules for documents hold, and at most {most} lines."
                    ),
                );
        }
    }
    if denied.is_empty() { Ok(reply) } else { Ok(Reply::deny(denied.join(" "))) }
}

/// The project's rules for documents, cut at a line.
fn rules(cx: &Cx<'_>) -> Option<String> {
    let settings: EnforceDocRulesSettings<'_> = cx.settings.read();
    let room = settings.max_rules_chars;
    let file = settings.rules_files.iter().find_map(|name| {
        let bytes = read_limited(&cx.project.root.join(name), 256 << 10).ok().flatten()?;
        Some((name, String::from_utf8_lossy(&bytes).trim().to_owned())).filter(|(_, text)| !text.is_empty())
    });
    let (name, text) = match &file {
        Some((name, text)) => (*name, text.as_str()),
        None => ("", settings.text),
    };
    if text.trim().is_empty() {
        return None;
    }
    let mut shown = String::new();
    for line in text.lines() {
        if shown.chars().count() + line.chars().count() > room {
            shown.extend(line.chars().take(room.saturating_sub(shown.chars().count())));
            let place = if name.is_empty() { "the settings" } else { name };
            shown.extend(["\n[the rest is in ", place, "]"]);
            break;
        }
        shown.push_str(line);
        shown.push('\n');
    }
    Some(shown.trim_end().to_owned())
}

/// What to say about a document that would be too long; an edit that makes a long one no longer is let pass.
/// Pure.
fn oversize(change: &Change<'_>, before: &str, most: usize) -> Option<String> {
    let now = before.lines().count();
    let after = change.lines_after(before)?;
    if after <= most || after <= now {
        return None;
    }
    // In steps, so that every added line is not news.
    let step = (most / 8).max(1);
    let over = most + (after - most - 1) / step * step;
    let text = change.text_after(before).unwrap_or_default();
    let sections = sections(&text);
    let split = match sections.as_slice() {
        [] => "Split it by subject and link the parts.".to_owned(),
        largest => format!("Split it and link the parts; the largest sections are {}.", largest.join(", ")),
    };
    Some(format!("would have more than {over} lines, the limit for a document is {most}. {split}"))
}

/// The three largest sections of second level with their lines; code blocks have no headings.
fn sections(text: &str) -> Vec<String> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fence = !fence;
        }
        match line.strip_prefix("## ").filter(|_| !fence) {
            Some(title) => found.push((title.trim().chars().take(60).collect(), 1)),
            None => {
                if let Some((_, lines)) = found.last_mut() {
                    *lines += 1;
                }
            }
        }
    }
    if found.len() < 2 {
        return Vec::new();
    }
    found.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    found.into_iter().take(3).map(|(title, lines)| format!("`{title}` ({lines} lines)")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sprag_protocol::edits::Part;

    fn lines(count: usize) -> String {
        "x\n".repeat(count)
    }

    fn part(old: &str, new: &str) -> Change<'static> {
        Change::Parts(vec![Part { old: old.to_owned().into(), new: new.to_owned().into(), all: false }])
    }

    #[test]
    fn the_limit_is_on_what_the_file_would_have() {
        assert_eq!(oversize(&Change::Whole(lines(800).into()), "", 800), None);
        assert!(
            oversize(&Change::Whole(lines(801).into()), "", 800).unwrap().contains("more than 800 lines")
        );
        let before = lines(799) + "end\n";
        assert_eq!(oversize(&part("end\n", "the end\n"), &before, 800), None);
        assert!(oversize(&part("end\n", "one\ntwo\n"), &before, 800).is_some());
    }

    #[test]
    fn what_makes_a_long_document_no_longer_is_let_pass() {
        let before = lines(1_000) + "end\n";
        assert_eq!(oversize(&part("end\n", "end!\n"), &before, 800), None);
        assert_eq!(oversize(&part("end\n", ""), &before, 800), None);
        assert_eq!(oversize(&Change::Whole(lines(900).into()), &before, 800), None);
        assert!(oversize(&part("end\n", "end\nmore\n"), &before, 800).unwrap().contains("more than 1000"));
    }

    #[test]
    fn it_is_said_in_steps() {
        let said = |count: usize| oversize(&Change::Whole(lines(count).into()), "", 800);
        assert_eq!(said(810), said(890));
        assert_ne!(said(810), said(910));
    }

    #[test]
    fn the_largest_sections_are_where_to_split() {
        let text = format!(
            "# T\n## Small\na\n## Large\n{}```sh\n## no heading\n```\n## Middle\n{}",
            lines(9),
            lines(4)
        );
        assert_eq!(sections(&text), ["`Large` (13 lines)", "`Middle` (5 lines)", "`Small` (2 lines)"]);
        assert!(sections("# T\n## Only\nx\n").is_empty());
    }

    proptest! {
        #[test]
        fn any_edit_is_measured(before in "[a#`\n ]{0,60}", old in "[a#\n]{0,6}", new in "[a#\n]{0,30}", most in 1usize..20) {
            let said = oversize(&part(&old, &new), &before, most);
            prop_assert!(said.is_none() || part(&old, &new).lines_after(&before) > Some(most));
        }
    }
}
