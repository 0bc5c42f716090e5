//! goal-reminder: a session that has a task is told of it when it starts, and task, progress and goal survive a
//! compaction: they are given to the summariser before it, and to the model after it.

use sprag_config::host::Host;
use sprag_config::settings;
use sprag_coord::member;
use sprag_coord::store::{Setup, micros};
use sprag_coord::tasks::{self, Bound};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_store::{Error, Refusal, Store, TaskChange, TaskRow, TaskState};
use std::fmt::Write as _;

settings! {
    struct GoalReminderSettings {
        /// the goal is cut to this; the task and the last part of the progress stay
        max_chars: usize = 3_000, min 200;
        /// this many open tasks are announced to the agent they are for; 0 announces none
        max_announced: usize = 5;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "goal-reminder",
        family: Family::Context,
        bundle: Bundle::Context,
        summary: "tells a session its task and starts it; brings task, progress and goal through a compaction",
        sees: &[
            Sees { kind: EventKind::PreCompact, matcher: "" },
            Sees { kind: EventKind::SessionStart, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: GoalReminderSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let task = tasks::bound(cx.host, cx.session);
    let compacts = event.kind == EventKind::PreCompact || event.text("source") == Some("compact");
    Ok(match task {
        Some(task) if compacts => remind(event, cx, task),
        Some(task) => begin(event, cx, &task),
        None if compacts => Reply::pass(),
        None => announce(cx),
    })
}

fn remind(event: &Event, cx: &Cx<'_>, task: Bound) -> Reply {
    let settings: GoalReminderSettings = cx.settings.read();
    let id = task.id.clone();
    let asked =
        Setup::quick(cx.host).and_then(|setup| setup.ask_lightly(cx.host, move |store| store.task(&id)));
    let task = match asked {
        Ok(Some(now)) if now.state == TaskState::Running || now.state == TaskState::Open => Bound::from(&now),
        // It is over: cancel-check says so where that matters.
        Ok(Some(_)) => return Reply::pass(),
        // The session's own copy, when the store is unavailable.
        Ok(None) | Err(_) if !task.title.is_empty() => task,
        Ok(None) | Err(_) => return Reply::pass(),
    };
    let most = settings.max_chars;
    let text = match event.kind {
        EventKind::PreCompact => {
            format!("The summary must keep this task as it stands:\n{}", shown(&task, most))
        }
        _ => format!(
            "The conversation was compacted. You are still working on this task:\n{}",
            shown(&task, most)
        ),
    };
    note(text, Repeat::Always)
}

fn note(text: String, repeat: Repeat) -> Reply {
    let note = Note { key: "goal-reminder".to_owned(), priority: priority::FACTS, text, repeat };
    Reply { notes: vec![note], ..Reply::pass() }
}

/// What the store says when a session begins with a task.
enum Begun {
    /// It is this session's now; the tasks that it is a part of, the nearest first.
    Started(Box<TaskRow>, Vec<TaskRow>),
    Refused(Refusal),
}

/// The session starts with a task: it is its own from now on, so that it can report at once.
fn begin(event: &Event, cx: &Cx<'_>, task: &Bound) -> Reply {
    let settings: GoalReminderSettings = cx.settings.read();
    let (id, now) = (task.id.clone(), micros(cx.host.clock.now()));
    let start = TaskChange::Start {
        agent: event.agent.name().to_owned(),
        session: event.session_id.clone(),
        name: member::name(cx.host, event.agent.name()),
        take: false,
    };
    let host = cx.host.clone();
    let asked = Setup::quick(cx.host).and_then(|setup| {
        setup.ask_lightly(cx.host, move |store| start_task(store, &host, &id, &start, now))
    });
    match asked {
        Ok(Begun::Started(row, parents)) => {
            if let Err(error) = tasks::bind(cx.session, &row) {
                return Reply::pass().with_message(format!("sprag: the session's task is not kept: {error}"));
            }
            let mut text =
                format!("You work on this task:\n{}", shown(&Bound::from(&*row), settings.max_chars));
            for parent in &parents {
                let _ = write!(text, "\nPart of {}: {}", parent.id, first(&parent.title, 200));
                if !parent.goal.is_empty() {
                    let _ = write!(text, " (goal: {})", first(&parent.goal, 300));
                }
            }
            text.push_str(
                "\nReport in the shell: `sprag task progress 'TEXT'` after each step, at the end `sprag task done \
                 --result 'TEXT'`, or `sprag task fail --reason 'TEXT'` if it cannot be done.",
            );
            note(text, Repeat::Once)
        }
        Ok(Begun::Refused(why)) => note(refused(&task.id, &why), Repeat::Once),
        Err(error) => Reply::pass()
            .with_message(format!("sprag: task {} could not be read: {error} (`sprag doctor`)", task.id)),
    }
}

fn start_task(
    store: &mut Store,
    host: &Host,
    id: &str,
    start: &TaskChange,
    now: i64,
) -> Result<Begun, Error> {
    let mut answer = store.change_task(id, start, now)?;
    if let Err(Refusal::Taken(task)) = &answer {
        let holder = store.session(&task.agent, &task.session)?;
        // A dead session does not keep its task from the one that was started to go on with it.
        if holder.is_none_or(|holder| !holder.is_live(now))
            && !tasks::is_of_another_attempt(host, task)
            && let TaskChange::Start { agent, session, name, .. } = start.clone()
        {
            answer = store.change_task(id, &TaskChange::Start { agent, session, name, take: true }, now)?;
        }
    }
    let task = match answer {
        Ok(task) => task,
        Err(why) => return Ok(Begun::Refused(why)),
    };
    let mut parents: Vec<TaskRow> = Vec::new();
    for _ in 0..4 {
        let Some(id) = parents.last().unwrap_or(&task).parent.clone() else { break };
        let Some(row) = store.task(&id)? else { break };
        parents.push(row);
    }
    Ok(Begun::Started(Box::new(task), parents))
}

/// Why the session does not have the task that it was started with.
fn refused(id: &str, why: &Refusal) -> String {
    let reason = match why {
        Refusal::Unknown => "there is no such task".to_owned(),
        Refusal::State(task) => format!("it is {}", task.state.name()),
        Refusal::Assigned(task) => format!("it is for {}", task.assignee),
        Refusal::Taken(task) => {
            let session: String = task.session.chars().take(8).collect();
            format!("{} {session} is working on it", task.agent)
        }
        Refusal::Parts(count) => format!("{count} of its parts are not finished"),
    };
    format!(
        "This session was started for task {id}, but {reason}. Do not work on it; tell the user, or look for another \
         one with `sprag task list`."
    )
}

/// An agent with a name of its own is told of the open tasks that are for it.
fn announce(cx: &Cx<'_>) -> Reply {
    let settings: GoalReminderSettings = cx.settings.read();
    let name = cx.host.env.get("SPRAG_AGENT_NAME").filter(|name| member::is_name(name));
    let Some(name) = name.filter(|_| settings.max_announced > 0) else { return Reply::pass() };
    let asked = Setup::quick(cx.host)
        .and_then(|setup| setup.ask_lightly(cx.host, move |store| store.open_tasks_of(&name)));
    let Ok(open) = asked else { return Reply::pass() };
    let Some(one) = open.first() else { return Reply::pass() };
    let mut text = match open.len() {
        1 => "A task is assigned to you:".to_owned(),
        count => format!("{count} tasks are assigned to you:"),
    };
    for task in open.iter().take(settings.max_announced) {
        let _ = write!(text, "\n- {}: {}", task.id, first(&task.title, 200));
    }
    if open.len() > settings.max_announced {
        let _ = write!(text, "\n- and {} more (`sprag task list`)", open.len() - settings.max_announced);
    }
    let _ = write!(
        text,
        "\nUnless the user wants something else, begin one with `sprag task start {}`; `sprag task show {}` has its \
         goal.",
        one.id, one.id
    );
    note(text, Repeat::Once)
}

/// The first characters of a text.
fn first(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Task, goal and progress within a number of characters. Progress keeps its end: that is where the work is.
fn shown(task: &Bound, most: usize) -> String {
    let last = |text: &str, most: usize| -> String {
        let count = text.chars().count();
        if count <= most {
            return text.to_owned();
        }
        ['…'].into_iter().chain(text.chars().skip(count - most + 1)).collect()
    };
    let mut text = format!("Task {}: {}", task.id, first(&task.title, most / 4));
    let progress = last(&task.progress, most / 3);
    if !task.goal.is_empty() {
        let rest = most.saturating_sub(text.chars().count() + progress.chars().count() + 40);
        text.push_str(&format!("\nGoal: {}", first(&task.goal, rest)));
    }
    if !progress.is_empty() {
        text.push_str(&format!("\nProgress so far: {progress}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_the_task_says_it_stays_within_its_bounds(
            title in ".{0,3000}", goal in ".{0,9000}", progress in ".{0,9000}", most in 200_usize..4_000,
        ) {
            let end: String = progress.chars().rev().take(20).collect::<Vec<_>>().into_iter().rev().collect();
            let text = shown(&Bound { id: "t0123456789".into(), title, goal, progress }, most);
            prop_assert!(text.chars().count() <= most + 60, "{}", text.chars().count());
            prop_assert!(text.ends_with(&end), "the end of the progress stays");
        }
    }
}
