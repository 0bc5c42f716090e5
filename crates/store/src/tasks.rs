//! Tasks: what is to be done, who does it, how far it is. Each change of state is checked and made in one statement;
//! finished tasks are final.

use crate::Store;
use crate::conn::Conn;
use crate::error::{Error, Result};
use crate::row::{FromValue, from_row};
use crate::value::{Value, values};
use serde::{Deserialize, Serialize};

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Nobody works on it yet.
    Open,
    /// A session works on it.
    Running,
    /// It is done.
    Done,
    /// It could not be done.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl TaskState {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::Open, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// True for a final state.
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// A task to be created.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewTask {
    /// The task that it is a part of.
    pub parent: Option<String>,
    /// One line.
    pub title: String,
    /// What must be true when it is done.
    pub goal: String,
    /// Who created it.
    pub creator: String,
    /// The agent that must do it; empty for any.
    pub assignee: String,
    /// The project that it is about.
    pub project: String,
    /// A higher one is done first.
    pub priority: i64,
    /// The tasks that must be done before it.
    pub after: Vec<String>,
    /// Where it was imported from: the same source is imported once per project.
    pub source: Option<String>,
}

/// Why a task was not created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCreated {
    /// There is no such parent, or it is finished.
    Parent,
    /// There is no such task to wait for.
    After(String),
    /// Its project has a task from the same source.
    Known(Box<TaskRow>),
}

/// A task in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Its id.
    pub id: String,
    /// The task that it is a part of.
    pub parent: Option<String>,
    /// One line.
    pub title: String,
    /// What must be true when it is done.
    pub goal: String,
    /// Its state.
    pub state: TaskState,
    /// Who created it.
    pub creator: String,
    /// The agent that must do it.
    pub assignee: String,
    /// The agent program that works on it.
    pub agent: String,
    /// The session that works on it.
    pub session: String,
    /// The project.
    pub project: String,
    /// How far it is, as its agent reported it.
    pub progress: String,
    /// How it ended.
    pub outcome: String,
    /// A higher one is done first.
    pub priority: i64,
    /// When it was created.
    pub created: i64,
    /// When it was last changed.
    pub updated: i64,
    /// When work on it started.
    pub started: Option<i64>,
    /// When it ended.
    pub finished: Option<i64>,
    /// Where it was imported from, or the seat of a pattern that it is.
    #[serde(default)]
    pub source: Option<String>,
}

/// A change to a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskChange {
    /// A session starts to work on it.
    Start {
        /// The agent program.
        agent: String,
        /// Its session.
        session: String,
        /// The agent's name.
        name: String,
        /// Take it from the session that has it.
        take: bool,
    },
    /// How far it is.
    Progress(String),
    /// It is done; the result.
    Done(String),
    /// It could not be done; the reason.
    Fail(String),
    /// It is cancelled; the reason.
    Cancel(String),
}

/// Why a task was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is none with this id.
    Unknown,
    /// Its state does not allow it.
    State(Box<TaskRow>),
    /// It is assigned to another agent.
    Assigned(Box<TaskRow>),
    /// Another session works on it.
    Taken(Box<TaskRow>),
    /// This many of its parts are not finished.
    Parts(i64),
}

pub(crate) const COLUMNS: &str = "id, parent, title, goal, state, creator, assignee, agent, session, project, progress, \
                       outcome, COALESCE(priority, 0) AS priority, created, updated, started, finished, source";

impl FromValue for TaskState {
    const EXPECTED: &'static str = "open, running, done, failed or cancelled";
    fn from_value(value: Value) -> Option<Self> {
        String::from_value(value).and_then(|name| Self::of(&name))
    }
}

from_row! {
    TaskRow:
    id, parent, title, goal, state, creator, assignee, agent, session, project, progress, outcome, priority,
    created, updated, started, finished, source
}

pub(crate) fn find(conn: &mut dyn Conn, id: &str) -> Result<Option<TaskRow>> {
    conn.first(&format!("SELECT {COLUMNS} FROM tasks WHERE id = $1"), values![id])
}

