//! Holding the end of a turn while something that the session changed is open, within a circuit breaker.

use crate::ask::{self, Asking, News, Subject, owner};
use crate::place::{BREAKER, CheckFolder, EDITS, NEWS, SAID, SHELL};
use sprag_base::files;
use sprag_protocol::Event;
use sprag_runtime::hook::{Cx, HookError, HookResult, Reply};
use sprag_verify::breaker::{Breaker, Decision, ReleaseReason};
use sprag_verify::ledger::{Ledger, OpenFindings};
use sprag_verify::{Diagnostic, report};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What the compilers have at the end of a turn, beside the linters' time: together less than a chain may take.
pub const STOP_BUDGET: Duration = Duration::from_secs(14);

/// One hook that may hold the end of a turn.
pub struct Held<'a> {
    /// Its name.
    pub hook: &'static str,
    /// What it has checked.
    pub subject: Subject,
    /// Which findings hold.
    pub which: OpenFindings,
    /// What the report begins with.
    pub heading: &'a str,
    /// The longest to wait for the checks.
    pub wait: Duration,
    /// Further lines, for the model to judge.
    pub advice: &'a [String],
    /// The most findings that are shown.
    pub max_shown: usize,
    /// Ends of a turn that are held in a row.
    pub max_holds: u32,
}

/// True when the session may have changed something in this project.
pub fn worked(cx: &Cx<'_>) -> bool {
    !cx.project.root.as_os_str().is_empty() && (cx.session.has(EDITS) || cx.session.has(SHELL))
}

/// Checks what the session changed and holds the end of the turn while something of its own is open, within the breaker.
pub fn hold(event: &Event, cx: &Cx<'_>, held: &Held<'_>) -> HookResult {
    if !worked(cx) {
        return Ok(Reply::pass());
    }
    let began = Instant::now();
    let answered = ask::ask(
        event,
        cx,
        &Asking { hook: held.hook, subject: held.subject, files: &[], stop: true, wait: held.wait },
    )?;
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
            ask::note_complaint(cx);
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

/// The breaker of this session.
pub fn breaker(cx: &Cx<'_>) -> Breaker {
    serde_json::from_str(&cx.session.read(BREAKER)).unwrap_or_default()
}

/// Keeps the breaker of this session.
pub fn keep_breaker(cx: &Cx<'_>, breaker: &Breaker) -> Result<(), HookError> {
    let text = serde_json::to_string(breaker)?;
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
pub fn first_time(cx: &Cx<'_>, what: &str) -> bool {
    let what = sprag_base::id::short_hash(what.as_bytes());
    !cx.session.read(SAID).lines().any(|line| line == what) && cx.session.append(SAID, &what).is_ok()
}

fn ledger(cx: &Cx<'_>) -> Ledger {
    let place = CheckFolder::new(&cx.host.paths, &cx.project.root);
    let bytes = files::read_whole(&place.ledger(), 16 << 20).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
