//! post-edit-simplify-reminder: after several edits, a word about simplifying what was written; not often.

use serde_json::Value;
use sprag_base::glob;
use sprag_config::settings;
use sprag_protocol::tool::ToolKind;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::history::SIMPLIFY;
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};

settings! {
    struct PostEditSimplifyReminderSettings<'a> {
        /// edits since the last reminder or simplification
        edits: usize = 5, min 1;
        /// the time between two reminders
        minutes: u64 = 10;
        /// subagents and skills that simplify: after one of them the count restarts; `*` is any text
        simplifiers: Texts = ["*simplif*"];
        /// what is said
        text: Text = "Before you go on, look whether it can be simpler: repeated code, dead code, needless layers.";
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "post-edit-simplify-reminder",
        family: Family::Team,
        bundle: Bundle::Advice,
        summary: "after several edits, reminds of simplifying what was written; at most every ten minutes",
        sees: &[Sees {
            kind: EventKind::PostToolUse,
            matcher: "Edit|Write|MultiEdit|apply_patch|Agent|Task|Skill",
        }],
        presets: Presets::of(&[Preset::Standard]),
        settings: PostEditSimplifyReminderSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: PostEditSimplifyReminderSettings<'_> = cx.settings.read();
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    let now = cx.host.clock.now().seconds();
    if !matches!(tool.kind, ToolKind::Edit | ToolKind::Write | ToolKind::Patch) {
        let input = event.tool_input();
        let named = ["subagent_type", "skill", "command", "name"]
            .iter()
            .find_map(|key| input.and_then(|input| input.get(*key)).and_then(Value::as_str));
        let simplifies =
            named.is_some_and(|name| settings.simplifiers.iter().any(|pattern| glob::name(pattern, name)));
        if simplifies && SIMPLIFY.exists(cx) {
            SIMPLIFY.add(cx, &format!("s {now}"))?;
        }
        return Ok(Reply::pass());
    }
    SIMPLIFY.add(cx, &format!("e {now}"))?;
    let found = count(&SIMPLIFY.read(cx)?);
    let pause = settings.minutes * 60;
    if found.edits < settings.edits || found.reminded.is_some_and(|at| at + pause > now) {
        return Ok(Reply::pass());
    }
    SIMPLIFY.add(cx, &format!("r {now}"))?;
    let text = format!("{} edits so far. {}", found.edits, settings.text);
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
struct EditCount {
    edits: usize,
    reminded: Option<u64>,
}

/// Edits since the last reminder or simplification, and when the last reminder was. Pure.
fn count(text: &str) -> EditCount {
    text.lines().fold(EditCount::default(), |found, line| {
        let at = line.split_whitespace().nth(1).and_then(|text| text.parse().ok());
        match line.as_bytes().first() {
            Some(b'e') => EditCount { edits: found.edits + 1, ..found },
            Some(b'r') => EditCount { edits: 0, reminded: at },
            Some(b's') => EditCount { edits: 0, ..found },
            _ => found,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_count_from_the_last_word_about_them() {
        assert_eq!(count("e 1\ne 2\n"), EditCount { edits: 2, reminded: None });
        assert_eq!(count("e 1\nr 2\ne 3\n"), EditCount { edits: 1, reminded: Some(2) });
        assert_eq!(count("e 1\nr 2\ne 3\ns 4\n"), EditCount { edits: 0, reminded: Some(2) });
        assert_eq!(count("e\nnonsense\n\n"), EditCount { edits: 1, reminded: None });
    }
}
