//! Attempts: the runs of a task by dispatchers. A dispatcher takes a ready task in one transaction, holds it by a lease
//! that it renews, and ends it. An index allows one running attempt per task, whoever starts it.

use crate::conn::Conn;
use crate::depends::NOTHING_BEFORE;
use crate::error::Result;
use crate::row::{FromValue, from_row};
use crate::tasks::{self, Refusal, TaskChange, TaskRow, TaskState};
use crate::value::{Value, values};
use crate::{Backend, Store, new_id};
use serde::{Deserialize, Serialize};

/// What stands in a task's `session` before its agent has reported its own.
const PENDING: &str = "attempt:";

/// The state of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptState {
    /// Its agent works.
    Running,
    /// Its agent ended well.
    Done,
    /// Its agent failed.
    Failed,
    /// Its dispatcher stopped renewing the lease.
    Lost,
    /// Its dispatcher was told to stop.
    Stopped,
}

impl AttemptState {
    const ALL: [Self; 5] = [Self::Running, Self::Done, Self::Failed, Self::Lost, Self::Stopped];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Lost => "lost",
            Self::Stopped => "stopped",
        }
    }
}

/// Who takes tasks, and on which terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dispatcher {
    /// Its id.
    pub id: String,
    /// The project whose tasks it takes.
    pub project: String,
    /// The agent program that it starts.
    pub agent: String,
    /// Which state folder of sprag it belongs to.
    pub home: String,
    /// The machine.
    pub host: String,
    /// How long an attempt is its own without a heartbeat, in microseconds.
    pub lease: i64,
    /// Attempts of a task that may fail or be lost before the task fails.
    pub max_attempts: i64,
    /// Only tasks whose source begins with this; empty for all.
    pub only: String,
}

/// An attempt in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRow {
    /// Its id.
    pub id: String,
    /// The task.
    pub task: String,
    /// The project.
    pub project: String,
    /// Which attempt at the task, from 1.
    pub number: i64,
    /// The dispatcher that holds it.
    pub dispatcher: String,
    /// The agent program.
    pub agent: String,
    /// The agent's name in the team.
    pub name: String,
    /// Which state folder of sprag it belongs to.
    pub home: String,
    /// The machine.
    pub host: String,
    /// The agent's process there, as the dispatcher wrote it.
    pub process: String,
    /// The folder in which it works.
    pub folder: String,
    /// The branch on which it works.
    pub branch: String,
    /// The agent's own id of the session.
    pub session: String,
    /// The file with the agent's output.
    pub log: String,
    /// Its state.
    pub state: AttemptState,
    /// What came out, or why it failed.
    pub result: String,
    /// The model, as the agent reported it.
    pub model: String,
    /// Tokens that the model read, without those from its cache.
    pub input_tokens: i64,
    /// Tokens that the model read from its cache.
    pub cached_tokens: i64,
    /// Tokens that the model wrote.
    pub output_tokens: i64,
    /// The cost in millionths of a dollar; `None` when nobody knows the price.
    pub cost_micros: Option<i64>,
    /// When it started.
    pub started: i64,
    /// When its lease expires.
    pub lease_until: i64,
    /// When it ended.
    pub ended: Option<i64>,
}

/// What an attempt used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The model.
    pub model: String,
    /// Tokens that the model read, without those from its cache.
    pub input_tokens: i64,
    /// Tokens that the model read from its cache.
    pub cached_tokens: i64,
    /// Tokens that the model wrote.
    pub output_tokens: i64,
    /// The cost in millionths of a dollar.
    pub cost_micros: Option<i64>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptEnd {
    /// Done, failed or stopped.
    pub state: AttemptState,
    /// What came out, or why it failed.
    pub result: String,
    /// What it used.
    pub spent: Spent,
    /// The agent's own id of the session.
    pub session: String,
}

/// An attempt whose lease was renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The attempt.
    pub id: String,
    /// The state of its task.
    pub state: TaskState,
    /// How the task ended.
    pub outcome: String,
}

/// An attempt that nobody renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The attempt.
    pub id: String,
    /// Its task.
    pub task: String,
    /// Which state folder of sprag it belonged to.
    pub home: String,
    /// The agent's process.
    pub process: String,
}

const COLUMNS: &str = "id, task, project, number, dispatcher, agent, name, home, host, process, folder, branch, \
                       session, log, state, result, model, input_tokens, cached_tokens, output_tokens, cost_micros, \
                       started, lease_until, ended";

impl FromValue for AttemptState {
    const EXPECTED: &'static str = "running, done, failed, lost or stopped";
    fn from_value(value: Value) -> Option<Self> {
        String::from_value(value).and_then(|name| Self::ALL.into_iter().find(|state| state.name() == name))
    }
}

from_row! {
    AttemptRow:
    id, task, project, number, dispatcher, agent, name, home, host, process, folder, branch, session, log,
    state, result, model, input_tokens, cached_tokens, output_tokens, cost_micros, started, lease_until, ended
}

from_row! { Held: id, state, outcome }

from_row! { Lost: id, task, home, process }

