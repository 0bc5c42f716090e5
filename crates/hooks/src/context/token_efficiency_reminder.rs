//! token-efficiency-reminder: a short word on saving tokens, at the first prompt and when the window fills up.

use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_usage::context;
use std::time::Duration;

settings! {
    struct TokenEfficiencyReminderSettings<'a> {
        /// the reminder; at most 300 characters of it are said
        text: Text = "Save tokens: search before you read, read ranges instead of whole files, run quiet commands, do not repeat \
             what was said, and answer in as few words as the question needs.";
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "token-efficiency-reminder",
        family: Family::Context,
        bundle: Bundle::Advice,
        summary: "reminds of saving tokens at the first prompt and when the window is 70 and 90 percent full",
        sees: &[Sees { kind: EventKind::UserPromptSubmit, matcher: "" }],
        presets: Presets::of(&[Preset::Standard]),
        settings: TokenEfficiencyReminderSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The levels that were said, one per line.
const SAID: &str = "token-efficiency";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: TokenEfficiencyReminderSettings<'_> = cx.settings.read();
    if !event.is_from_user() || event.agent_id.is_some() {
        return Ok(Reply::pass());
    }
    let percent = context::current(event, cx, Duration::from_secs(60), 0).map_or(0, |full| full.percent());
    let level = match percent {
        90.. => "90",
        70..90 => "70",
        _ => "first",
    };
    let said = cx.session.read(SAID);
    // At the first prompt once; later only when a new level is reached.
    if said.lines().any(|line| line == level) || (level == "first" && !said.is_empty()) {
        return Ok(Reply::pass());
    }
    cx.session.append(SAID, level)?;
    let text: String = settings.text.chars().take(300).collect();
    let note = Note {
        key: "token-efficiency-reminder".to_owned(),
        priority: priority::REMINDER,
        text,
        repeat: Repeat::Always,
    };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}
