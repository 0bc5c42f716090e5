//! posttooluse-directive-refresh: directives and protocols again when much was said since.

use serde_json::Value;
use sprag_config::settings;
use sprag_lessons::model::LessonKind as Lesson;
use sprag_lessons::seen::Seen;
use sprag_lessons::speak;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_transcript::{Reader, Totals};
use std::path::Path;

settings! {
    struct PosttooluseDirectiveRefreshSettings<'a> {
        /// percent of the context at which they are said again; none switches this off
        reinject_thresholds: Texts = ["30", "52", "70"];
        /// where the context usage is not known: every so many calls; 0 is never
        reinject_tool_count: u64 = 20;
        /// the most bytes of one refresh
        max_bytes: usize = 2_048, min 256;
        /// the size of the model's context in tokens, where the agent does not say it
        context_window: u64 = 200_000, min 1_000;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "posttooluse-directive-refresh",
        family: Family::Memory,
        bundle: Bundle::Lessons,
        summary: "says directives and protocols again as the context fills, or every so many calls",
        sees: &[Sees { kind: EventKind::PostToolUse, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: PosttooluseDirectiveRefreshSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The context usage is looked up in the transcript this often: it changes slowly, and a tool call must not wait for it.
const LOOK_EVERY: u64 = 4;
/// The last part of a transcript that is looked at.
const TAIL: u64 = 128 << 10;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: PosttooluseDirectiveRefreshSettings<'_> = cx.settings.read();
    // A subagent is short and was told at its start.
    if event.session_id.is_empty() || event.agent_id.is_some() {
        return Ok(Reply::pass());
    }
    let library = speak::open(cx);
    if !library.indexes.iter().any(|index| index.header.speaks_at_start) {
        return Ok(Reply::pass());
    }
    let seen = Seen::of(cx.session, &event.session_id, None, "");
    let calls = seen.count("calls");
    let due = match percent(event, cx, calls) {
        Percent::Known(percent) => crossed(&seen, &thresholds(cx), percent),
        Percent::Unknown => {
            let every = number(cx, "LESSONS_REINJECT_TOOL_COUNT", settings.reinject_tool_count);
            // By the round, not by the number: of calls that end together none may skip it.
            calls
                .checked_div(every)
                .is_some_and(|round| round > 0 && seen.claim_other(&format!("round-{round}")))
        }
        Percent::NotNow => false,
    };
    if !due {
        return Ok(Reply::pass());
    }
    let entries = speak::entries(&library, cx, 0);
    let kinds = [Lesson::Directive, Lesson::Protocol];
    let Some(text) = speak::sections(&entries, &kinds, settings.max_bytes, 3) else {
        return Ok(Reply::pass());
    };
    let text =
        format!("## Directive refresh\n\nSaid at the start of this session, and still true:\n\n{text}");
    let note =
        Note { key: "lesson-refresh".to_owned(), priority: priority::REMINDER, text, repeat: Repeat::Always };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}

/// Takes every threshold that is crossed; true when one is new. A jump over several says it once.
fn crossed(seen: &Seen, thresholds: &[f64], percent: f64) -> bool {
    let mut new = false;
    for threshold in thresholds.iter().filter(|threshold| **threshold <= percent) {
        new |= seen.claim_other(&format!("full-{threshold}"));
    }
    new
}

fn thresholds(cx: &Cx<'_>) -> Vec<f64> {
    let settings: PosttooluseDirectiveRefreshSettings<'_> = cx.settings.read();
    let text = match cx.host.env.set("LESSONS_REINJECT_THRESHOLDS") {
        Some(text) => text,
        None => settings.reinject_thresholds.to_vec().join(","),
    };
    text.split(',').filter_map(|part| part.trim().trim_end_matches('%').parse().ok()).collect()
}

fn number(cx: &Cx<'_>, variable: &str, setting: u64) -> u64 {
    let given = cx.host.env.get(variable).and_then(|text| text.trim().parse().ok());
    given.unwrap_or(setting)
}

enum Percent {
    Known(f64),
    Unknown,
    NotNow,
}

/// How full the context is: as the payload says, else as the end of the transcript does.
fn percent(event: &Event, cx: &Cx<'_>, calls: u64) -> Percent {
    let settings: PosttooluseDirectiveRefreshSettings<'_> = cx.settings.read();
    let said = event.raw.get("context_window").and_then(|window| window.get("used_percentage"));
    if let Some(percent) = said.and_then(Value::as_f64) {
        return Percent::Known(percent);
    }
    let Some(path) = event.transcript_path.as_deref() else { return Percent::Unknown };
    if calls % LOOK_EVERY != 1 {
        // The rounds are counted by calls, so nothing is lost by not looking.
        return if cx.session.has("lessons-main/~window") { Percent::NotNow } else { Percent::Unknown };
    }
    let mut totals = Totals::default();
    if let Ok(reader) = Reader::tail(Path::new(path), TAIL) {
        for record in reader {
            totals.add(&record);
        }
    }
    let Some(usage) = totals.last().filter(|usage| usage.context() > 0) else { return Percent::Unknown };
    let _ = Seen::of(cx.session, &event.session_id, None, "").claim_other("window");
    let window = usage.window.unwrap_or(settings.context_window).max(1);
    Percent::Known(usage.context() as f64 * 100.0 / window as f64)
}
