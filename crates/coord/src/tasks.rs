//! The task that a session works on: a small file of the session says which, so that an event without one asks nothing.

pub mod graph;
pub mod list;

use crate::caller::Caller;
use serde::{Deserialize, Serialize};
use sprag_config::host::Host;
use sprag_runtime::session::Session;
use sprag_scan::scrub::scrub;
use sprag_store::{TaskChange, TaskRow};
use std::io;

/// The session's file that names its task.
const TASK: &str = "task";

/// The session's file with what was last known of the task's state.
pub const CANCEL: &str = "cancel";

/// The variable that names the attempt for which a dispatcher started an agent.
pub const ATTEMPT: &str = "SPRAG_ATTEMPT";

/// True when a task waits for the agent of another attempt than the one that started this process.
pub fn is_of_another_attempt(host: &Host, task: &TaskRow) -> bool {
    task.pending_attempt().is_some_and(|pending| host.env.get(ATTEMPT).is_none_or(|own| own != pending))
}

/// What a session knows of its task without a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// The task's id; empty when the session left its task.
    pub id: String,
    /// One line.
    #[serde(default)]
    pub title: String,
    /// What shall be true when it is done.
    #[serde(default)]
    pub goal: String,
    /// How far it is.
    #[serde(default)]
    pub progress: String,
}

impl From<&TaskRow> for Bound {
    fn from(task: &TaskRow) -> Self {
        Self {
            id: task.id.clone(),
            title: task.title.clone(),
            goal: task.goal.clone(),
            progress: task.progress.clone(),
        }
    }
}

/// The task of a session: what `sprag task start` said, else `SPRAG_TASK`, which whoever started the agent set.
pub fn bound(host: &Host, session: &Session) -> Option<Bound> {
    let known: Option<Bound> = serde_json::from_str(&session.read(TASK)).ok();
    known
        .or_else(|| Some(Bound { id: host.env.get("SPRAG_TASK")?, ..Bound::default() }))
        .filter(|bound| !bound.id.is_empty())
}

/// The session works on this task from now on; also after a change of it.
pub fn bind(session: &Session, task: &TaskRow) -> io::Result<()> {
    let text = serde_json::to_string(&Bound::from(task)).map_err(io::Error::other)?;
    session.write(TASK, &text)?;
    session.remove(CANCEL)
}

/// The session works on no task any more.
pub fn leave(session: &Session) -> io::Result<()> {
    let text = serde_json::to_string(&Bound::default()).map_err(io::Error::other)?;
    session.write(TASK, &text)?;
    session.remove(CANCEL)
}

/// What is known of the task's state is old: the next call asks.
pub fn look_again(session: &Session) -> io::Result<()> {
    session.remove(CANCEL)
}

/// What is stored has no secrets in it, and is no book.
pub fn kept(text: &str) -> String {
    const MAX_TEXT_CHARS: usize = 20_000;
    scrub(text.trim()).chars().take(MAX_TEXT_CHARS).collect()
}

/// A caller started a task: its session works on it, and one that did before is told.
pub fn started(host: &Host, caller: &Caller, before: &TaskRow, task: &TaskRow) -> io::Result<()> {
    if before.session != task.session && !before.session.is_empty() {
        let _ = look_again(&Session::new(&host.paths, &before.session));
    }
    caller.state(host).map_or(Ok(()), |session| bind(&session, task))
}

/// A caller changed a task: the sessions that work on it and on its parts learn of it.
pub fn changed(
    host: &Host,
    caller: &Caller,
    change: &TaskChange,
    task: &TaskRow,
    parts: &[TaskRow],
) -> io::Result<()> {
    for one in std::iter::once(task).chain(parts).filter(|one| !one.session.is_empty()) {
        let session = Session::new(&host.paths, &one.session);
        let is_bound = bound(host, &session).is_some_and(|bound| bound.id == one.id);
        let own = caller.session == one.session;
        match change {
            // What its own session ended is over for it; what others ended, it must be told of.
            TaskChange::Done(_) if is_bound => leave(&session)?,
            TaskChange::Fail(_) | TaskChange::Cancel(_) if is_bound && own => leave(&session)?,
            TaskChange::Progress(_) if is_bound && one.id == task.id => bind(&session, task)?,
            _ if session.dir().exists() => look_again(&session)?,
            _ => {}
        }
    }
    Ok(())
}
