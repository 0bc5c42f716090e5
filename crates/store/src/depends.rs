//! What tasks wait for. A task is ready when everything that it waits for is done; a parent waits for its parts.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::row::from_row;
use crate::tasks::{self, COLUMNS, TaskRow, TaskState};
use crate::value::values;

/// What an unfinished task waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The task that waits.
    pub task: String,
    /// The task that it waits for.
    pub after: String,
    /// The state of that.
    pub state: TaskState,
    /// How that ended.
    pub outcome: String,
}

/// Why a dependency was not added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DependencyRefusal {
    /// There is no such task.
    Unknown(String),
    /// The task has started or is finished.
    Started(Box<TaskRow>),
    /// The other one waits for this one: the tasks from that one to this one.
    Cycle(Vec<String>),
}

from_row! { Dependency: task, after, state, outcome }

/// Everything that a task waits for: what it was told, and its parts.
const EDGES: &str = "(SELECT task, after FROM task_deps UNION ALL SELECT parent, id FROM tasks \
                     WHERE parent IS NOT NULL)";

/// The condition that nothing is left which task `t` waits for. A task that is gone was finished long ago.
pub(crate) const NOTHING_BEFORE: &str = "NOT EXISTS (SELECT 1 FROM task_deps d JOIN tasks b ON b.id = d.after \
     WHERE d.task = t.id AND b.state <> 'done') AND NOT EXISTS (SELECT 1 FROM tasks part \
     WHERE part.parent = t.id AND part.state IN ('open', 'running'))";

pub(crate) fn insert(conn: &mut dyn Conn, task: &str, after: &str) -> Result<()> {
    let sql = "INSERT INTO task_deps (task, after) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    conn.execute(sql, values![task, after]).map(|_| ())
}

/// The tasks on the way from `from` to `to`, in the direction of waiting; empty when there is none.
fn path(conn: &mut dyn Conn, from: &str, to: &str) -> Result<Vec<String>> {
    let mut before: Vec<(String, String)> = Vec::new();
    let mut next = vec![from.to_owned()];
    let sql = format!("SELECT e.after FROM {EDGES} e WHERE e.task = $1");
    while let Some(task) = next.pop() {
        if task == to {
            let mut way = vec![task];
            while let Some((_, of)) = way.last().and_then(|last| before.iter().find(|(to, _)| to == last)) {
                way.push(of.clone());
            }
            way.reverse();
            return Ok(way);
        }
        for after in conn.all::<String>(&sql, values![&task])? {
            if after != from && !before.iter().any(|(known, _)| *known == after) {
                before.push((after.clone(), task.clone()));
                next.push(after);
            }
        }
    }
    Ok(Vec::new())
}

impl Store {
    /// Makes an open task wait for another one. A circle is refused.
    pub fn add_dependency(
        &mut self,
        task: &str,
        after: &str,
    ) -> Result<std::result::Result<(), DependencyRefusal>> {
        self.atomically(|conn| {
            // Two processes that add one half of a circle each must not both succeed.
            conn.order_lock("task_deps")?;
            let Some(row) = tasks::find(conn, task)? else {
                return Ok(Err(DependencyRefusal::Unknown(task.to_owned())));
            };
            if tasks::find(conn, after)?.is_none() {
                return Ok(Err(DependencyRefusal::Unknown(after.to_owned())));
            }
            if row.state != TaskState::Open {
                return Ok(Err(DependencyRefusal::Started(Box::new(row))));
            }
            let cycle = path(conn, after, task)?;
            if !cycle.is_empty() {
                return Ok(Err(DependencyRefusal::Cycle(cycle)));
            }
            insert(conn, task, after).map(Ok)
        })
    }

    /// An open task no longer waits for another one; true when it did.
    pub fn remove_dependency(&mut self, task: &str, after: &str) -> Result<bool> {
        let sql = "DELETE FROM task_deps WHERE task = $1 AND after = $2";
        Ok(self.conn.execute(sql, values![task, after])? > 0)
    }

    /// What the unfinished tasks of a project (`None`: of all) wait for, done or not.
    pub fn dependencies(&mut self, project: Option<&str>) -> Result<Vec<Dependency>> {
        let sql = "SELECT d.task, d.after, b.state, b.outcome FROM task_deps d JOIN tasks t ON t.id = d.task \
                   JOIN tasks b ON b.id = d.after WHERE t.state IN ('open', 'running') AND ($1 = '' OR t.project = $1) \
                   ORDER BY d.task, d.after LIMIT 100000";
        self.conn.all(sql, values![project.unwrap_or_default()])
    }

    /// What one task waits for.
    pub fn dependencies_of(&mut self, task: &str) -> Result<Vec<Dependency>> {
        let sql = "SELECT d.task, d.after, b.state, b.outcome FROM task_deps d JOIN tasks b ON b.id = d.after \
                   WHERE d.task = $1 ORDER BY d.after LIMIT 10000";
        self.conn.all(sql, values![task])
    }

    /// The open tasks of a project (`None`: of all) that wait for nothing, in the order in which they are done.
    pub fn ready_tasks(&mut self, project: Option<&str>) -> Result<Vec<TaskRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tasks t WHERE t.state = 'open' AND ($1 = '' OR t.project = $1) \
             AND {NOTHING_BEFORE} ORDER BY COALESCE(t.priority, 0) DESC, t.created, t.id LIMIT 1000"
        );
        self.conn.all(&sql, values![project.unwrap_or_default()])
    }

    /// A new task in the place of one that failed or was cancelled: what waited for that waits for this.
    /// `None` when the task is unknown, not finished or done.
    pub fn retry_task(&mut self, id: &str, creator: &str, now: i64) -> Result<Option<TaskRow>> {
        let Some(old) = self.task(id)? else { return Ok(None) };
        if !matches!(old.state, TaskState::Failed | TaskState::Cancelled) {
            return Ok(None);
        }
        let after = self.dependencies_of(id)?.into_iter().map(|dependency| dependency.after).collect();
        let parent = match &old.parent {
            Some(parent) => {
                self.task(parent)?.filter(|parent| !parent.state.is_end()).map(|parent| parent.id)
            }
            None => None,
        };
        let new = tasks::NewTask {
            parent,
            title: old.title,
            goal: old.goal,
            creator: creator.to_owned(),
            assignee: old.assignee,
            project: old.project,
            priority: old.priority,
            after,
            source: None,
        };
        let Ok(made) = self.create_task(&new, now)? else { return Ok(None) };
        let sql = "UPDATE task_deps SET after = $2 WHERE after = $1";
        self.conn.execute(sql, values![id, &made.id])?;
        Ok(Some(made))
    }
}
