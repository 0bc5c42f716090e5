//! Sessions of agents and their leases. A session is live while it has not ended and its lease has not expired.

use crate::Store;
use crate::claims;
use crate::conn::Conn;
use crate::error::Result;
use crate::new_id;
use crate::row::from_row;
use crate::runs::Heartbeat;
use crate::team::{self, Role};
use crate::value::{Value, values};
use serde::{Deserialize, Serialize};

/// What a session reports when it starts, resumes, is cleared or compacted.
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
    /// The project's id, the same on every machine.
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
    /// The role; `None` keeps the known one.
    #[serde(default, with = "optional_role")]
    pub role: Option<Role>,
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
    /// The branch that it last reported.
    pub branch: String,
    /// Why it last started.
    pub source: String,
    /// When it first started.
    pub started: i64,
    /// When it last registered.
    pub registered: i64,
    /// When it last did something.
    pub seen: i64,
    /// When its lease expires.
    pub lease_until: i64,
    /// When it ended.
    pub ended: Option<i64>,
}

impl SessionRow {
    /// True while it has not ended and its lease has not expired.
    pub const fn is_live(&self, now: i64) -> bool {
        self.ended.is_none() && self.lease_until > now
    }
}

const COLUMNS: &str = "id, agent, session, home, host, pid, project, root, branch, source, started, \
                       registered, seen, lease_until, ended";

from_row! {
    SessionRow:
    id, agent, session, home, host, pid, project, root, branch, source, started, registered, seen,
    lease_until, ended
}

/// A role as the spool keeps it: its name, or an empty text.
mod optional_role {
    use crate::team::Role;
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(role: &Option<Role>, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(role.map_or("", Role::name))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Role>, D::Error> {
        Ok(Role::of(&String::deserialize(from)?))
    }
}

/// Registers a session, or updates it. A registration that is older than the known one changes nothing.
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

/// A session was active: its lease runs from then. Activity after an end means that the session continues.
pub(crate) fn heartbeat(conn: &mut dyn Conn, agent: &str, session: &str, last: &Heartbeat) -> Result<()> {
    let now = last.at;
    conn.execute(
        "UPDATE sessions SET seen = $3, lease_until = CASE WHEN lease_until > $4 THEN lease_until ELSE $4 END, \
         ended = NULL WHERE agent = $1 AND session = $2 AND seen < $3 AND (ended IS NULL OR ended < $3)",
        values![agent, session, now, now + last.lease],
    )?;
    team::heartbeat(conn, agent, session, last)
}

/// Ends a session and frees its claims. One that has registered again since then continues.
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
        self.conn.all(&sql, values![project, now, agent, session])
    }

    /// The live sessions of one state folder.
    pub fn live_sessions_of(&mut self, home: &str, now: i64) -> Result<Vec<SessionRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM sessions WHERE home = $1 AND lease_until > $2 AND ended IS NULL LIMIT 1000"
        );
        self.conn.all(&sql, values![home, now])
    }

    /// Sessions that are live at `now` or were active since `since`, the last active first.
    pub fn sessions(&mut self, now: i64, since: i64) -> Result<Vec<SessionRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM sessions WHERE (ended IS NULL AND lease_until > $1) OR seen >= $2 \
             ORDER BY seen DESC, id DESC LIMIT 1000"
        );
        self.conn.all(&sql, values![now, since])
    }

    /// The sessions whose id starts with this; only one when it is a whole id.
    pub fn sessions_like(&mut self, session: &str) -> Result<Vec<SessionRow>> {
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE session = $1 ORDER BY seen DESC LIMIT 1");
        let whole: Vec<SessionRow> = self.conn.all(&sql, values![session])?;
        if !whole.is_empty() {
            return Ok(whole);
        }
        let pattern = format!("{}%", session.replace(['%', '_', '\\'], ""));
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE session LIKE $1 ORDER BY seen DESC LIMIT 5");
        self.conn.all(&sql, values![&pattern])
    }

    /// One session.
    pub fn session(&mut self, agent: &str, session: &str) -> Result<Option<SessionRow>> {
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE agent = $1 AND session = $2");
        self.conn.first(&sql, values![agent, session])
    }

    /// Removes what is older than `before`: ended sessions, run counts, ids of applied changes, expired state.
    /// Returns the number of removed rows per table.
    pub fn prune(&mut self, before: i64, now: i64) -> Result<Vec<(&'static str, u64)>> {
        let before = Value::Int(before);
        self.atomically(|conn| {
            let older = std::slice::from_ref(&before);
            let mut removed = Vec::new();
            let sessions = "DELETE FROM sessions WHERE seen < $1 AND lease_until < $1";
            removed.push(("sessions", conn.execute(sessions, older)?));
            removed.push(("agents", conn.execute("DELETE FROM agents WHERE last_seen < $1", older)?));
            removed.push(("runs", conn.execute("DELETE FROM runs WHERE hour < $1", older)?));
            removed.push(("run_times", conn.execute("DELETE FROM run_times WHERE hour < $1", older)?));
            removed.push(("ingest", conn.execute("DELETE FROM ingest WHERE updated < $1", older)?));
            removed.push(("applied", conn.execute("DELETE FROM applied WHERE at < $1", older)?));
            crate::patterns::prune(conn, older, &mut removed)?;
            let expired_memories = "DELETE FROM memories WHERE expires IS NOT NULL AND expires < $1";
            removed.push(("memories", conn.execute(expired_memories, values![now])?));
            let expired = "DELETE FROM kv WHERE expires IS NOT NULL AND expires < $1";
            removed.push(("kv", conn.execute(expired, values![now])?));
            removed.push(("claims", conn.execute("DELETE FROM claims WHERE expires < $1", older)?));
            let finished = "DELETE FROM tasks WHERE finished IS NOT NULL AND finished < $1";
            removed.push(("tasks", conn.execute(finished, older)?));
            let of_no_task = "NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id";
            let deps = format!("DELETE FROM task_deps WHERE {of_no_task} = task_deps.task)");
            removed.push(("task_deps", conn.execute(&deps, &[])?));
            let attempts = format!("DELETE FROM attempts WHERE ended < $1 AND {of_no_task} = attempts.task)");
            removed.push(("attempts", conn.execute(&attempts, older)?));
            removed.push(("messages", conn.execute("DELETE FROM messages WHERE at < $1", older)?));
            let reads = "DELETE FROM message_reads WHERE NOT EXISTS (SELECT 1 FROM messages m \
                         WHERE m.id = message_reads.message)";
            removed.push(("message_reads", conn.execute(reads, &[])?));
            let members = "DELETE FROM members WHERE active < $1 AND NOT EXISTS (SELECT 1 FROM sessions s \
                           WHERE s.agent = members.agent AND s.session = members.session)";
            removed.push(("members", conn.execute(members, older)?));
            Ok(removed)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_in_the_spool_are_names_or_empty() {
        let mut text = serde_json::to_value(Registration::default()).unwrap();
        assert_eq!(text["role"], "", "older versions read an empty text");
        for (name, expected) in [("", None), ("lead", Some(Role::Lead)), ("worker", Some(Role::Worker))] {
            text["role"] = name.into();
            let read: Registration = serde_json::from_value(text.clone()).unwrap();
            assert_eq!(read.role, expected);
            assert_eq!(serde_json::to_value(&read).unwrap(), text);
        }
        text.as_object_mut().unwrap().remove("role");
        assert_eq!(serde_json::from_value::<Registration>(text).unwrap().role, None);
    }
}
