//! post-edit-simplify-reminder: after several edits, a word about simplifying what was written; not often.

use serde_json::Value;
use sprag_base::glob;
use sprag_config::settings::{Kind, Setting};
use sprag_protocol::tool::ToolKind;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::history::SIMPLIFY;
use sprag_runtime::hook::{
    Builtin, Cx, Family, HookResult, HookSpec, Note, Presets, Repeat, Reply, Sees, priority,
};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "post-edit-simplify-reminder",
        family: Family::Team,
        summary: "after several edits, reminds of simplifying what was written; at most every ten minutes",
        sees: &[Sees {
            kind: EventKind::PostToolUse,
            matcher: "Edit|Write|MultiEdit|apply_patch|Agent|Task|Skill",
        }],
        presets: Presets("s"),
        settings: &[
            Setting::new(
                "edits",
                Kind::Int { default: 5, min: 1 },
                "edits since the last reminder or simplification",
            ),
            Setting::new("minutes", Kind::Int { default: 10, min: 0 }, "the time between two reminders"),
            Setting::new(
                "simplifiers",
                Kind::Texts(&["*simplif*"]),
                "subagents and skills that simplify: after one of them the count begins anew; `*` is any text",
            ),
            Setting::new(
                "text",
                Kind::Text(
                    "Before you go on, look whether it can be simpler: repeated code, dead code, needless layers.",
                ),
                "what is said",
            ),
        ],
        timeout_ms: 500,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    let now = cx.host.clock.now().seconds();
    if !matches!(tool.kind, ToolKind::Edit | ToolKind::Write | ToolKind::Patch) {
        let input = event.tool_input();
        let named = ["subagent_type", "skill", "command", "name"]
            .iter()
            .find_map(|key| input.and_then(|input| input.get(*key)).and_then(Value::as_str));
        let simplifies = named.is_some_and(|name| {
            cx.settings.texts("simplifiers").iter().any(|pattern| glob::name(pattern, name))
        });
        if simplifies && SIMPLIFY.exists(cx) {
            SIMPLIFY.add(cx, &format!("s {now}"))?;
        }
        return Ok(Reply::pass());
    }
    SIMPLIFY.add(cx, &format!("e {now}"))?;
    let found = count(&SIMPLIFY.read(cx)?);
    let pause = cx.settings.int("minutes").unsigned_abs() * 60;
    if found.edits < cx.settings.count("edits") || found.reminded.is_some_and(|at| at + pause > now) {
        return Ok(Reply::pass());
    }
    SIMPLIFY.add(cx, &format!("r {now}"))?;
    let text = format!("{} edits so far. {}", found.edits, cx.settings.text("text"));
    let note = Note {
        key: "post-edit-simplify-reminder".to_owned(),
        priority: priority::REMINDER,
        text,
        repeat: Repeat::Always,
    };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}

/// What a record adds up to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    edits: usize,
    reminded: Option<u64>,
}

/// Edits since the last reminder or simplification, and when the last reminder was. Pure.
fn count(text: &str) -> Found {
    text.lines().fold(Found::default(), |found, line| {
        let at = line.split_whitespace().nth(1).and_then(|text| text.parse().ok());
        match line.as_bytes().first() {
            Some(b'e') => Found { edits: found.edits + 1, ..found },
            Some(b'r') => Found { edits: 0, reminded: at },
            Some(b's') => Found { edits: 0, ..found },
            _ => found,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_count_from_the_last_word_about_them() {
        assert_eq!(count("e 1\ne 2\n"), Found { edits: 2, reminded: None });
        assert_eq!(count("e 1\nr 2\ne 3\n"), Found { edits: 1, reminded: Some(2) });
        assert_eq!(count("e 1\nr 2\ne 3\ns 4\n"), Found { edits: 0, reminded: Some(2) });
        assert_eq!(count("e\nnonsense\n\n"), Found { edits: 1, reminded: None });
    }
}
