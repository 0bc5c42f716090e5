//! stop-verify: before a turn ends, lint of what the session changed, and what was asked for against what was changed.
//! A circuit breaker lets go: the same report never twice, three times in a row, and progress begins anew.

use sprag_base::env::Env;
use sprag_base::files;
use sprag_checks::ask::{self, Asking, owner};
use sprag_checks::changes;
use sprag_checks::place::{BREAKER, EDITS, NEWS, PROMPT, Place, SAID, SHELL};
use sprag_checks::run::now;
use sprag_checks::{ask::News, disk};
use sprag_config::settings;
use sprag_protocol::{Event, EventKind, ToolKind};
use sprag_runtime::calls::a_person_spoke;
use sprag_runtime::hook::{
    Builtin, Cx, Family, HookError, HookResult, HookSpec, Preset, Presets, Reply, Sees,
};
use sprag_scan::scrub::scrub;
use sprag_verify::breaker::{Breaker, Decision, ReleaseReason};
use sprag_verify::intent::{self, RequestAndDiff};
use sprag_verify::ledger::{Ledger, OpenFindings};
use sprag_verify::{Diagnostic, report};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

settings! {
    struct StopVerifySettings {
        /// the longest to wait for the linters
        timeout_s: u64 = 40, min 1;
        /// ends of a turn that are held in a row
        max_holds: u32 = 3;
        /// the most findings that are shown
        max_shown: usize = 10, min 1;
        /// compare what was asked for with what was changed
        intent: bool = true;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "stop-verify",
        family: Family::Verify,
        summary: "before a turn ends: lint of changed files and the request against the diff, with a circuit breaker",
        sees: &[
            Sees { kind: EventKind::Stop, matcher: "" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::PostToolUse, matcher: "Edit|Write|MultiEdit|Bash|PowerShell" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: StopVerifySettings::SETTINGS,
        timeout_ms: 45_000,
    },
    run,
};

/// What the compilers have at the end of a turn, beside the linters' time: together less than a chain may take.
pub(crate) const STOP_BUDGET: Duration = Duration::from_secs(14);
/// The most of a request that is kept.
const MOST_PROMPT: usize = 8 << 10;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.kind {
        EventKind::UserPromptSubmit if a_person_spoke(event) => keep_prompt(event, cx)?,
        EventKind::PostToolUse => keep_work(event, cx)?,
        EventKind::Stop => return stop(event, cx),
        _ => {}
    }
    Ok(Reply::pass())
}

/// Keeps what may have changed files: a turn without it has nothing to check.
fn keep_work(event: &Event, cx: &Cx<'_>) -> Result<(), HookError> {
    if event.tool.as_ref().is_some_and(|tool| tool.kind == ToolKind::Shell) {
        if !cx.session.has(SHELL) {
            cx.session.write(SHELL, "")?;
        }
        return Ok(());
    }
    ask::remember(cx, &ask::edited(event, cx))
}

fn stop(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: StopVerifySettings = cx.settings.read();
    if !worked(cx) {
        return Ok(Reply::pass());
    }
    let advice = if settings.intent { advice(cx) } else { Vec::new() };
    let held = Held {
        hook: HOOK.spec.name,
        which: OpenFindings::Lint,
        heading: "The linters found this in what you changed; fix it before you finish",
        wait: Duration::from_secs(settings.timeout_s),
        advice: &advice,
        max_shown: settings.max_shown,
        max_holds: settings.max_holds,
    };
    hold(event, cx, &held)
}

/// Keeps the request, and when the first one came: changes before that are not the session's.
fn keep_prompt(event: &Event, cx: &Cx<'_>) -> Result<(), HookError> {
    let Some(prompt) = event.text("prompt").filter(|prompt| !prompt.trim().is_empty()) else { return Ok(()) };
    let old = cx.session.read(PROMPT);
    let began = old.lines().next().and_then(|line| line.parse().ok()).unwrap_or_else(now);
    let kept: String = prompt.chars().take(MOST_PROMPT).collect();
    cx.session.write(PROMPT, &format!("{began}\n{}", scrub(&kept)))?;
    let mut breaker = breaker(cx);
    breaker.user_spoke();
    keep_breaker(cx, &breaker)
}

/// One hook that may hold the end of a turn.
pub(crate) struct Held<'a> {
    pub(crate) hook: &'static str,
    pub(crate) which: OpenFindings,
    pub(crate) heading: &'a str,
    pub(crate) wait: Duration,
    pub(crate) advice: &'a [String],
    /// The most findings that are shown.
    pub(crate) max_shown: usize,
    /// Ends of a turn that are held in a row.
    pub(crate) max_holds: u32,
}

/// True when the session may have changed something in this project.
fn worked(cx: &Cx<'_>) -> bool {
    !cx.project.root.as_os_str().is_empty() && (cx.session.has(EDITS) || cx.session.has(SHELL))
}

