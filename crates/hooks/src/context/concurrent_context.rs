//! concurrent-context: a lead agent is told what the other sessions are doing, so that it gives no work out twice.

use sprag_base::text::name;
use sprag_base::time::Stamp;
use sprag_config::settings;
use sprag_coord::claims::words::few;
use sprag_coord::member;
use sprag_coord::store::{Setup, home_id, micros};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_store::{ClaimRow, Role, SessionWork, TaskRow, TaskState};
use std::fmt::Write as _;

settings! {
    struct ConcurrentContextSettings {
        /// sessions and tasks that are named, each
        max_entries: usize = 10, min 1;
        /// tasks that were made within this time are named though nobody works on them yet
        recent_minutes: i64 = 5, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "concurrent-context",
        family: Family::Context,
        bundle: Bundle::Context,
        summary: "tells a lead agent what the other sessions do, which files they hold and which tasks are under way",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::of(&[Preset::Swarm]),
        settings: ConcurrentContextSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

/// What a lead is told of.
struct Others {
    sessions: Vec<SessionWork>,
    claims: Vec<ClaimRow>,
    tasks: Vec<TaskRow>,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.session_id.is_empty() || member::role(cx.host) == Some(Role::Worker) {
        return Ok(Reply::pass());
    }
    let now = micros(cx.host.clock.now());
    let (home, name) = (home_id(cx.host), member::name(cx.host, event.agent.name()));
    let certain = member::role(cx.host) == Some(Role::Lead);
    let project = cx.project.key(&cx.host.machine());
    let asked = Setup::quick(cx.host).and_then(|setup| {
        setup.ask_lightly(cx.host, move |store| {
            if !certain && store.role(&home, &name)? != Some(Role::Lead) {
                return Ok(None);
            }
            let (sessions, claims, tasks) =
                (store.work(Some(&project), now)?, store.claims(now)?, store.tasks(false)?);
            Ok(Some(Others { sessions, claims, tasks }))
        })
    });
    // session-register tells the user when the store is unavailable.
    let Ok(Some(others)) = asked else { return Ok(Reply::pass()) };
    let text = shown(&others, event, cx, now);
    if text.is_empty() {
        return Ok(Reply::pass());
    }
    let note =
        Note { key: "concurrent-context".to_owned(), priority: priority::FACTS, text, repeat: Repeat::Once };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}

fn shown(others: &Others, event: &Event, cx: &Cx<'_>, now: i64) -> String {
    let settings: ConcurrentContextSettings = cx.settings.read();
    let most = settings.max_entries;
    let own = |agent: &str, session: &str| agent == event.agent.name() && session == event.session_id;
    let short = |text: &str, most: usize| -> String {
        let line = text.lines().next().unwrap_or_default();
        if line.chars().count() <= most {
            return line.to_owned();
        }
        line.chars().take(most).chain(['…']).collect()
    };
    let mut text = String::new();
    let sessions: Vec<&SessionWork> =
        others.sessions.iter().filter(|one| !own(&one.agent, &one.session)).collect();
    if !sessions.is_empty() {
        text.push_str("Other sessions at work on this project:");
    }
    for one in sessions.iter().take(most) {
        let id: String = one.session.chars().take(8).collect();
        let ago = now.saturating_sub(one.seen) / 60_000_000;
        let _ = write!(text, "\n- {} ({} {id})", name(&one.name), one.agent);
        let _ = write!(
            text,
            ", branch {}",
            if one.branch.is_empty() { "none".into() } else { name(&one.branch) }
        );
        if !one.doing.is_empty() {
            let _ = write!(text, ", last: {}", short(&one.doing, 100));
        }
        let _ = write!(text, ", {ago} min ago");
        let held: Vec<&str> = others
            .claims
            .iter()
            .filter(|claim| claim.agent == one.agent && claim.session == one.session)
            .map(|claim| claim.key.path.as_str())
            .collect();
        if !held.is_empty() {
            let _ = write!(text, "; holds {}", few(held.iter().copied(), 4));
        }
    }
    if sessions.len() > most {
        let _ = write!(text, "\n- and {} more", sessions.len() - most);
    }
    let recent = settings.recent_minutes * 60_000_000;
    let tasks: Vec<&TaskRow> = others
        .tasks
        .iter()
        .filter(|task| !own(&task.agent, &task.session))
        .filter(|task| task.state == TaskState::Running || task.created + recent > now)
        .collect();
    if !tasks.is_empty() {
        let _ = write!(text, "{}Tasks under way or just made:", if text.is_empty() { "" } else { "\n" });
    }
    for task in tasks.iter().take(most) {
        let who = if task.assignee.is_empty() { "nobody yet" } else { &task.assignee };
        let (_, _, _, hour, minute, _) = Stamp(task.created as u64).civil();
        let _ = write!(
            text,
            "\n- {} {} ({who}, {}, made {hour:02}:{minute:02} UTC)",
            task.id,
            short(&task.title, 120),
            task.state.name()
        );
    }
    if tasks.len() > most {
        let _ = write!(text, "\n- and {} more (`sprag task list`)", tasks.len() - most);
    }
    if !text.is_empty() {
        text.push_str("\nGive none of this out a second time.");
    }
    text
}
