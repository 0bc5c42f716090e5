//! stop-verify: before a turn ends, lint of what the session changed, and what was asked for against what was changed.
//! A circuit breaker lets go: the same report never twice, three times in a row, and progress restarts.

use sprag_base::env::Env;
use sprag_checks::ask::{self, Subject};
use sprag_checks::changes;
use sprag_checks::disk;
use sprag_checks::hold::{Held, breaker, first_time, hold, keep_breaker, worked};
use sprag_checks::place::{EDITS, PROMPT, SHELL};
use sprag_checks::run::{is_young, now};
use sprag_config::settings;
use sprag_project::git;
use sprag_protocol::{Event, EventKind, ToolKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookError, HookResult, HookSpec, Preset, Presets, Reply, Sees,
};
use sprag_scan::scrub::scrub;
use sprag_verify::intent::{self, RequestAndDiff};
use sprag_verify::ledger::OpenFindings;
use sprag_verify::lines::ChangedLines;
use std::path::Path;
use std::time::Duration;

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
        bundle: Bundle::Checks,
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

/// The most of a request that is kept.
const MAX_PROMPT: usize = 8 << 10;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.kind {
        EventKind::UserPromptSubmit if event.is_from_user() => keep_prompt(event, cx)?,
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
        return Ok(if settings.intent { idle(event, cx) } else { Reply::pass() });
    }
    let advice = if settings.intent { advice(cx) } else { Vec::new() };
    let held = Held {
        hook: HOOK.spec.name,
        subject: Subject::Lint,
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
    let kept: String = prompt.chars().take(MAX_PROMPT).collect();
    cx.session.write(PROMPT, &format!("{began}\n{}", scrub(&kept)))?;
    let mut breaker = breaker(cx);
    breaker.user_spoke();
    keep_breaker(cx, &breaker)
}

/// A turn in which nothing can have been changed, though the request asks for a change: the user is told, once.
fn idle(event: &Event, cx: &Cx<'_>) -> Reply {
    let root = &cx.project.root;
    if root.as_os_str().is_empty() || event.text("permission_mode") == Some("plan") {
        return Reply::pass();
    }
    let kept = cx.session.read(PROMPT);
    let prompt = kept.split_once('\n').map_or("", |(_, prompt)| prompt);
    match intent::nothing_done(prompt, &|name| is_file(root, name)) {
        Some(line) if first_time(cx, &line) => Reply::pass().with_message(format!("sprag: {line}.")),
        _ => Reply::pass(),
    }
}

fn is_file(root: &Path, name: &str) -> bool {
    !Path::new(name).is_absolute() && root.join(name).is_file()
}

/// What was asked for against what was changed.
fn advice(cx: &Cx<'_>) -> Vec<String> {
    let kept = cx.session.read(PROMPT);
    let Some((_, prompt)) = kept.split_once('\n') else { return Vec::new() };
    let root = &cx.project.root;
    let is_file = |name: &str| is_file(root, name);
    let nothing = intent::nothing_done(prompt, &is_file);
    // A shell alone may have changed something: git is asked where the request is about a file.
    if prompt.is_empty() || (!cx.session.has(EDITS) && nothing.is_none()) {
        return Vec::new();
    }
    let edited: Vec<String> =
        cx.session.read(EDITS).lines().filter_map(|file| disk::below(root, Path::new(file))).collect();
    if git::is_large(cx.project) {
        return advice_without_git(prompt, &edited, &|name| {
            is_file(name) && !is_young(&root.join(name), cx.session)
        });
    }
    let Some(changes) = changes::since_commit(root, &git_env(&cx.host.env)) else { return Vec::new() };
    let compared =
        RequestAndDiff { prompt, changed: &changes.changed, diff: Some(&changes.diff), edited: &edited };
    if changes.changed.files().next().is_none() && !cx.session.has(EDITS) {
        return nothing.into_iter().collect();
    }
    intent::lines(&compared, &is_file)
}

/// The same where git would take longer than a turn's end should: files that were named and that nobody touched.
fn advice_without_git(prompt: &str, edited: &[String], is_untouched: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut changed = ChangedLines::default();
    edited.iter().for_each(|file| changed.add_whole(file));
    intent::lines(&RequestAndDiff { prompt, changed: &changed, diff: None, edited }, is_untouched)
}

/// git needs its program and a home.
fn git_env(env: &Env) -> Env {
    let names = ["PATH", "HOME", "SYSTEMROOT", "USERPROFILE"];
    Env::Fixed(names.iter().filter_map(|name| Some(((*name).to_owned(), env.get(name)?))).collect())
}