/// The condition that a dispatcher may take task `t`: it waits for nothing, or its last attempt was lost or failed.
fn takeable(max_attempts: &str) -> String {
    format!(
        "((t.state = 'open' AND {NOTHING_BEFORE}) OR (t.state = 'running' \
         AND EXISTS (SELECT 1 FROM attempts a WHERE a.task = t.id) \
         AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.task = t.id AND a.state IN ('running', 'done')))) \
         AND (SELECT COUNT(*) FROM attempts a WHERE a.task = t.id AND a.state IN ('failed', 'lost')) < {max_attempts}"
    )
}

fn attempt(conn: &mut dyn Conn, id: &str) -> Result<Option<AttemptRow>> {
    conn.first(&format!("SELECT {COLUMNS} FROM attempts WHERE id = $1"), values![id])
}

/// Fails a task whose attempts are used up.
fn give_up(conn: &mut dyn Conn, task: &str, max_attempts: i64, why: &str, now: i64) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM attempts WHERE task = $1 AND state IN ('failed', 'lost')";
    let used: i64 = conn.one(sql, values![task])?;
    if used >= max_attempts {
        let _ = tasks::apply(conn, task, &TaskChange::Fail(why.to_owned()), now)?;
    }
    Ok(())
}

impl Store {
    /// Takes the next task that can be done; `name` is the agent's when the task is for nobody in particular.
    /// Of dispatchers that ask at once, each gets another task.
    pub fn take_task(
        &mut self,
        by: &Dispatcher,
        name: &str,
        now: i64,
    ) -> Result<Option<(TaskRow, AttemptRow)>> {
        // SQLite's transaction holds the only write lock; a server locks the row and passes over those of others.
        let lock = if self.backend == Backend::Postgres { "FOR UPDATE OF t SKIP LOCKED" } else { "" };
        let sql = format!(
            "SELECT t.id FROM tasks t WHERE t.project = $1 AND {} \
             AND (CAST($3 AS TEXT) = '' OR substr(t.source, 1, length(CAST($3 AS TEXT))) = $3) \
             ORDER BY COALESCE(t.priority, 0) DESC, t.created, t.id LIMIT 1 {lock}",
            takeable("$2")
        );
        self.atomically(|conn| {
            let found: Option<String> = conn.first(&sql, values![&by.project, by.max_attempts, &by.only])?;
            let Some(task) = found else { return Ok(None) };
            crate::crash_point("take");
            let id = new_id();
            let made = conn.execute(
                "INSERT INTO attempts (id, task, project, number, dispatcher, agent, name, home, host, process, folder, \
                 branch, session, log, state, result, model, input_tokens, cached_tokens, output_tokens, cost_micros, \
                 started, lease_until, ended) SELECT $1, $2, $3, (SELECT COALESCE(MAX(number), 0) + 1 FROM attempts \
                 WHERE task = $2), $4, $5, (SELECT CASE WHEN assignee = '' THEN $6 ELSE assignee END FROM tasks \
                 WHERE id = $2), $7, $8, '', '', '', '', '', 'running', '', '', 0, 0, 0, NULL, $9, $10, NULL \
                 ON CONFLICT DO NOTHING",
                values![
                    &id, &task, &by.project, &by.id, &by.agent, name, &by.home, &by.host, now, now + by.lease
                ],
            )?;
            if made == 0 {
                // Another dispatcher was faster; the next question finds the next task.
                return Ok(None);
            }
            conn.execute(
                "UPDATE tasks SET state = 'running', agent = $2, session = $3, assignee = CASE WHEN assignee = '' \
                 THEN $4 ELSE assignee END, started = COALESCE(started, $5), updated = $5 WHERE id = $1",
                values![&task, &by.agent, &format!("{PENDING}{id}"), name, now],
            )?;
            crate::crash_point("take");
            Ok(tasks::find(conn, &task)?.zip(attempt(conn, &id)?))
        })
    }

    /// Where an attempt works.
    pub fn place_attempt(&mut self, id: &str, folder: &str, branch: &str, log: &str) -> Result<()> {
        let sql = "UPDATE attempts SET folder = $2, branch = $3, log = $4 WHERE id = $1";
        self.conn.execute(sql, values![id, folder, branch, log]).map(|_| ())
    }

    /// Which process an attempt's agent is.
    pub fn attempt_process(&mut self, id: &str, process: &str) -> Result<()> {
        let sql = "UPDATE attempts SET process = $2 WHERE id = $1";
        self.conn.execute(sql, values![id, process]).map(|_| ())
    }

    /// Renews the leases of a dispatcher. An attempt that is not among them any more belongs to somebody else.
    pub fn renew_attempts(&mut self, by: &Dispatcher, now: i64) -> Result<Vec<Held>> {
        self.atomically(|conn| {
            conn.execute(
                "UPDATE attempts SET lease_until = $2 WHERE dispatcher = $1 AND state = 'running'",
                values![&by.id, now + by.lease],
            )?;
            conn.all(
                "SELECT a.id, t.state, t.outcome FROM attempts a JOIN tasks t ON t.id = a.task \
                 WHERE a.dispatcher = $1 AND a.state = 'running' ORDER BY a.id",
                values![&by.id],
            )
        })
    }

