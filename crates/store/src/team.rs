//! Agents by name: their role, whether they are active, and what their sessions do.

use crate::conn::Conn;
use crate::error::Result;
use crate::row::{FromValue, from_row};
use crate::runs::Heartbeat;
use crate::sessions::Registration;
use crate::value::{Value, values};
use crate::{Store, new_id};
use serde::{Deserialize, Serialize};

/// The role of an agent in its team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Assigns work to others and sees what they do.
    Lead,
    /// Does work.
    #[default]
    Worker,
}

impl Role {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Worker => "worker",
        }
    }

    /// The role of this name.
    pub fn of(name: &str) -> Option<Self> {
        [Self::Lead, Self::Worker].into_iter().find(|role| role.name() == name)
    }
}

/// Whether an agent is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentState {
    /// It has a live session that was active recently.
    Active,
    /// It has a live session, but none was active recently.
    Stalled,
    /// It has no live session: they ended, or their leases expired.
    Offline,
}

impl AgentState {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Stalled => "stalled",
            Self::Offline => "offline",
        }
    }
}

/// An agent in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRow {
    /// Its id here.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Which state folder of sprag it belongs to.
    pub home: String,
    /// The machine.
    pub host: String,
    /// When it was first active.
    pub first_seen: i64,
    /// When it was last active.
    pub last_seen: i64,
    /// How many live sessions it has.
    pub live: i64,
    /// When it went offline.
    pub offline: Option<i64>,
}

impl AgentRow {
    /// Whether it is active; `stalled` is how long it may be inactive, in microseconds.
    pub const fn state(&self, now: i64, stalled: i64) -> AgentState {
        if self.live == 0 {
            AgentState::Offline
        } else if self.last_seen + stalled <= now {
            AgentState::Stalled
        } else {
            AgentState::Active
        }
    }
}

/// What a live session does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionWork {
    /// The agent program.
    pub agent: String,
    /// The agent's own id of the session.
    pub session: String,
    /// The agent's name.
    pub name: String,
    /// The machine.
    pub host: String,
    /// Its folder there.
    pub root: String,
    /// The branch.
    pub branch: String,
    /// The last thing it did.
    pub doing: String,
    /// When it was last active.
    pub seen: i64,
}

impl FromValue for Role {
    const EXPECTED: &'static str = "lead or worker";
    fn from_value(value: Value) -> Option<Self> {
        String::from_value(value).and_then(|name| Self::of(&name))
    }
}

from_row! { AgentRow: id, name, role, home, host, first_seen, last_seen, live, offline }

from_row! { SessionWork: agent, session, name, host, root, branch, doing, seen }

/// Records a session under its agent's name. Without a name, the tables of schema 1 suffice.
pub(crate) fn join(conn: &mut dyn Conn, now: i64, new: &Registration) -> Result<()> {
    let name = if new.name.is_empty() { &new.agent } else { &new.name };
    conn.execute(
        "INSERT INTO agents (id, home, name, host, role, first_seen, last_seen) \
         VALUES ($1, $2, $3, $4, CASE WHEN $6 = '' THEN 'worker' ELSE $6 END, $5, $5) \
         ON CONFLICT (home, name) DO UPDATE SET host = excluded.host, last_seen = excluded.last_seen, \
         role = CASE WHEN $6 = '' THEN agents.role ELSE $6 END WHERE excluded.last_seen > agents.last_seen",
        values![&new_id(), &new.home, name, &new.host, now, new.role.map_or("", Role::name)],
    )?;
    if new.name.is_empty() {
        return Ok(());
    }
    conn.execute(
        "INSERT INTO members (agent, session, home, name, doing, active, offline) \
         VALUES ($1, $2, $3, $4, '', $5, NULL) \
         ON CONFLICT (agent, session) DO UPDATE SET home = excluded.home, name = excluded.name, \
         active = excluded.active, offline = NULL WHERE excluded.active >= members.active",
        values![&new.agent, &new.session, &new.home, name, now],
    )?;
    Ok(())
}