fn insert(conn: &mut dyn Conn, id: &str, new: &NewTask, now: i64) -> Result<u64> {
    conn.execute(
        "INSERT INTO tasks (id, parent, title, goal, state, creator, assignee, agent, session, project, \
         progress, outcome, created, updated, started, finished, priority, source) \
         SELECT $1, CAST($2 AS TEXT), $3, $4, 'open', $5, $6, '', '', $7, '', '', CAST($8 AS BIGINT), \
         CAST($8 AS BIGINT), NULL, NULL, CAST($9 AS BIGINT), CAST($10 AS TEXT) \
         WHERE CAST($2 AS TEXT) IS NULL OR EXISTS \
         (SELECT 1 FROM tasks WHERE id = CAST($2 AS TEXT) AND state IN ('open', 'running'))",
        values![
            id,
            new.parent.as_ref(),
            &new.title,
            &new.goal,
            &new.creator,
            &new.assignee,
            &new.project,
            now,
            new.priority,
            new.source.as_ref(),
        ],
    )
}

/// A short id that is easy to type.
fn short_id() -> String {
    let id = crate::new_id();
    format!("t{}", id.get(id.len() - 10..).unwrap_or(&id))
}

/// Cancels the unfinished parts of a task that has ended.
fn end_parts(conn: &mut dyn Conn, id: &str, outcome: &str, now: i64) -> Result<()> {
    conn.execute(
        "WITH RECURSIVE parts(id) AS (SELECT id FROM tasks WHERE parent = $1 \
         UNION SELECT t.id FROM tasks t JOIN parts ON t.parent = parts.id) \
         UPDATE tasks SET state = 'cancelled', outcome = $2, updated = $3, finished = $3 \
         WHERE id IN (SELECT id FROM parts) AND state IN ('open', 'running')",
        values![id, outcome, now],
    )?;
    Ok(())
}

impl Store {
    /// Creates a task with what it waits for.
    pub fn create_task(
        &mut self,
        new: &NewTask,
        now: i64,
    ) -> Result<std::result::Result<TaskRow, NotCreated>> {
        let id = short_id();
        self.atomically(|conn| {
            for after in &new.after {
                if find(conn, after)?.is_none() {
                    return Ok(Err(NotCreated::After(after.clone())));
                }
            }
            if let Some(source) = &new.source {
                let sql = format!("SELECT {COLUMNS} FROM tasks WHERE project = $1 AND source = $2");
                if let Some(known) = conn.first::<TaskRow>(&sql, values![&new.project, source])? {
                    return Ok(Err(NotCreated::Known(Box::new(known))));
                }
            }
            if insert(conn, &id, new, now)? == 0 {
                return Ok(Err(NotCreated::Parent));
            }
            for after in &new.after {
                // A new task is waited for by nobody: no circle can come of this, unless it is its own part's parent.
                crate::depends::insert(conn, &id, after)?;
            }
            conn.tell(&new.project)?;
            find(conn, &id)?.map(Ok).ok_or_else(|| Error::Rejected("the new task is not there".to_owned()))
        })
    }

    /// The tasks whose id starts with this; only one when it is a whole id.
    pub fn tasks_like(&mut self, id: &str) -> Result<Vec<TaskRow>> {
        if let Some(task) = find(&mut *self.conn, id)? {
            return Ok(vec![task]);
        }
        let pattern = format!("{}%", id.replace(['%', '_', '\\'], ""));
        let sql = format!("SELECT {COLUMNS} FROM tasks WHERE id LIKE $1 ORDER BY id LIMIT 5");
        self.conn.all(&sql, values![&pattern])
    }

    /// One task.
    pub fn task(&mut self, id: &str) -> Result<Option<TaskRow>> {
        find(&mut *self.conn, id)
    }

    /// Tasks, the last changed first.
    pub fn tasks(&mut self, ended: bool) -> Result<Vec<TaskRow>> {
        let which = if ended { "" } else { "WHERE state IN ('open', 'running')" };
        let sql = format!("SELECT {COLUMNS} FROM tasks {which} ORDER BY updated DESC, id LIMIT 1000");
        self.conn.all(&sql, &[])
    }

