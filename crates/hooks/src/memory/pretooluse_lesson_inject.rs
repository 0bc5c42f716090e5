//! pretooluse-lesson-inject: what was learned about calls like this one, beside the call, once per session and agent.
//! A guard denies the call.

use serde_json::json;
use sprag_config::settings;
use sprag_lessons::call::{CallSite, LessonCall, PLATFORM};
use sprag_lessons::fires::{self, Did};
use sprag_lessons::index::{Entry, Index, Matches};
use sprag_lessons::library::{self, Library};
use sprag_lessons::seen::Seen;
use sprag_lessons::select::{Budget, Selected, select};
use sprag_lessons::texts;
use sprag_lessons::{jobs, speak};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};

/// Lessons beside one call, where nobody says another number.
const DEFAULT_LESSONS: usize = 3;
/// The same of bytes.
const DEFAULT_BYTES: usize = 4_096;

settings! {
    struct PretooluseLessonInjectSettings {
        /// the most lessons beside one call
        max_lessons_per_injection: Option<usize> = DEFAULT_LESSONS as i64;
        /// the most bytes of lessons beside one call; the first is whole, the next may be cut to three lines
        injection_budget_bytes: Option<usize> = DEFAULT_BYTES as i64, min 256;
        /// hints below this confidence (percent) are silent
        min_confidence: i64 = 50;
        /// hints below this priority are silent
        min_priority: i64 = 1, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "pretooluse-lesson-inject",
        family: Family::Memory,
        bundle: Bundle::Lessons,
        summary: "lessons about calls like this one, beside the call, once per session; guards deny it",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: PretooluseLessonInjectSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// Slugs that the caller says were shown.
const SEEN: &str = "LESSONS_SEEN";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let library = speak::open(cx);
    if library.indexes.is_empty() {
        return Ok(troubled(&library));
    }
    let platform = cx.host.env.get(PLATFORM);
    let Some(call) = LessonCall::of(event, platform.as_deref()) else { return Ok(Reply::pass()) };
    let place = CallSite::here(cx);
    let found: Vec<(&Index, Matches)> =
        library.indexes.iter().map(|index| (index, call.find(index, &place))).collect();
    let now = cx.host.clock.now().0 as i64;
    for (index, matches) in &found {
        for entry in matches.given_up.iter().filter_map(|rank| index.entry(*rank)) {
            fires::note(&cx.host.paths, &entry.slug, &event.session_id, Did::Gaveup, now);
        }
    }
    // A guard first: what is denied needs no hint, and the hint is not lost by it.
    let guard = found
        .iter()
        .filter_map(|(index, matches)| matches.guards.first().and_then(|rank| index.entry(*rank)))
        .max_by_key(|entry| entry.priority);
    if let Some(guard) = guard {
        if !cx.recheck {
            fires::note(&cx.host.paths, &guard.id, &event.session_id, Did::Denied, now);
        }
        let rule = format!("lesson:{}", guard.slug);
        let instead = format!("Where it comes from: `sprag lessons show {}`.", guard.slug);
        return Ok(Reply::deny(texts::guard_reason(&guard, &call.command)).rule(rule).instead(instead));
    }
    if found.iter().all(|(_, matches)| matches.hints.is_empty()) || cx.session.is_recovering() {
        return Ok(troubled(&library));
    }
    let given = cx.host.env.get(SEEN).unwrap_or_default();
    let mut seen = Seen::of(cx.session, &event.session_id, event.agent_id.as_deref(), &given);
    let selected = choose(&found, &mut seen, cx, &library);
    if selected.said.is_empty() {
        return Ok(troubled(&library));
    }
    for (entry, _) in &selected.said {
        fires::note(&cx.host.paths, &entry.id, &event.session_id, Did::Shown, now);
        fires::cool(&cx.host.paths, &entry.id, entry.cooldown_minutes);
    }
    let path = call.paths.first().map_or("", String::as_str);
    let text = texts::injection(&selected, &texts::title(call.tool(), &call.command, path));
    let note = Note { key: "lessons".to_owned(), priority: priority::FACTS, text, repeat: Repeat::Always };
    let mut reply = Reply { notes: vec![note], ..troubled(&library) };
    // A caller that keeps the list itself gets it back.
    if !given.is_empty() || cx.host.env.get(library::MANIFEST).is_some() {
        let slugs = Seen::of(cx.session, &event.session_id, event.agent_id.as_deref(), &given).slugs();
        reply.fields.insert("env".to_owned(), json!({ SEEN: slugs.join(",") }));
    }
    Ok(reply)
}

/// What is wrong with the lessons is the worker's to fix.
fn troubled(library: &Library) -> Reply {
    if library.rebuild { Reply::pass().with_job(jobs::sync_job()) } else { Reply::pass() }
}

fn choose(found: &[(&Index, Matches)], seen: &mut Seen, cx: &Cx<'_>, library: &Library) -> Selected {
    let settings: PretooluseLessonInjectSettings = cx.settings.read();
    let least = (settings.min_confidence * 10, settings.min_priority);
    let now = cx.host.clock.now();
    let fits = |entry: &Entry| {
        i64::from(entry.confidence) >= least.0
            && i64::from(entry.priority) >= least.1
            && !fires::is_cooling(&cx.host.paths, &entry.id, entry.cooldown_minutes, now)
    };
    let mut queues: Vec<_> = found
        .iter()
        .map(|(index, matches)| {
            matches.hints.iter().filter_map(|rank| index.entry(*rank)).filter(&fits).peekable()
        })
        .collect();
    // The best of all that are next, one after another: what is not needed is not read.
    let mut order = std::iter::from_fn(|| {
        let best = queues
            .iter_mut()
            .enumerate()
            .filter_map(|(at, queue)| queue.peek().map(|entry| (entry.priority, std::cmp::Reverse(at))))
            .max()?;
        queues.get_mut(best.1.0)?.next()
    });
    let before = seen.clone();
    let unseen = std::iter::from_fn(|| order.by_ref().find(|entry| !before.has(&entry.slug)));
    select(unseen, budget(cx, library), |entry| seen.claim(&entry.slug, entry.priority))
}

/// The variable, then the user's setting, then what came with the lessons, then the default.
fn budget(cx: &Cx<'_>, library: &Library) -> Budget {
    let settings: PretooluseLessonInjectSettings = cx.settings.read();
    let config = library.indexes.iter().map(|index| index.header.config);
    let number = |variable: &str, setting: Option<usize>, imported: Option<u32>| {
        let given = cx.host.env.get(variable).and_then(|text| text.trim().parse::<usize>().ok());
        given.or(setting).or(imported.map(|number| number as usize))
    };
    Budget {
        lessons: number(
            "LESSONS_MAX_LESSONS_PER_INJECTION",
            settings.max_lessons_per_injection,
            config.clone().find_map(|config| config.max_lessons),
        )
        .unwrap_or(DEFAULT_LESSONS),
        bytes: number(
            "LESSONS_INJECTION_BUDGET_BYTES",
            settings.injection_budget_bytes,
            config.clone().find_map(|config| config.budget_bytes),
        )
        .unwrap_or(DEFAULT_BYTES),
    }
}
