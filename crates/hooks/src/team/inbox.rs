//! messages: what others said to this agent reaches the model with its next event. A session without a message looks at
//! one file and asks no database; an agent with a name of its own asks a server when its session starts, at a prompt and
//! before a turn ends.

use sprag_config::settings;
use sprag_coord::messages;
use sprag_coord::store::{Setup, home_id, micros};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_store::MessageRow;

settings! {
    struct MessagesSettings {
        /// characters of messages that are given with one event; the others follow
        max_chars: usize = 2_000, min 200;
        /// unread messages continue the turn, once
        at_stop: bool = true;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "inbox",
        family: Family::Team,
        bundle: Bundle::Team,
        summary: "gives the model the messages that agents and people sent to it (`sprag say`)",
        sees: &[
            Sees { kind: EventKind::SessionStart, matcher: "" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::PostToolUse, matcher: "" },
            Sees { kind: EventKind::Stop, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Swarm]),
        settings: MessagesSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    // A subagent has nobody who would write to it.
    if event.session_id.is_empty() || event.agent_id.is_some() {
        return Ok(Reply::pass());
    }
    let at_stop = event.kind == EventKind::Stop;
    let settings: MessagesSettings = cx.settings.read();
    let silent = at_stop && (event.flag("stop_hook_active") || !settings.at_stop);
    let waits = messages::may_wait(cx.session);
    if !waits && (silent || event.kind == EventKind::PostToolUse) {
        return Ok(Reply::pass());
    }
    let setup = Setup::quick(cx.host)?;
    // Whoever writes on this home leaves a mark, and so does the worker for other machines; a session that was not there
    // yet has none. An agent with a name of its own is in a team, and does not wait for the worker.
    let in_team = setup.target.is_remote() && cx.host.env.get("SPRAG_AGENT_NAME").is_some();
    if !waits && !in_team && event.kind != EventKind::SessionStart {
        return Ok(Reply::pass());
    }
    let confirmed = messages::given(cx.session);
    let now = micros(cx.host.clock.now());
    let (home, project) = (home_id(cx.host), cx.project.key(&cx.host.machine()));
    let (agent, session) = (event.agent.name().to_owned(), event.session_id.clone());
    let most = settings.max_chars;
    let asked = setup.ask_lightly(cx.host, move |store| {
        // This event shows that the last answer arrived.
        store.confirm_messages(&agent, &session, &confirmed, now)?;
        if silent {
            return Ok((Vec::new(), true));
        }
        let reader = messages::reader(store, &home, (&agent, &session), &project, now)?;
        let mut left = most;
        store.give_messages(&reader, now, |message| fits(message, most, &mut left))
    });
    // What cannot be asked for now is asked for at the next event.
    let Ok((given, more)) = asked else { return Ok(Reply::pass()) };
    messages::set_given(cx.session, &given, more)?;
    if given.is_empty() {
        return Ok(Reply::pass());
    }
    let text = messages::text(&given, more);
    if at_stop {
        return Ok(Reply::block(text));
    }
    let note = Note { key: "inbox".to_owned(), priority: priority::WARNING, text, repeat: Repeat::Always };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}

/// Whether a message is given with this event; the first one always is.
fn fits(message: &MessageRow, most: usize, left: &mut usize) -> bool {
    let size = message.text.chars().count() + 60;
    let first = *left == most;
    let fits = first || size <= *left;
    *left = left.saturating_sub(size);
    fits
}