/// A session was active.
pub(crate) fn heartbeat(conn: &mut dyn Conn, agent: &str, session: &str, last: &Heartbeat) -> Result<()> {
    let now = last.at;
    conn.execute(
        "UPDATE members SET active = $3, offline = NULL, doing = CASE WHEN $4 = '' THEN doing ELSE $4 END \
         WHERE agent = $1 AND session = $2 AND active <= $3 AND (offline IS NULL OR offline < $3)",
        values![agent, session, now, &last.doing],
    )?;
    conn.execute(
        "UPDATE agents SET last_seen = $3 WHERE last_seen < $3 AND EXISTS (SELECT 1 FROM sessions s \
         LEFT JOIN members m ON m.agent = s.agent AND m.session = s.session \
         WHERE s.agent = $1 AND s.session = $2 AND s.home = agents.home \
         AND COALESCE(m.name, s.agent) = agents.name)",
        values![agent, session, now],
    )?;
    Ok(())
}

/// An agent goes offline: its session ends, unless it was active since.
pub(crate) fn offline(conn: &mut dyn Conn, now: i64, agent: &str, session: &str) -> Result<()> {
    conn.execute(
        "UPDATE members SET offline = $3, doing = '' WHERE agent = $1 AND session = $2 AND active <= $3",
        values![agent, session, now],
    )?;
    crate::sessions::release(conn, now, agent, session)
}

const LIVE: &str = "s.ended IS NULL AND s.lease_until >";

impl Store {
    /// Registers an agent, or changes its role.
    pub fn register_agent(&mut self, home: &str, name: &str, host: &str, role: Role, now: i64) -> Result<()> {
        self.conn.execute(
            "INSERT INTO agents (id, home, name, host, role, first_seen, last_seen) \
             VALUES ($1, $2, $3, $4, $5, $6, $6) \
             ON CONFLICT (home, name) DO UPDATE SET role = excluded.role, host = excluded.host",
            values![&new_id(), home, name, host, role.name(), now],
        )?;
        Ok(())
    }

    /// Every agent, the last active first.
    pub fn agents(&mut self, now: i64) -> Result<Vec<AgentRow>> {
        let sql = format!(
            "SELECT a.id, a.name, a.role, a.home, a.host, a.first_seen, a.last_seen, \
             (SELECT COUNT(*) FROM sessions s LEFT JOIN members m ON m.agent = s.agent AND m.session = s.session \
             WHERE s.home = a.home AND COALESCE(m.name, s.agent) = a.name AND {LIVE} $1) AS live, \
             (SELECT MAX(m.offline) FROM members m WHERE m.home = a.home AND m.name = a.name) AS offline \
             FROM agents a ORDER BY a.last_seen DESC, a.id LIMIT 10000"
        );
        self.conn.all(&sql, values![now])
    }

    /// The name of a session's agent.
    pub fn member_name(&mut self, agent: &str, session: &str) -> Result<Option<String>> {
        let sql = "SELECT name FROM members WHERE agent = $1 AND session = $2";
        self.conn.first(sql, values![agent, session])
    }

    /// The role of an agent of a home.
    pub fn role(&mut self, home: &str, name: &str) -> Result<Option<Role>> {
        self.conn.first("SELECT role FROM agents WHERE home = $1 AND name = $2", values![home, name])
    }

    /// What the live sessions do, on one project or (with `None`) on all, the last active first.
    pub fn work(&mut self, project: Option<&str>, now: i64) -> Result<Vec<SessionWork>> {
        let sql = format!(
            "SELECT s.agent, s.session, COALESCE(m.name, s.agent) AS name, s.host, s.root, s.branch, \
             COALESCE(m.doing, '') AS doing, s.seen FROM sessions s \
             LEFT JOIN members m ON m.agent = s.agent AND m.session = s.session \
             WHERE {LIVE} $1 AND ($2 = '' OR s.project = $2) ORDER BY s.seen DESC, s.id LIMIT 500"
        );
        self.conn.all(&sql, values![now, project.unwrap_or_default()])
    }
}