    /// Gives up the attempts whose leases expired: their tasks can be taken again, or fail when their attempts are used
    /// up.
    pub fn reap_attempts(&mut self, by: &Dispatcher, now: i64) -> Result<Vec<Lost>> {
        self.atomically(|conn| {
            let lost: Vec<Lost> = conn.all(
                "UPDATE attempts SET state = 'lost', ended = $2, result = 'its dispatcher stopped renewing the lease' \
                 WHERE project = $1 AND state = 'running' AND lease_until < $2 RETURNING id, task, home, process",
                values![&by.project, now],
            )?;
            for one in &lost {
                give_up(conn, &one.task, by.max_attempts, "its dispatchers were lost", now)?;
            }
            Ok(lost)
        })
    }

    /// Ends an attempt, and its task with it when it is done or its attempts are used up. `None` when the attempt was
    /// not running any more: another dispatcher has the task, and nothing is changed.
    pub fn end_attempt(
        &mut self,
        id: &str,
        end: &AttemptEnd,
        max_attempts: i64,
        now: i64,
    ) -> Result<Option<TaskRow>> {
        self.atomically(|conn| {
            let AttemptEnd { state, result, spent, session } = end;
            let changed = conn.execute(
                "UPDATE attempts SET state = $2, result = $3, model = $4, input_tokens = $5, cached_tokens = $6, \
                 output_tokens = $7, cost_micros = $8, session = $9, ended = $10 WHERE id = $1 AND state = 'running'",
                values![
                    id,
                    state.name(),
                    result,
                    &spent.model,
                    spent.input_tokens,
                    spent.cached_tokens,
                    spent.output_tokens,
                    spent.cost_micros,
                    session,
                    now
                ],
            )?;
            let Some(attempt) = attempt(conn, id)?.filter(|_| changed > 0) else { return Ok(None) };
            crate::crash_point("end");
            // What waits for it can start, and what failed can be taken again.
            conn.tell(&attempt.project)?;
            match state {
                AttemptState::Done => {
                    // With unfinished parts it stays running; `finish_wholes` ends it after them.
                    let _: std::result::Result<TaskRow, Refusal> =
                        tasks::apply(conn, &attempt.task, &TaskChange::Done(result.clone()), now)?;
                }
                AttemptState::Failed => give_up(conn, &attempt.task, max_attempts, result, now)?,
                AttemptState::Running | AttemptState::Lost | AttemptState::Stopped => {}
            }
            tasks::find(conn, &attempt.task)
        })
    }

    /// Ends the tasks whose attempt was done before their parts were.
    pub fn finish_wholes(&mut self, project: &str, now: i64) -> Result<u64> {
        self.conn.execute(
            "UPDATE tasks SET state = 'done', updated = $2, finished = $2, outcome = COALESCE((SELECT a.result \
             FROM attempts a WHERE a.task = tasks.id AND a.state = 'done' ORDER BY a.number DESC LIMIT 1), '') \
             WHERE project = $1 AND state = 'running' \
             AND EXISTS (SELECT 1 FROM attempts a WHERE a.task = tasks.id AND a.state = 'done') \
             AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.task = tasks.id AND a.state = 'running') \
             AND NOT EXISTS (SELECT 1 FROM tasks part WHERE part.parent = tasks.id \
             AND part.state IN ('open', 'running'))",
            values![project, now],
        )
    }

    /// One attempt.
    pub fn attempt(&mut self, id: &str) -> Result<Option<AttemptRow>> {
        attempt(&mut *self.conn, id)
    }

    /// The attempts of a project since a time, the newest first.
    pub fn attempts(&mut self, project: &str, since: i64) -> Result<Vec<AttemptRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM attempts WHERE ($1 = '' OR project = $1) AND (started >= $2 OR state = 'running') \
             ORDER BY started DESC, id DESC LIMIT 10000"
        );
        self.conn.all(&sql, values![project, since])
    }

    /// The attempts at one task, the first first.
    pub fn attempts_of(&mut self, task: &str) -> Result<Vec<AttemptRow>> {
        let sql = format!("SELECT {COLUMNS} FROM attempts WHERE task = $1 ORDER BY number LIMIT 1000");
        self.conn.all(&sql, values![task])
    }

    /// What the attempts of a project cost since a time, in millionths of a dollar.
    pub fn attempts_cost(&mut self, project: &str, since: i64) -> Result<i64> {
        let sql = "SELECT CAST(COALESCE(SUM(cost_micros), 0) AS BIGINT) FROM attempts WHERE project = $1 AND started >= $2";
        self.conn.one(sql, values![project, since])
    }
}

/// True when a task waits for the agent that an attempt started, and this is another attempt than `own`.
impl TaskRow {
    /// The attempt that was started for this task and has not reported its session yet.
    pub fn pending_attempt(&self) -> Option<&str> {
        self.session.strip_prefix(PENDING)
    }
}