    /// The tasks of a project whose source begins with this, the oldest first.
    pub fn tasks_from(&mut self, project: &str, source: &str) -> Result<Vec<TaskRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tasks WHERE project = $1 AND substr(source, 1, length(CAST($2 AS TEXT))) = $2 \
             ORDER BY created, id LIMIT 1000"
        );
        self.conn.all(&sql, values![project, source])
    }

    /// The open tasks that are for an agent, the oldest first.
    pub fn open_tasks_of(&mut self, assignee: &str) -> Result<Vec<TaskRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tasks WHERE assignee = $1 AND state = 'open' ORDER BY created, id LIMIT 100"
        );
        self.conn.all(&sql, values![assignee])
    }

    /// The parts of a task, the oldest first.
    pub fn task_parts(&mut self, id: &str) -> Result<Vec<TaskRow>> {
        let sql = format!("SELECT {COLUMNS} FROM tasks WHERE parent = $1 ORDER BY created, id LIMIT 1000");
        self.conn.all(&sql, values![id])
    }

    /// Changes a task if its state allows it. Finishing twice in the same way is harmless.
    pub fn change_task(
        &mut self,
        id: &str,
        change: &TaskChange,
        now: i64,
    ) -> Result<std::result::Result<TaskRow, Refusal>> {
        self.atomically(|conn| apply(conn, id, change, now))
    }
}

/// [`Store::change_task`] inside a transaction.
pub(crate) fn apply(
    conn: &mut dyn Conn,
    id: &str,
    change: &TaskChange,
    now: i64,
) -> Result<std::result::Result<TaskRow, Refusal>> {
    let changed = match change {
                TaskChange::Start { agent, session, name, take } => conn.execute(
                    "UPDATE tasks SET state = 'running', agent = $2, session = $3, \
                     assignee = CASE WHEN assignee = '' OR CAST($6 AS BIGINT) = 1 THEN $4 ELSE assignee END, \
                     started = COALESCE(started, $5), updated = $5 \
                     WHERE id = $1 AND ((state = 'open' AND (assignee = '' OR assignee = $4 OR CAST($6 AS BIGINT) = 1)) \
                     OR (state = 'running' AND ((agent = $2 AND session = $3) OR CAST($6 AS BIGINT) = 1)))",
                    values![id, agent, session, name, now, i64::from(*take)],
                )?,
                TaskChange::Progress(text) => conn.execute(
                    "UPDATE tasks SET progress = $2, updated = $3 WHERE id = $1 AND state = 'running'",
                    values![id, text, now],
                )?,
                TaskChange::Done(outcome) => conn.execute(
                    "UPDATE tasks SET state = 'done', outcome = $2, updated = $3, finished = $3 \
                     WHERE id = $1 AND state = 'running' AND NOT EXISTS (SELECT 1 FROM tasks part \
                     WHERE part.parent = $1 AND part.state IN ('open', 'running'))",
                    values![id, outcome, now],
                )?,
                TaskChange::Fail(outcome) => finish(conn, id, TaskState::Failed, outcome, now)?,
                TaskChange::Cancel(outcome) => finish(conn, id, TaskState::Cancelled, outcome, now)?,
            };
    let Some(task) = find(conn, id)? else { return Ok(Err(Refusal::Unknown)) };
    if changed > 0 {
        if matches!(change, TaskChange::Fail(_) | TaskChange::Cancel(_)) {
            end_parts(conn, id, &format!("{id} was {}", task.state.name()), now)?;
        }
        if task.state.is_end() {
            conn.tell(&task.project)?;
        }
        return Ok(Ok(task));
    }
    refusal(conn, task, change)
}

fn finish(conn: &mut dyn Conn, id: &str, state: TaskState, outcome: &str, now: i64) -> Result<u64> {
    conn.execute(
        "UPDATE tasks SET state = $4, outcome = $2, updated = $3, finished = $3 \
         WHERE id = $1 AND state IN ('open', 'running')",
        values![id, outcome, now, state.name()],
    )
}

fn refusal(
    conn: &mut dyn Conn,
    task: TaskRow,
    change: &TaskChange,
) -> Result<std::result::Result<TaskRow, Refusal>> {
    let same_end = match change {
        TaskChange::Done(_) => task.state == TaskState::Done,
        TaskChange::Fail(_) => task.state == TaskState::Failed,
        TaskChange::Cancel(_) => task.state == TaskState::Cancelled,
        _ => false,
    };
    if same_end {
        return Ok(Ok(task));
    }
    let task = Box::new(task);
    Ok(Err(match change {
        TaskChange::Start { .. } if task.state == TaskState::Open => Refusal::Assigned(task),
        TaskChange::Start { .. } if task.state == TaskState::Running => Refusal::Taken(task),
        TaskChange::Done(_) if task.state == TaskState::Running => {
            let sql = "SELECT COUNT(*) FROM tasks WHERE parent = $1 AND state IN ('open', 'running')";
            Refusal::Parts(conn.one(sql, values![&task.id])?)
        }
        _ => Refusal::State(task),
    }))
}
