//! Sessions of agents and their leases. A session lives while it is not ended and its lease has not run out.

use crate::Store;
use crate::claims;
use crate::conn::Conn;
use crate::error::Result;
use crate::new_id;
use crate::runs::Activity;
use crate::team;
use crate::value::{Row, Value, at, values};
use serde::{Deserialize, Serialize};

/// What a session says of itself when it starts, resumes, is cleared or compacted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The agent program.
    pub agent: String,
    /// The agent's own id of the session.
    pub session: String,
    /// Which state folder of sprag it belongs to.
    pub home: String,
    /// The machine.
    pub host: String,
    /// The agent's process.
    pub pid: i64,
    /// What tells this project from others, on every machine.
    pub project: String,
    /// Its folder on this machine.
    pub root: String,
    /// The branch.
    pub branch: String,
    /// Why it started: startup, resume, clear, compact.
    pub source: String,
    /// The lease, in microseconds.
    pub lease: i64,
    /// The agent's name in the team; empty for none.
    #[serde(default)]
    pub name: String,
    /// `lead` or `worker`; empty leaves what is known.
    #[serde(default)]
    pub role: String,
}

/// A session in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// Its id here.
    pub id: String,
    /// The agent program.
    pub agent: String,
    /// The agent's own id of the session.
    pub session: String,
    /// Which state folder of sprag it belongs to.
    pub home: String,
    /// The machine.
    pub host: String,
    /// The agent's process.
    pub pid: i64,
    /// The project.
    pub project: String,
    /// Its folder on that machine.
    pub root: String,
    /// The branch when it last said so.
    pub branch: String,
    /// Why it last started.
    pub source: String,
    /// When it first started.
    pub started: i64,
    /// When it last registered.
    pub registered: i64,
    /// When it last did something.
    pub seen: i64,
    /// When its lease runs out.
    pub lease_until: i64,
    /// When it ended.
    pub ended: Option<i64>,
}

impl SessionRow {
    /// True while it is not ended and its lease runs.
    pub const fn is_live(&self, now: i64) -> bool {
        self.ended.is_none() && self.lease_until > now
    }
}

const COLUMNS: &str = "id, agent, session, home, host, pid, project, root, branch, source, started, \
                       registered, seen, lease_until, ended";

fn read(row: &Row) -> SessionRow {
    let text = |column: usize| at(row, column).text();
    let int = |column: usize| at(row, column).int();
    SessionRow {
        id: text(0),
        agent: text(1),
        session: text(2),
        home: text(3),
        host: text(4),
        pid: int(5),
        project: text(6),
        root: text(7),
        branch: text(8),
        source: text(9),
        started: int(10),
        registered: int(11),
        seen: int(12),
        lease_until: int(13),
        ended: at(row, 14).optional(),
    }
}

/// Registers a session, or renews what is known of it. What is older than what is known changes nothing.
pub(crate) fn register(conn: &mut dyn Conn, now: i64, new: &Registration) -> Result<()> {
    team::join(conn, now, new)?;
    conn.execute(
        "INSERT INTO sessions (id, agent, session, home, host, pid, project, root, branch, source, started, \
         registered, seen, lease_until, ended) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $11, $12, NULL) \
         ON CONFLICT (agent, session) DO UPDATE SET home = excluded.home, host = excluded.host, \
         pid = excluded.pid, project = excluded.project, root = excluded.root, branch = excluded.branch, \
         source = excluded.source, registered = excluded.registered, seen = excluded.seen, \
         lease_until = excluded.lease_until, ended = NULL \
         WHERE excluded.registered >= sessions.registered",
        values![
            &new_id(),
            &new.agent,
            &new.session,
            &new.home,
            &new.host,
            new.pid,
            &new.project,
            &new.root,
            &new.branch,
            &new.source,
            now,
            now + new.lease,
        ],
    )?;
    Ok(())
}

/// A session did something: its lease runs from then. Activity after an end means that it goes on.
pub(crate) fn beat(conn: &mut dyn Conn, agent: &str, session: &str, last: &Activity) -> Result<()> {
    let now = last.at;
    conn.execute(
        "UPDATE sessions SET seen = $3, lease_until = CASE WHEN lease_until > $4 THEN lease_until ELSE $4 END, \
         ended = NULL WHERE agent = $1 AND session = $2 AND seen < $3 AND (ended IS NULL OR ended < $3)",
        values![agent, session, now, now + last.lease],
    )?;
    team::beat(conn, agent, session, last)
}

