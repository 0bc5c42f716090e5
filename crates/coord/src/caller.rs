//! Who asks: the session around this process, one that is named, or a person.

use crate::member;
use sprag_config::host::Host;
use sprag_protocol::AgentId;
use sprag_protocol::agents::AGENTS;
use sprag_runtime::session::Session;
use sprag_store::{Error, SessionRow, Store};

/// The session that calls this process, as its agent or sprag names it.
pub fn calling_session(host: &Host) -> Option<(String, &'static str)> {
    let of_agents =
        AGENTS.iter().filter_map(|agent| Some((agent.process.session_variable?, agent.id.name())));
    std::iter::once(("SPRAG_SESSION_ID", ""))
        .chain(of_agents)
        .find_map(|(name, agent)| Some((host.env.get(name)?, agent)))
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The agent program; empty for a person.
    pub agent: String,
    /// Its session; empty for a person.
    pub session: String,
    /// The name in the team.
    pub name: String,
}

/// Why it is not known who asks.
#[derive(Debug, thiserror::Error)]
pub enum CallerError {
    /// The store.
    #[error(transparent)]
    Store(#[from] Error),
    /// No session has this id.
    #[error("no session `{0}` is known")]
    Unknown(String),
    /// The beginning of several ids.
    #[error("`{0}` may be several sessions")]
    Several(String, Vec<String>),
}

impl Caller {
    /// The session that is named, or the one around this process, or a person.
    pub fn find(store: &mut Store, host: &Host, named: Option<&str>) -> Result<Self, CallerError> {
        let around = calling_session(host);
        let Some(id) = named.or(around.as_ref().map(|(id, _)| id.as_str())) else {
            let name = host.env.get("SPRAG_AGENT_NAME").filter(|name| member::is_name(name));
            let name = name.or_else(|| host.env.get("USER")).unwrap_or_else(|| "person".to_owned());
            return Ok(Self { agent: String::new(), session: String::new(), name });
        };
        let known = store.sessions_like(id)?;
        let row = match known.as_slice() {
            [row] => row.clone(),
            [] if named.is_some() => return Err(CallerError::Unknown(id.to_owned())),
            [] => {
                let agent = around.as_ref().map_or("", |(_, agent)| agent);
                let agent = if agent.is_empty() { AgentId::CANONICAL.name() } else { agent };
                SessionRow { agent: agent.to_owned(), session: id.to_owned(), ..SessionRow::default() }
            }
            many => {
                let ids = many.iter().map(|row| row.session.clone()).collect();
                return Err(CallerError::Several(id.to_owned(), ids));
            }
        };
        let name = store.member_name(&row.agent, &row.session)?;
        let name = name.unwrap_or_else(|| member::name(host, &row.agent));
        Ok(Self { agent: row.agent, session: row.session, name })
    }

    /// The session's own state on this machine; `None` for a person.
    pub fn state(&self, host: &Host) -> Option<Session> {
        (!self.session.is_empty()).then(|| Session::new(&host.paths, &self.session))
    }
}
