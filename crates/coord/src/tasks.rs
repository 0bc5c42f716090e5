//! The task that a session works on: a small file of the session says which, so that an event without one asks nothing.

use serde::{Deserialize, Serialize};
use sprag_config::host::Host;
use sprag_runtime::session::Session;
use sprag_store::TaskRow;
use std::io;

/// The session's file that names its task.
const TASK: &str = "task";

/// The session's file with what was last known of the task's state.
pub const CANCEL: &str = "cancel";

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
