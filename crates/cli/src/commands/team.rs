//! What `sprag claims`, `sprag task` and `sprag agent` share: the store as of now, and who is asking.

use crate::commands::project_at;
use crate::commands::store::explained;
use anyhow::bail;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::plan::Mode;
use sprag_coord::member;
use sprag_coord::store::{Setup, micros};
use sprag_protocol::AgentId;
use sprag_protocol::agents::AGENTS;
use sprag_runtime::session::Session;
use sprag_store::{Error, Opening, SessionRow, Store};
use sprag_terminal::{Out, Problem};
use sprag_worker::sync;

/// The store with everything in it that waits here; `None` when there is none yet.
pub(crate) fn look(host: &Host) -> anyhow::Result<Option<Store>> {
    let setup = Setup::read(host).map_err(explained)?;
    match Store::open(&setup.target, Opening { create: false, ..Opening::WORKER }) {
        Ok(mut store) => {
            let _ = sync::sync(host, &setup, &mut store);
            Ok(Some(store))
        }
        Err(Error::Missing) => Ok(None),
        Err(error) => Err(explained(error)),
    }
}

/// The store, made when there is none.
pub(crate) fn open(host: &Host) -> anyhow::Result<Store> {
    let setup = Setup::read(host).map_err(explained)?;
    let mut store = Store::open(&setup.target, Opening::WORKER).map_err(explained)?;
    let _ = sync::sync(host, &setup, &mut store);
    Ok(store)
}

/// Says which of the hooks that carry something out are off here, and the command that switches them on.
pub(crate) fn say_if_off(host: &Host, out: &Out, hooks: &[&str], without: &str) {
    let resolved = sprag_config::load(host, &project_at(host, None)).resolved;
    let is_on = |name: &str| {
        let all = resolved.chains.iter().flat_map(|(_, chain)| chain);
        all.into_iter().any(|hook| hook.hook.name == name && hook.hook.mode == Mode::Enforce)
    };
    let off: Vec<&str> = hooks.iter().copied().filter(|name| !is_on(name)).collect();
    if !off.is_empty() {
        out.note(&format!(
            "{} off here: {without}. To change that: sprag enable {}",
            match off.as_slice() {
                [one] => format!("{one} is"),
                many => format!("{} are", many.join(" and ")),
            },
            off.join(" ")
        ));
    }
}

/// Now, as the store has it.
pub(crate) fn now(host: &Host) -> i64 {
    micros(host.clock.now())
}

/// A time for JSON.
pub(crate) fn stamp(at: i64) -> String {
    Stamp(at as u64).to_string()
}

/// The first characters of a session's id.
pub(crate) fn short(session: &str) -> String {
    session.chars().take(8).collect()
}

/// The session that calls this process, as its agent or sprag names it.
pub(crate) fn calling_session(host: &Host) -> Option<(String, &'static str)> {
    let of_agents =
        AGENTS.iter().filter_map(|agent| Some((agent.process.session_variable?, agent.id.name())));
    std::iter::once(("SPRAG_SESSION_ID", ""))
        .chain(of_agents)
        .find_map(|(name, agent)| Some((host.env.get(name)?, agent)))
}

/// Who asks.
pub(crate) struct Caller {
    /// The agent program; empty for a person.
    pub(crate) agent: String,
    /// Its session; empty for a person.
    pub(crate) session: String,
    /// The name in the team.
    pub(crate) name: String,
}

impl Caller {
    /// The session that is named, or the one around this process, or a person.
    pub(crate) fn find(store: &mut Store, host: &Host, named: Option<&str>) -> anyhow::Result<Self> {
        let around = calling_session(host);
        let Some(id) = named.or(around.as_ref().map(|(id, _)| id.as_str())) else {
            let name = host.env.get("SPRAG_AGENT_NAME").filter(|name| member::is_name(name));
            let name = name.or_else(|| host.env.get("USER")).unwrap_or_else(|| "person".to_owned());
            return Ok(Self { agent: String::new(), session: String::new(), name });
        };
        let known = store.sessions_like(id).map_err(explained)?;
        let row = match known.as_slice() {
            [row] => row.clone(),
            [] if named.is_some() => {
                bail!(Problem::new(
                    format!("no session `{id}` is known"),
                    "`sprag status sessions` lists them"
                ))
            }
            [] => {
                let agent = around.as_ref().map_or("", |(_, agent)| agent);
                let agent = if agent.is_empty() { AgentId::CANONICAL.name() } else { agent };
                SessionRow { agent: agent.to_owned(), session: id.to_owned(), ..SessionRow::default() }
            }
            many => {
                let ids: Vec<&str> = many.iter().map(|row| row.session.as_str()).collect();
                bail!(Problem::new(
                    format!("`{id}` may be several sessions"),
                    format!("one of: {}", ids.join(", "))
                ))
            }
        };
        let name = store.member_name(&row.agent, &row.session).map_err(explained)?;
        let name = name.unwrap_or_else(|| member::name(host, &row.agent));
        Ok(Self { agent: row.agent, session: row.session, name })
    }

    /// The session's own state on this machine; `None` for a person.
    pub(crate) fn state(&self, host: &Host) -> Option<Session> {
        (!self.session.is_empty()).then(|| Session::new(&host.paths, &self.session))
    }
}
