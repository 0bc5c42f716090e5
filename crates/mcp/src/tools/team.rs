//! Who works on what, and tasks.

use super::{Call, ToolResult, members};
use crate::caller;
use crate::error::ToolError;
use crate::page::page;
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_coord::caller::Caller;
use sprag_coord::store::micros;
use sprag_coord::tasks::{self, kept};
use sprag_store::{NewTask, Refusal, Store, TaskChange, TaskRow, TaskState};
use sprag_worker::sync;

/// What can be done with a task. Cancelling another session's work is a person's command.
pub(crate) const ACTIONS: [&str; 5] = ["create", "start", "progress", "done", "fail"];

pub(crate) fn status(call: &Call<'_>) -> ToolResult {
    const MAX_ROWS: u64 = 40;
    let project = call.project()?;
    let (key, now) = (project.key(&call.host.machine()), micros(call.host.clock.now()));
    let (mut sessions, mut claims, mut open) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(mut store) = sync::look(call.host)? {
        let own = caller::find(&mut store, call.host, call.client, &project)?.session;
        let seconds = |at: i64| Stamp((now - at).max(0) as u64).seconds();
        for row in store.sessions(now, now)?.iter().filter(|row| row.is_live(now) && row.project == key) {
            sessions.push(json!({
                "session": row.session, "agent": row.agent, "branch": row.branch, "root": row.root,
                "idle_seconds": seconds(row.seen), "you": Some(row.session == own).filter(|you| *you),
            }));
        }
        for row in store
            .claims(now)?
            .iter()
            .filter(|row| row.root == project.root.to_string_lossy() || row.key.repo == key)
        {
            claims.push(json!({
                "path": row.key.path, "branch": row.key.branch, "agent": row.agent, "session": row.session,
                "you": Some(row.session == own).filter(|you| *you),
            }));
        }
        let here =
            store.tasks(false)?.into_iter().filter(|task| task.project.is_empty() || task.project == key);
        open = here.map(|task| row(&task)).collect();
    }
    let mut answer = page("sessions", sessions, 0, MAX_ROWS);
    answer.extend(page("claims", claims, 0, MAX_ROWS));
    answer.extend(page("tasks", open, 0, MAX_ROWS));
    answer.remove("next");
    Ok(answer)
}

fn row(task: &TaskRow) -> Value {
    json!({
        "id": task.id, "title": task.title, "goal": task.goal, "state": task.state.name(), "assignee": task.assignee,
        "session": task.session, "progress": task.progress, "outcome": task.outcome, "parent": task.parent,
    })
}

pub(crate) fn update(call: &Call<'_>) -> ToolResult {
    let project = call.project()?;
    let arguments = call.arguments;
    let text = kept(arguments.text("text")?);
    let now = micros(call.host.clock.now());
    let mut store = sync::open(call.host)?;
    let caller = caller::find(&mut store, call.host, call.client, &project)?;
    let change = match arguments.one_of("action", &ACTIONS)?.unwrap_or_default() {
        "create" => {
            if text.is_empty() {
                return Err(ToolError::new("a task needs a title", "Give it as `text`."));
            }
            let new = NewTask {
                title: text,
                creator: caller.name,
                project: project.key(&call.host.machine()),
                ..NewTask::default()
            };
            let made = store.create_task(&new, now)?;
            let task = made.map_err(|_| ToolError::new("the task was not made", "Try again."))?;
            return Ok(members(row(&task)));
        }
        "start" => TaskChange::Start {
            agent: caller.agent.clone(),
            session: caller.session.clone(),
            name: caller.name.clone(),
            take: false,
        },
        "done" => TaskChange::Done(text),
        "fail" => TaskChange::Fail(text),
        _ if text.is_empty() => return Err(ToolError::new("how far is it?", "Say it as `text`.")),
        _ => TaskChange::Progress(text),
    };
    let before = meant(call, &mut store, &caller)?;
    let task = store.change_task(&before.id, &change, now)?.map_err(|refusal| refused(&refusal))?;
    if matches!(change, TaskChange::Start { .. }) {
        tasks::started(call.host, &caller, &before, &task)?;
    } else {
        let parts = store.task_parts(&task.id)?;
        tasks::changed(call.host, &caller, &change, &task, &parts)?;
    }
    Ok(members(row(&task)))
}

/// The task that is meant: by its id, or the one of the session.
fn meant(call: &Call<'_>, store: &mut Store, caller: &Caller) -> Result<TaskRow, ToolError> {
    let bound = || {
        caller.state(call.host).and_then(|session| tasks::bound(call.host, &session)).map(|bound| bound.id)
    };
    let id = call.arguments.given("id")?.map(str::to_owned).or_else(bound);
    let id = id.ok_or_else(|| ToolError::new("which task?", "Give its `id`: team_status lists them."))?;
    let mut found = store.tasks_like(&id)?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(ToolError::new(format!("there is no task `{id}`"), "team_status lists them.")),
        _ => Err(ToolError::new(format!("`{id}` may be several tasks"), "Give the whole id.")),
    }
}

fn refused(refusal: &Refusal) -> ToolError {
    match refusal {
        Refusal::Unknown => ToolError::new("there is no such task", "team_status lists them."),
        Refusal::State(task) if task.state == TaskState::Open => ToolError::new(
            format!("task {} has not been started", task.id),
            "Call with action `start` first.",
        ),
        Refusal::State(task) => ToolError::new(
            format!("task {} is {} already: {}", task.id, task.state.name(), task.outcome),
            "A finished task is final; create a new one.",
        ),
        Refusal::Assigned(task) => {
            ToolError::new(format!("task {} is for {}", task.id, task.assignee), "Choose another task.")
        }
        Refusal::Taken(task) => ToolError::new(
            format!("task {} is being done by {} {}", task.id, task.agent, task.session),
            "Choose another task.",
        ),
        Refusal::Parts(count) => {
            ToolError::new(format!("{count} of its parts are not finished"), "Finish these first.")
        }
    }
}
