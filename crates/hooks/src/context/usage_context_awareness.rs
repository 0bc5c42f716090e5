//! usage-context-awareness: how full the model's window is, from the transcript; a warning at 70 and at 90 percent.

use crate::fullness::{self, Fullness};
use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Presets, Reply, Sees};
use sprag_engine::settings::{Kind, Setting};
use sprag_protocol::{Event, EventKind};
use std::time::Duration;

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "usage-context-awareness",
    family: Family::Context,
    summary: "warns when the model's window is 70 and 90 percent full, from the transcript's own numbers",
    sees: &[
        Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
        Sees { kind: EventKind::PostToolUse, matcher: "" },
    ],
    presets: Presets("sxw"),
    settings: &[
        Setting::new(
            "warn_at",
            Kind::Int { default: 70, min: 1 },
            "percent of the window for the first warning",
        ),
        Setting::new(
            "critical_at",
            Kind::Int { default: 90, min: 1 },
            "percent of the window for the second",
        ),
        Setting::new(
            "window",
            Kind::Int { default: 0, min: 0 },
            "tokens that fit; 0 goes by the model's name",
        ),
        Setting::new(
            "prompt_seconds",
            Kind::Int { default: 60, min: 0 },
            "a look is good for this long at a prompt",
        ),
        Setting::new(
            "tool_seconds",
            Kind::Int { default: 300, min: 0 },
            "a look is good for this long at a tool call",
        ),
    ],
    timeout_ms: 1_000,
    run,
};

/// The highest level that the session was told of.
const TOLD: &str = "fullness-told";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.agent_id.is_some() {
        // A subagent has a window of its own, and its transcript is not this one.
        return Ok(Reply::pass());
    }
    let key = if event.kind == EventKind::PostToolUse { "tool_seconds" } else { "prompt_seconds" };
    let fresh = Duration::from_secs(cx.settings.int(key) as u64);
    let Some(full) = fullness::current(event, cx, fresh, cx.settings.int("window") as u64) else {
        return Ok(Reply::pass());
    };
    let told: u8 = cx.session.read(TOLD).trim().parse().unwrap_or(0);
    let level = level(&full, cx.settings.int("warn_at") as u64, cx.settings.int("critical_at") as u64);
    if level != told {
        // Also downwards: after a compaction the next rise is news again.
        cx.session.write(TOLD, &level.to_string())?;
    }
    if level <= told {
        return Ok(Reply::pass());
    }
    Ok(Reply::warn("usage-context-awareness", text(&full, level)))
}

fn level(full: &Fullness, warn: u64, critical: u64) -> u8 {
    match full.percent() {
        percent if percent >= critical => 2,
        percent if percent >= warn => 1,
        _ => 0,
    }
}

fn text(full: &Fullness, level: u8) -> String {
    let (percent, tokens, window) = (full.percent(), full.tokens / 1000, full.window / 1000);
    let what = if level == 2 {
        "Write down now what must not be lost (state, decisions, next step); a compaction is close."
    } else {
        "Read only what is needed, and note decisions as you go."
    };
    format!("The context window is {percent} % full ({tokens}k of {window}k tokens). {what}")
}
