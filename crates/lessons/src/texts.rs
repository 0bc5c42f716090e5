//! The texts that models are given: lessons beside a call, the reporting protocol, directives and protocols.

use crate::index::Entry;
use crate::model::{LessonKind, first_line};
use crate::select::{Selected, citation};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How the model reports a lesson.
pub const PROTOCOL: &str = "## [lessons-learned] Lesson Reporting

After a mistake that you recovered from or the user corrected, leave this tag in your answer:

```
#lesson
tool: <tool_name>
trigger: <command>
problem: <what_went_wrong_and_why>
solution: <what_to_do_instead>
#/lesson
```

`scope: project` if it is true only here. Take one back: `#lesson:cancel`, `problem: …`, `#/lesson:cancel`.";

/// The same for a subagent, in fewer words.
pub const SUBAGENT_PROTOCOL: &str = "## [lessons-learned] Lesson Reporting

After a mistake that you recovered from, leave this tag in your answer:

```
#lesson
tool: <tool_name>
trigger: <command>
problem: <what_went_wrong_and_why>
solution: <what_to_do_instead>
#/lesson
```";

/// What a call is called in the text.
pub fn title(tool: &str, command: &str, path: &str) -> String {
    if command.is_empty() {
        return if path.is_empty() { tool.to_owned() } else { format!("{tool}: {path}") };
    }
    let line = command.replace('`', "'");
    let cut: String = line.chars().take(80).collect();
    format!("`{cut}{}`", if cut.len() < line.len() { "..." } else { "" })
}

/// Lessons beside a call.
pub fn injection(selected: &Selected, title: &str) -> String {
    let count = selected.said.len();
    let lessons = if count == 1 { "lesson" } else { "lessons" };
    let texts: Vec<&str> = selected.said.iter().map(|(_, text)| text.trim_end()).collect();
    let slugs: Vec<&str> = selected.said.iter().map(|(entry, _)| entry.slug.as_str()).collect();
    let meta = json!({"version": 1, "injected": slugs, "dropped": selected.left});
    // The comment must end where it ends.
    let meta = meta.to_string().replace("--", "\\u002d-");
    format!(
        "<details>\n<summary>[lessons-learned] {count} {lessons} matched for {title} <em>(why am I seeing \
         this?)</em></summary>\n\nLearned from earlier mistakes on calls like this one; \
         `sprag lessons show {}` tells where it comes from.\n\n---\n\n{}\n\n</details>\n\n\
         <!-- lessonInjection: {meta} -->",
        slugs.first().copied().unwrap_or_default(),
        texts.join("\n\n"),
    )
}

/// Why a guard denies a call.
pub fn guard_reason(entry: &Entry, command: &str) -> String {
    let cut: String = command.chars().take(120).collect();
    entry.message.replace("{command}", &cut)
}

/// Directives or protocols as a section, within a budget. What does not fit is cited, then counted.
pub fn section(entries: &[Entry], kind: LessonKind, bytes: usize, level: usize) -> Option<String> {
    let of_kind: Vec<&Entry> = entries.iter().filter(|entry| entry.kind == kind).collect();
    if of_kind.is_empty() {
        return None;
    }
    let (heading, intro) = match kind {
        LessonKind::Directive => (
            "Non-Negotiable Directives",
            "IMPORTANT: these come from mistakes that were made here before. Follow them unless the user says otherwise.",
        ),
        _ => ("Active Protocols", "Ways of working that were agreed on; follow them where they apply."),
    };
    let mut room = bytes;
    let mut groups: BTreeMap<(bool, String), Vec<String>> = BTreeMap::new();
    let mut left = 0;
    for entry in of_kind {
        let full = entry.message.trim_end();
        let text = if full.len() <= room {
            full.to_owned()
        } else {
            let Some(short) = citation(entry).filter(|short| short.len() <= room) else {
                left += 1;
                continue;
            };
            short
        };
        room -= text.len();
        groups.entry((entry.group.is_empty(), entry.group.clone())).or_default().push(text);
    }
    let mut out = format!("{} {heading}\n\n{intro}", "#".repeat(level));
    let titled = groups.len() > 1;
    for ((_, group), texts) in &groups {
        if titled {
            let name = if group.is_empty() { "(untagged)" } else { group };
            let _ = write!(out, "\n\n{} {name}", "#".repeat(level + 1));
        }
        for text in texts {
            let _ = write!(out, "\n\n{text}");
        }
    }
    if left > 0 {
        let _ =
            write!(out, "\n\n[{left} more for lack of space: `sprag lessons list --type {}`]", kind.name());
    }
    Some(out)
}

/// One line about a lesson.
pub fn line(entry: &Entry) -> String {
    format!("{}: {}", entry.summary, first_line(&entry.solution, 120))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(slug: &str, kind: LessonKind, group: &str, message: &str) -> Entry {
        Entry {
            id: slug.into(),
            slug: slug.into(),
            kind,
            priority: 5,
            confidence: 800,
            message: message.into(),
            summary: format!("sum {slug}"),
            problem: String::new(),
            solution: "sol".into(),
            scope: None,
            cooldown_minutes: 0,
            group: group.into(),
        }
    }

    #[test]
    fn fault_14_a_command_is_put_into_a_reason_as_it_is() {
        let guard = entry("g", LessonKind::Guard, "", "no {command} and no {command}");
        assert_eq!(guard_reason(&guard, "a $& $' $1"), "no a $& $' $1 and no a $& $' $1");
        assert_eq!(guard_reason(&guard, &"é".repeat(500)).matches('é').count(), 240);
    }

    #[test]
    fn fault_11_a_section_keeps_its_budget_and_says_what_is_missing() {
        let all: Vec<Entry> =
            (0..40).map(|n| entry(&format!("d{n}"), LessonKind::Directive, "", &"x".repeat(600))).collect();
        let text = section(&all, LessonKind::Directive, 2000, 2).unwrap();
        assert!(text.len() < 2800 && text.contains("more for lack of space"), "{}", text.len());
        assert!(section(&all, LessonKind::Protocol, 2000, 2).is_none());
    }

    #[test]
    fn groups_have_headings_when_there_are_several_and_the_untagged_come_last() {
        let all = [
            entry("a", LessonKind::Directive, "", "untagged text"),
            entry("b", LessonKind::Directive, "tool:git", "git text"),
            entry("c", LessonKind::Directive, "lang:rust", "rust text"),
        ];
        let text = section(&all, LessonKind::Directive, 4000, 2).unwrap();
        let at = |needle: &str| text.find(needle).unwrap();
        assert!(at("### lang:rust") < at("### tool:git") && at("### tool:git") < at("### (untagged)"));
        assert!(!section(&all[..1], LessonKind::Directive, 4000, 2).unwrap().contains("###"));
    }

    #[test]
    fn an_injection_tells_what_and_how_much() {
        let selected = Selected {
            said: vec![(entry("a", LessonKind::Hint, "", "text a"), "text a".into())],
            left: vec!["b-->c".into()],
        };
        let text = injection(&selected, &title("Bash", "git stash", ""));
        assert!(
            text.contains("[lessons-learned] 1 lesson matched for `git stash`") && text.contains("text a")
        );
        assert_eq!(text.matches("-->").count(), 1, "a slug cannot end the comment");
        assert!(title("Bash", &"x".repeat(100), "").ends_with("...`"));
        assert_eq!(title("Edit", "", "/a"), "Edit: /a");
    }
}
