//! usage-context-awareness: how full the model's window is, from the transcript; a warning at 70 and at 90 percent.
//! The account's limits too, when that is asked for.

use sprag_base::time::Stamp;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookError, HookResult, HookSpec, Preset, Presets, Reply, Sees,
};
use sprag_usage::context::{self, ContextUsage};
use sprag_usage::limits::{self, Known, UsageSettings};
use std::path::Path;
use std::time::Duration;

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "usage-context-awareness",
        family: Family::Context,
        bundle: Bundle::Context,
        summary: "warns when the model's window is 70 and 90 percent full, from the transcript's own numbers",
        sees: &[
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::PostToolUse, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: UsageSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The highest level that the session was told of.
const TOLD: &str = "context-usage-told";
/// The levels of the account's limits that it was told of.
const LIMITS_TOLD: &str = "limits-told";
/// When the transcript was last looked at for limits.
const LOOKED: &str = "limits-looked";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.agent_id.is_some() {
        // A subagent has a window of its own, and its transcript is not this one.
        return Ok(Reply::pass());
    }
    let mut reply = window(event, cx)?;
    if cx.settings.read::<UsageSettings>().limits
        && let Some(text) = limits(event, cx)?
    {
        reply.notes.extend(Reply::warn("account-limits", text).notes);
    }
    Ok(reply)
}

/// How long a look is good at this event.
fn fresh(event: &Event, cx: &Cx<'_>) -> Duration {
    let settings: UsageSettings = cx.settings.read();
    let at_tool = event.kind == EventKind::PostToolUse;
    Duration::from_secs(if at_tool { settings.tool_seconds } else { settings.prompt_seconds })
}

fn window(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: UsageSettings = cx.settings.read();
    let Some(full) = context::current(event, cx, fresh(event, cx), settings.window) else {
        return Ok(Reply::pass());
    };
    let told: u8 = cx.session.read(TOLD).trim().parse().unwrap_or(0);
    let level = level(full.percent(), &settings);
    if level != told {
        // Also downwards: after a compaction the next rise is news again.
        cx.session.write(TOLD, &level.to_string())?;
    }
    if level <= told {
        return Ok(Reply::pass());
    }
    Ok(Reply::warn("usage-context-awareness", text(&full, level)))
}

fn level(percent: u64, settings: &UsageSettings) -> u8 {
    match percent {
        percent if percent >= settings.critical_at => 2,
        percent if percent >= settings.warn_at => 1,
        _ => 0,
    }
}

/// What is new about the account's limits: each level of each window once.
fn limits(event: &Event, cx: &Cx<'_>) -> Result<Option<String>, HookError> {
    let (now, agent) = (cx.host.clock.now(), event.agent.name());
    let looked: u64 = cx.session.read(LOOKED).trim().parse().unwrap_or(0);
    if now.0.saturating_sub(looked) >= fresh(event, cx).as_micros() as u64 {
        cx.session.write(LOOKED, &now.0.to_string())?;
        let path = event.transcript_path.as_deref().filter(|path| !path.is_empty());
        limits::keep(
            cx.host,
            agent,
            &path.map(|path| limits::of_transcript(Path::new(path))).unwrap_or_default(),
        )?;
    }
    let told = cx.session.read(LIMITS_TOLD);
    let mut said = Vec::new();
    for known in limits::of_agent(cx.host, agent).iter().filter(|known| known.counts(now)) {
        let level = level(known.limit.percent, &cx.settings.read());
        // By the hour: agents round the end of a window differently from one time to the next.
        let until = known.limit.resets.map_or(0, |at| (at.0 + 1_800_000_000) / 3_600_000_000);
        let line = format!("{level} {until} {}", known.limit.name);
        let higher = format!("2 {until} {}", known.limit.name);
        if level == 0 || told.lines().any(|told| told == line || told == higher) {
            continue;
        }
        cx.session.append(LIMITS_TOLD, &line)?;
        said.push(limit_text(known, now));
    }
    let advice = "Do first what matters most, and leave large searches and subagents for later.";
    Ok((!said.is_empty()).then(|| format!("{} {advice}", said.join(" "))))
}

fn limit_text(known: &Known, now: Stamp) -> String {
    let Known { limit, .. } = known;
    let begin = format!("The account's {} limit is {} % used", limit.name, limit.percent);
    match limit.resets.map(|at| at.0.saturating_sub(now.0) / 60_000_000) {
        Some(minutes @ 120..) => format!("{begin}; it resets in {} h.", minutes / 60),
        Some(minutes) => format!("{begin}; it resets in {minutes} min."),
        None => format!("{begin}."),
    }
}

fn text(full: &ContextUsage, level: u8) -> String {
    let (percent, tokens, window) = (full.percent(), full.tokens / 1000, full.window / 1000);
    let what = if level == 2 {
        "Write down now what must not be lost (state, decisions, next step); a compaction is close."
    } else {
        "Read only what is needed, and note decisions as you go."
    };
    format!("The context window is {percent} % full ({tokens}k of {window}k tokens). {what}")
}
