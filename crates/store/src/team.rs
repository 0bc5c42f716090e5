//! Agents by name: their role, whether they are at work, and what their sessions do.

use crate::conn::Conn;
use crate::error::Result;
use crate::runs::Activity;
use crate::sessions::Registration;
use crate::value::{at, values};
use crate::{Store, new_id};
use serde::{Deserialize, Serialize};

/// What an agent is in its team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Gives work to others, and is told what they do.
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

    /// The role of this name; anything else is a worker.
    pub fn of(name: &str) -> Self {
        if name == "lead" { Self::Lead } else { Self::Worker }
    }
}

/// Whether an agent is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentState {
    /// A session of it lives and did something lately.
    Active,
    /// A session of it lives, but did nothing for a while.
    Stalled,
    /// No session of it lives: it ended, or its lease ran out.
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
    /// When it was first there.
    pub first_seen: i64,
    /// When it last did something.
    pub last_seen: i64,
    /// Its live sessions.
    pub live: i64,
    /// When it said that it goes.
    pub offline: Option<i64>,
}

impl AgentRow {
    /// Whether it is at work; `stalled` is how long it may do nothing, in microseconds.
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
    /// When it last did something.
    pub seen: i64,
}

/// A session joins under its agent's name. Only what the first version had is needed for one without a name.
pub(crate) fn join(conn: &mut dyn Conn, now: i64, new: &Registration) -> Result<()> {
    let name = if new.name.is_empty() { &new.agent } else { &new.name };
    conn.execute(
        "INSERT INTO agents (id, home, name, host, role, first_seen, last_seen) \
         VALUES ($1, $2, $3, $4, CASE WHEN $6 = '' THEN 'worker' ELSE $6 END, $5, $5) \
         ON CONFLICT (home, name) DO UPDATE SET host = excluded.host, last_seen = excluded.last_seen, \
         role = CASE WHEN $6 = '' THEN agents.role ELSE $6 END WHERE excluded.last_seen > agents.last_seen",
        values![&new_id(), &new.home, name, &new.host, now, &new.role],
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

/// A session did something.
pub(crate) fn beat(conn: &mut dyn Conn, agent: &str, session: &str, last: &Activity) -> Result<()> {
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

/// An agent goes: its session ends, and nothing that it did since then is undone.
pub(crate) fn offline(conn: &mut dyn Conn, now: i64, agent: &str, session: &str) -> Result<()> {
    conn.execute(
        "UPDATE members SET offline = $3, doing = '' WHERE agent = $1 AND session = $2 AND active <= $3",
        values![agent, session, now],
    )?;
    crate::sessions::release(conn, now, agent, session)
}

const LIVE: &str = "s.ended IS NULL AND s.lease_until >";

impl Store {
    /// Makes an agent known, or changes its role.
    pub fn register_agent(&mut self, home: &str, name: &str, host: &str, role: Role, now: i64) -> Result<()> {
        self.conn.execute(
            "INSERT INTO agents (id, home, name, host, role, first_seen, last_seen) \
             VALUES ($1, $2, $3, $4, $5, $6, $6) \
             ON CONFLICT (home, name) DO UPDATE SET role = excluded.role, host = excluded.host",
            values![&new_id(), home, name, host, role.name(), now],
        )?;
        Ok(())
    }

    /// Every agent, those that did something last first.
    pub fn agents(&mut self, now: i64) -> Result<Vec<AgentRow>> {
        let sql = format!(
            "SELECT a.id, a.name, a.role, a.home, a.host, a.first_seen, a.last_seen, \
             (SELECT COUNT(*) FROM sessions s LEFT JOIN members m ON m.agent = s.agent AND m.session = s.session \
             WHERE s.home = a.home AND COALESCE(m.name, s.agent) = a.name AND {LIVE} $1), \
             (SELECT MAX(m.offline) FROM members m WHERE m.home = a.home AND m.name = a.name) \
             FROM agents a ORDER BY a.last_seen DESC, a.id LIMIT 10000"
        );
        let rows = self.conn.query(&sql, values![now])?;
        Ok(rows
            .iter()
            .map(|row| AgentRow {
                id: at(row, 0).text(),
                name: at(row, 1).text(),
                role: Role::of(&at(row, 2).text()),
                home: at(row, 3).text(),
                host: at(row, 4).text(),
                first_seen: at(row, 5).int(),
                last_seen: at(row, 6).int(),
                live: at(row, 7).int(),
                offline: at(row, 8).optional(),
            })
            .collect())
    }

    /// The name of a session's agent.
    pub fn member_name(&mut self, agent: &str, session: &str) -> Result<Option<String>> {
        let sql = "SELECT name FROM members WHERE agent = $1 AND session = $2";
        Ok(self.conn.query(sql, values![agent, session])?.first().map(|row| at(row, 0).text()))
    }

    /// The role of an agent of a home.
    pub fn role(&mut self, home: &str, name: &str) -> Result<Option<Role>> {
        let rows =
            self.conn.query("SELECT role FROM agents WHERE home = $1 AND name = $2", values![home, name])?;
        Ok(rows.first().map(|row| Role::of(&at(row, 0).text())))
    }

    /// What the live sessions do, on one project or (with none) on all, those that did something last first.
    pub fn work(&mut self, project: Option<&str>, now: i64) -> Result<Vec<SessionWork>> {
        let sql = format!(
            "SELECT s.agent, s.session, COALESCE(m.name, s.agent), s.host, s.root, s.branch, \
             COALESCE(m.doing, ''), s.seen FROM sessions s \
             LEFT JOIN members m ON m.agent = s.agent AND m.session = s.session \
             WHERE {LIVE} $1 AND ($2 = '' OR s.project = $2) ORDER BY s.seen DESC, s.id LIMIT 500"
        );
        let rows = self.conn.query(&sql, values![now, project.unwrap_or_default()])?;
        Ok(rows
            .iter()
            .map(|row| SessionWork {
                agent: at(row, 0).text(),
                session: at(row, 1).text(),
                name: at(row, 2).text(),
                host: at(row, 3).text(),
                root: at(row, 4).text(),
                branch: at(row, 5).text(),
                doing: at(row, 6).text(),
                seen: at(row, 7).int(),
            })
            .collect())
    }
}