/// A session ended, and what it held is free. One that registered again since then goes on.
pub(crate) fn release(conn: &mut dyn Conn, now: i64, agent: &str, session: &str) -> Result<()> {
    conn.execute(
        "UPDATE sessions SET ended = $3 WHERE agent = $1 AND session = $2 AND registered <= $3 \
         AND seen <= $3 AND ended IS NULL",
        values![agent, session, now],
    )?;
    claims::free(conn, agent, session, now)
}

impl Store {
    /// The other live sessions on a project, the newest first.
    pub fn peers(&mut self, project: &str, agent: &str, session: &str, now: i64) -> Result<Vec<SessionRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM sessions WHERE project = $1 AND lease_until > $2 AND ended IS NULL \
             AND NOT (agent = $3 AND session = $4) ORDER BY started DESC, id DESC LIMIT 50"
        );
        Ok(self.conn.query(&sql, values![project, now, agent, session])?.iter().map(read).collect())
    }

    /// Sessions that live at `now` or were seen since `since`, the last active first.
    pub fn sessions(&mut self, now: i64, since: i64) -> Result<Vec<SessionRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM sessions WHERE (ended IS NULL AND lease_until > $1) OR seen >= $2 \
             ORDER BY seen DESC, id DESC LIMIT 1000"
        );
        Ok(self.conn.query(&sql, values![now, since])?.iter().map(read).collect())
    }

    /// The sessions whose id begins like this; one when it is the whole id.
    pub fn sessions_like(&mut self, session: &str) -> Result<Vec<SessionRow>> {
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE session = $1 ORDER BY seen DESC LIMIT 1");
        let whole = self.conn.query(&sql, values![session])?;
        if !whole.is_empty() {
            return Ok(whole.iter().map(read).collect());
        }
        let pattern = format!("{}%", session.replace(['%', '_', '\\'], ""));
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE session LIKE $1 ORDER BY seen DESC LIMIT 5");
        Ok(self.conn.query(&sql, values![&pattern])?.iter().map(read).collect())
    }

    /// One session.
    pub fn session(&mut self, agent: &str, session: &str) -> Result<Option<SessionRow>> {
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE agent = $1 AND session = $2");
        Ok(self.conn.query(&sql, values![agent, session])?.first().map(read))
    }

    /// Removes what is older than `before`: sessions that are over, counts of runs, marks of what was
    /// applied, state that expired. Gives the number of rows per table.
    pub fn prune(&mut self, before: i64, now: i64) -> Result<Vec<(&'static str, u64)>> {
        let before = Value::Int(before);
        self.atomically(|conn| {
            let one = std::slice::from_ref(&before);
            let mut gone = Vec::new();
            let sessions = "DELETE FROM sessions WHERE seen < $1 AND lease_until < $1";
            gone.push(("sessions", conn.execute(sessions, one)?));
            gone.push(("agents", conn.execute("DELETE FROM agents WHERE last_seen < $1", one)?));
            gone.push(("runs", conn.execute("DELETE FROM runs WHERE hour < $1", one)?));
            gone.push(("run_times", conn.execute("DELETE FROM run_times WHERE hour < $1", one)?));
            gone.push(("ingest", conn.execute("DELETE FROM ingest WHERE updated < $1", one)?));
            gone.push(("applied", conn.execute("DELETE FROM applied WHERE at < $1", one)?));
            crate::patterns::prune(conn, one, &mut gone)?;
            let forgotten = "DELETE FROM memories WHERE expires IS NOT NULL AND expires < $1";
            gone.push(("memories", conn.execute(forgotten, values![now])?));
            let expired = "DELETE FROM kv WHERE expires IS NOT NULL AND expires < $1";
            gone.push(("kv", conn.execute(expired, values![now])?));
            gone.push(("claims", conn.execute("DELETE FROM claims WHERE expires < $1", one)?));
            let over = "DELETE FROM tasks WHERE finished IS NOT NULL AND finished < $1";
            gone.push(("tasks", conn.execute(over, one)?));
            let members = "DELETE FROM members WHERE active < $1 AND NOT EXISTS (SELECT 1 FROM sessions s \
                           WHERE s.agent = members.agent AND s.session = members.session)";
            gone.push(("members", conn.execute(members, one)?));
            Ok(gone)
        })
    }
}
