//! The session that an event is about, as the background jobs take it.

use super::export::Task;
use super::open::OpenSession;
use sprag_base::pid::Process;
use sprag_protocol::Event;
use std::path::PathBuf;

/// The session that an event is about, for the background. `None` when there is no transcript to read.
pub fn task_of(event: &Event) -> Option<Task> {
    let transcript = event.transcript_path.as_deref().filter(|path| !path.is_empty())?;
    if event.session_id.is_empty() || event.agent_id.is_some() {
        return None;
    }
    Some(Task {
        agent: event.agent.name().to_owned(),
        session: event.session_id.clone(),
        transcript: PathBuf::from(transcript),
        cwd: event.cwd.clone(),
    })
}

/// What the next start must know when this session ends without a word.
pub fn open_session(task: &Task) -> OpenSession {
    OpenSession {
        agent: task.agent.clone(),
        session: task.session.clone(),
        transcript: task.transcript.display().to_string(),
        cwd: task.cwd.clone(),
        process: Process::default(),
    }
}

/// A session that ended without a word, for the background.
pub fn task_left(left: OpenSession) -> Task {
    Task {
        agent: left.agent,
        session: left.session,
        transcript: PathBuf::from(left.transcript),
        cwd: left.cwd,
    }
}