/// Checks what the session changed and holds the end of the turn while something of its own is open, within the breaker.
pub(crate) fn hold(event: &Event, cx: &Cx<'_>, held: &Held<'_>) -> HookResult {
    if !worked(cx) {
        return Ok(Reply::pass());
    }
    let began = Instant::now();
    let answered = ask::ask(event, cx, &Asking { hook: held.hook, files: &[], stop: true, wait: held.wait })?;
    let mut reply = messages(cx);
    if !answered {
        return Ok(unfinished(cx, held, began.elapsed(), reply));
    }
    let ledger = ledger(cx);
    let open = ledger.open(&owner(&event.session_id), held.which);
    let problems: BTreeSet<String> =
        open.iter().map(|(checker, found)| format!("{checker}\u{1f}{}", found.identity())).collect();
    let again = event.raw.get("stop_hook_active").and_then(serde_json::Value::as_bool).unwrap_or(false);
    let found: Vec<&Diagnostic> = open.iter().map(|(_, found)| *found).collect();
    let decision = judge(cx, held, &problems, again)?;
    let list = report::list(&found, held.max_shown);
    match decision {
        Decision::Pass | Decision::Silent => {
            if decision == Decision::Pass
                && !held.advice.is_empty()
                && first_time(cx, &held.advice.join("\n"))
            {
                add_message(&mut reply, &format!("sprag: {}.", held.advice.join("; ")));
            }
            Ok(reply)
        }
        Decision::Hold => {
            let mut reason = format!("{}:{list}", held.heading);
            if !held.advice.is_empty() {
                reason.push_str(&format!("\nAlso, for you to judge: {}.", held.advice.join("; ")));
            }
            reason.push_str("\nIf something of it is not yours to fix, say so and finish.");
            Ok(Reply { message: reply.message, ..Reply::block(reason) })
        }
        Decision::Release(why) => {
            let why = match why {
                ReleaseReason::SameReport => "nothing changed since the model was told",
                ReleaseReason::TooOften => "the model was told several times and did not get it done",
            };
            add_message(&mut reply, &format!("sprag: the turn ends with this left open ({why}):{list}"));
            Ok(reply)
        }
    }
}

fn judge(
    cx: &Cx<'_>,
    held: &Held<'_>,
    problems: &BTreeSet<String>,
    again: bool,
) -> Result<Decision, HookError> {
    let mut breaker = breaker(cx);
    let decision = breaker.judge(held.hook, problems, again, held.max_holds);
    // Without a memory it must not hold: it would never let go.
    keep_breaker(cx, &breaker)?;
    Ok(decision)
}

fn breaker(cx: &Cx<'_>) -> Breaker {
    serde_json::from_str(&cx.session.read(BREAKER)).unwrap_or_default()
}

fn keep_breaker(cx: &Cx<'_>, breaker: &Breaker) -> Result<(), HookError> {
    let text = serde_json::to_string(breaker).map_err(|error| HookError(error.to_string()))?;
    Ok(cx.session.write(BREAKER, &text)?)
}

/// What waits for the user. What waits for the model is in the report, or not worth a turn of its own.
fn messages(cx: &Cx<'_>) -> Reply {
    let mut reply = Reply::pass();
    for line in if cx.session.has(NEWS) { cx.session.take(NEWS) } else { String::new() }.lines() {
        if let Ok(news) = serde_json::from_str::<News>(line)
            && news.user
        {
            add_message(&mut reply, &news.text);
        }
    }
    reply
}

fn add_message(reply: &mut Reply, text: &str) {
    let old = reply.message.take().map(|old| old + "\n").unwrap_or_default();
    reply.message = Some(old + text);
}

/// Checkers that do not come to an end hold nobody.
fn unfinished(cx: &Cx<'_>, held: &Held<'_>, waited: Duration, mut reply: Reply) -> Reply {
    let off = cx.host.env.get("SPRAG_WORKER").as_deref() == Some("off");
    if !off && first_time(cx, &format!("{} unfinished", held.hook)) {
        let text = format!(
            "sprag: {} let the turn end: its checks were not done after {} s.",
            held.hook,
            waited.as_secs()
        );
        add_message(&mut reply, &text);
    }
    reply
}

/// True the first time that this is asked in a session.
fn first_time(cx: &Cx<'_>, what: &str) -> bool {
    let what = sprag_base::id::short_hash(what.as_bytes());
    !cx.session.read(SAID).lines().any(|line| line == what) && cx.session.append(SAID, &what).is_ok()
}

fn ledger(cx: &Cx<'_>) -> Ledger {
    let place = Place::new(&cx.host.paths, &cx.project.root);
    let bytes = files::read_whole(&place.ledger(), 16 << 20).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// What was asked for against what was changed.
fn advice(cx: &Cx<'_>) -> Vec<String> {
    let kept = cx.session.read(PROMPT);
    let Some((_, prompt)) = kept.split_once('\n') else { return Vec::new() };
    if prompt.is_empty() || !cx.session.has(EDITS) {
        return Vec::new();
    }
    let root = &cx.project.root;
    let Some(changes) = changes::since_commit(root, &git_env(&cx.host.env)) else { return Vec::new() };
    let edited: Vec<String> =
        cx.session.read(EDITS).lines().filter_map(|file| disk::below(root, Path::new(file))).collect();
    let compared = RequestAndDiff { prompt, changed: &changes.changed, diff: &changes.diff, edited: &edited };
    let is_file = |name: &str| !PathBuf::from(name).is_absolute() && root.join(name).is_file();
    intent::lines(&compared, &is_file)
}

/// git needs its program and a home.
fn git_env(env: &Env) -> Env {
    let names = ["PATH", "HOME", "SYSTEMROOT", "USERPROFILE"];
    Env::Fixed(names.iter().filter_map(|name| Some(((*name).to_owned(), env.get(name)?))).collect())
}
