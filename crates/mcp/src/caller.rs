//! Which agent and which of its sessions is at the other end. Agents do not say it: they name their client, set a variable, or are
//! the process above.

use crate::error::ToolError;
use sprag_config::host::Host;
use sprag_coord::caller::{Caller, CallerError, calling_session};
use sprag_coord::store::micros;
use sprag_project::Project;
use sprag_protocol::AgentId;
use sprag_store::Store;

/// The agent's name: that of one that sprag knows, else what the client calls itself.
pub(crate) fn agent(client: &str) -> String {
    let client = client.to_lowercase();
    AgentId::ALL
        .into_iter()
        .find(|agent| client.contains(agent.name()))
        .map_or_else(|| sprag_base::id::safe_name(&client), |agent| agent.name().to_owned())
}

/// The session's id as the agent's variable has it; empty when there is none.
pub(crate) fn session(host: &Host) -> String {
    calling_session(host).map(|(id, _)| id).unwrap_or_default()
}

/// Who asks: the session of the variable; else the live one of the process that started this server; else the only live one of
/// this agent in this project; else the agent without a session.
pub(crate) fn find(
    store: &mut Store,
    host: &Host,
    client: &str,
    project: &Project,
) -> Result<Caller, ToolError> {
    let wrong = |error: CallerError| match error {
        CallerError::Store(error) => ToolError::from(error),
        other => ToolError::new(other, "Tell the user to run `sprag status sessions`."),
    };
    if calling_session(host).is_some() {
        return Caller::find(store, host, None).map_err(wrong);
    }
    let agent = agent(client);
    let (now, machine) = (micros(host.clock.now()), host.machine());
    let live = store.sessions(now, now)?;
    let here = live.iter().filter(|row| row.is_live(now) && row.host == machine && row.agent == agent);
    let parent = parent();
    let of_parent = here.clone().find(|row| row.pid > 0 && Some(row.pid) == parent);
    let mut in_project = here.filter(|row| row.root == project.root.to_string_lossy());
    let only = match (in_project.next(), in_project.next()) {
        (Some(row), None) => Some(row),
        _ => None,
    };
    match of_parent.or(only) {
        Some(row) => Caller::find(store, host, Some(&row.session)).map_err(wrong),
        None => Ok(Caller { name: agent.clone(), agent, session: String::new() }),
    }
}

fn parent() -> Option<i64> {
    #[cfg(unix)]
    let parent = Some(i64::from(std::os::unix::process::parent_id()));
    #[cfg(not(unix))]
    let parent = None;
    parent
}

#[cfg(test)]
mod tests {
    use super::agent;

    #[test]
    fn clients_are_told_by_their_names() {
        assert_eq!(agent("claude-code"), "claude");
        assert_eq!(agent("codex-mcp-client"), "codex");
        assert_eq!(agent("gemini-cli-mcp-client"), "gemini");
        assert_eq!(agent("My Client"), sprag_base::id::safe_name("my client"));
    }
}
