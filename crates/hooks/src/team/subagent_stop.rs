//! subagent-stop: what a member of a pattern made is kept, its vote is read, and its coordinator does not stop before
//! all are in; with the last one in, it goes on with the result.

use serde_json::Value;
use sprag_config::settings;
use sprag_coord::patterns::live::{self, later, leads, member_part};
use sprag_coord::patterns::part::Part;
use sprag_coord::patterns::status::progress;
use sprag_coord::patterns::{clip, ended, lacks};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_scan::scrub::scrub;
use sprag_store::{OpKind, PatternState};

settings! {
    struct SubagentStopSettings {
        /// a coordinator is held so many times while nothing changes
        max_blocks: usize = 3;
        /// a member that did not report for so long counts as lost
        stale_minutes: i64 = 60, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "subagent-stop",
        family: Family::Team,
        bundle: Bundle::Team,
        summary: "keeps what a member of a pattern made, reads its vote, and holds the coordinator until all are in",
        sees: &[
            Sees { kind: EventKind::SubagentStop, matcher: "" },
            Sees { kind: EventKind::Stop, matcher: "" },
            Sees { kind: EventKind::SessionEnd, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Swarm]),
        settings: SubagentStopSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

/// How often the coordinator was held at which state of its run.
const HELD: &str = "pattern.held";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.kind == EventKind::SessionEnd {
        if !live::concerned(cx) {
            return Ok(Reply::pass());
        }
        // An agent that ends waits for no database.
        live::send_later(cx, OpKind::PatternGone { session: event.session_id.clone() })?;
        return Ok(later(Reply::pass()));
    }
    if let Some(part) = member_part(event, cx) {
        return done(event, cx, &part);
    }
    if event.kind == EventKind::Stop { hold(event, cx) } else { Ok(Reply::pass()) }
}

/// A member ends its part.
fn done(event: &Event, cx: &Cx<'_>, part: &Part) -> HookResult {
    let Some(kind) = part.kind() else { return Ok(Reply::pass()) };
    let text = event.text("last_assistant_message").unwrap_or_default();
    if let Some(missing) = lacks(kind, text)
        && !event.flag("stop_hook_active")
    {
        return Ok(Reply::block(missing));
    }
    let end = ended(kind, part, text);
    let change = OpKind::PatternDone {
        join: live::join_of(part, event),
        state: end.state.to_owned(),
        vote: end.vote,
        output: scrub(&clip(text)).into_owned(),
        topic: end.topic,
    };
    Ok(if live::send(cx, part, vec![change]).is_ok() { Reply::pass() } else { later(Reply::pass()) })
}

/// The coordinator wants to stop: it goes on with the result, or is held while somebody is missed.
fn hold(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SubagentStopSettings = cx.settings.read();
    let mut reasons = Vec::new();
    let mut message = None;
    for part in leads(event, cx) {
        let Some((view, status)) = live::look(cx, &part, settings.stale_minutes) else { continue };
        if status.complete || view.run.state != PatternState::Running {
            if status.complete && view.run.state == PatternState::Running && live::may_tell(cx, &part) {
                reasons.push(status.result.join("\n"));
            }
            live::close(cx, &part.run)?;
            continue;
        }
        // Subagents in the background wake the session when they report: nothing is won by another turn.
        if !part.from_env && running_in_background(event) {
            continue;
        }
        let mark = format!("{} {} {}", part.run, view.run.posts, view.members.len());
        let held = cx.session.read(HELD).lines().filter(|line| *line == mark).count();
        if held >= settings.max_blocks {
            message = Some(format!("sprag: {} It was not waited for any longer.", progress(&view, &status)));
            continue;
        }
        cx.session.append(HELD, &mark)?;
        let other = format!("Start who is missing, or end it: `sprag pattern stop {}`.", part.run);
        reasons.push(format!("{} {other}", progress(&view, &status)));
    }
    let mut reply = if reasons.is_empty() { Reply::pass() } else { Reply::block(reasons.join("\n\n")) };
    reply.message = message;
    Ok(reply)
}

fn running_in_background(event: &Event) -> bool {
    let tasks = event.raw.get("background_tasks").and_then(Value::as_array);
    tasks.is_some_and(|tasks| {
        tasks
            .iter()
            .any(|task| task.get("status").and_then(Value::as_str).is_none_or(|status| status == "running"))
    })
}
