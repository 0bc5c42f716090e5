//! cancel-check: an agent whose task was cancelled, failed or given to another session is stopped and told.
//! A session without a task asks nothing; one with a task asks at most once a second (a server: every five).

use serde::{Deserialize, Serialize};
use sprag_config::settings;
use sprag_coord::store::{Setup, micros};
use sprag_coord::tasks::{self, Bound, CANCEL};
use sprag_guard::shell;
use sprag_protocol::{Event, EventKind, ToolKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookError, HookResult, HookSpec, Preset, Presets, Reply, Sees,
};
use sprag_shell::Cmd;
use sprag_store::{TaskRow, TaskState};

settings! {
    struct CancelCheckSettings {
        /// the whole agent is stopped at once, instead of being told to stop
        stop: bool = false, tighten ToTrue;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "cancel-check",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "stops an agent whose task was cancelled, failed or given to another session",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Swarm]),
        settings: CancelCheckSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

/// How long an answer is believed, in microseconds.
const LOCAL: i64 = 1_000_000;
const REMOTE: i64 = 5_000_000;

/// What is known of a task, and until when.
#[derive(Serialize, Deserialize)]
struct Known {
    id: String,
    from: i64,
    until: i64,
    /// Why the session must stop.
    stop: Option<String>,
    /// Why nothing is known.
    unknown: Option<String>,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.session_id.is_empty() {
        return Ok(Reply::pass());
    }
    let Some(task) = tasks::bound(cx.host, cx.session) else { return Ok(Reply::pass()) };
    if speaks_of_tasks(event, cx) {
        return Ok(Reply::pass());
    }
    let now = micros(cx.host.clock.now());
    let known: Option<Known> = serde_json::from_str(&cx.session.read(CANCEL)).ok();
    let known = known.filter(|known| known.id == task.id && (known.from..known.until).contains(&now));
    let known = match known {
        Some(known) => known,
        None => look(event, cx, &task, now)?,
    };
    match (known.stop, known.unknown) {
        (Some(why), _) => Ok(stopped(event, cx, &task, &why)),
        (None, Some(error)) => Err(error.into()),
        (None, None) => Ok(Reply::pass()),
    }
}

/// Asks the store, and keeps the answer for a moment.
fn look(event: &Event, cx: &Cx<'_>, task: &Bound, now: i64) -> Result<Known, HookError> {
    let setup = Setup::quick(cx.host)?;
    let until = now + if setup.target.is_remote() { REMOTE } else { LOCAL };
    let id = task.id.clone();
    let answer = setup.ask_lightly(cx.host, move |store| store.task(&id));
    let (stop, unknown) = match answer {
        // Not told of its task yet, by a hook that is off: the dispatcher knows that this session has it.
        Ok(Some(task))
            if task.pending_attempt().is_some() && !tasks::is_of_another_attempt(cx.host, &task) =>
        {
            (None, None)
        }
        Ok(found) => (found.and_then(|task| must_stop(&task, event)), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let known = Known { id: task.id.clone(), from: now, until, stop, unknown };
    if let Ok(text) = serde_json::to_string(&known) {
        // Where nothing can be kept, the next call asks again.
        let _ = cx.session.write(CANCEL, &text);
    }
    Ok(known)
}

/// Why a session must not go on with a task.
fn must_stop(task: &TaskRow, event: &Event) -> Option<String> {
    let why = |what: &str| match task.outcome.as_str() {
        "" => what.to_owned(),
        reason => format!("{what}: {reason}"),
    };
    match task.state {
        TaskState::Cancelled => Some(why("was cancelled")),
        TaskState::Failed => Some(why("was given up")),
        TaskState::Running
            if !task.session.is_empty()
                && (task.session != event.session_id || task.agent != event.agent.name()) =>
        {
            let id: String = task.session.chars().take(8).collect();
            Some(format!("was given to another session ({} {id})", task.agent))
        }
        TaskState::Open | TaskState::Running | TaskState::Done => None,
    }
}

/// A call that only reads or reports on tasks, or takes up another one: the way out.
fn speaks_of_tasks(event: &Event, cx: &Cx<'_>) -> bool {
    let tool = event.tool.as_ref().filter(|tool| tool.kind == ToolKind::Shell);
    let Some(line) = tool.and_then(|tool| tool.command.as_deref()) else { return false };
    if !line.contains("sprag") || line.contains(['`', '$', '<', '>']) {
        return false;
    }
    let Some((analysis, _)) = shell::analysis(event, cx) else { return false };
    let about = |command: &Cmd| match (command.name.as_str(), command.args.as_slice()) {
        ("sprag", [group, verb, ..]) => {
            group.text == "task"
                && matches!(verb.text.as_str(), "show" | "list" | "progress" | "start" | "fail")
        }
        _ => false,
    };
    let mut commands = analysis.commands.iter().filter(|command| !command.wrapper).peekable();
    commands.peek().is_some() && commands.all(about) && !analysis.notes.contains(&sprag_shell::Note::TooMuch)
}

fn stopped(event: &Event, cx: &Cx<'_>, task: &Bound, why: &str) -> Reply {
    let settings: CancelCheckSettings = cx.settings.read();
    let named = if task.title.is_empty() { String::new() } else { format!(" ({})", task.title) };
    let mut text = format!("Task {}{named} {why}.", task.id);
    let mut reply = if event.kind == EventKind::UserPromptSubmit {
        text.push_str(&format!(
            " This session was working on it. To use the session for something else: `sprag task leave \
             --session {}`, or `sprag task start` another one.",
            event.session_id
        ));
        Reply::block(text)
    } else {
        text.push_str(
            " Stop working on it: make no further tool calls, and tell the user what was done and what was not.",
        );
        Reply::deny(text)
    };
    if settings.stop {
        reply.stop.clone_from(&reply.reason);
    }
    reply
}
