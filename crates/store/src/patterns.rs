//! Pattern runs: several agents at one piece of work, their members, and the posts that members exchange.
//! Only facts are written, each in one transaction that locks the run's row; readers derive the status from them.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::row::{FromValue, from_row};
use crate::value::{Value, values};
use serde::{Deserialize, Serialize};

/// An agent joins a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    /// The project.
    pub project: String,
    /// The run.
    pub run: String,
    /// The pattern; a missing run is created.
    pub kind: String,
    /// How many members there will be; 0 when unknown.
    pub total: i64,
    /// The run's settings as JSON, when it is created.
    pub settings: String,
    /// The key of this member, the same at its start and at its end. Empty for the coordinator.
    pub member: String,
    /// Its role; empty when it follows from the seat.
    pub role: String,
    /// Its seat; `None` is the next free one.
    pub seat: Option<i64>,
    /// The agent's own id of the session.
    pub session: String,
    /// Restart a finished run. Else a finished run cannot be joined.
    pub reopen: bool,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternState {
    /// Members may join.
    #[default]
    Running,
    /// It was stopped: nobody may join.
    Stopped,
}

impl PatternState {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
        }
    }
}

impl FromValue for PatternState {
    const EXPECTED: &'static str = "running or stopped";
    fn from_value(value: Value) -> Option<Self> {
        let name = String::from_value(value)?;
        [Self::Running, Self::Stopped].into_iter().find(|state| state.name() == name)
    }
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunRow {
    /// The project.
    pub project: String,
    /// Its id.
    pub id: String,
    /// The pattern.
    pub kind: String,
    /// The coordinating session; empty when there is none yet.
    pub session: String,
    /// How many members there will be; 0 when unknown.
    pub total: i64,
    /// Settings as JSON.
    pub settings: String,
    /// Its state.
    pub state: PatternState,
    /// True when its coordinator was told of the end.
    pub told: bool,
    /// How many posts it has had.
    pub posts: i64,
    /// When it was last started or restarted.
    pub since: i64,
    /// When it was created.
    pub created: i64,
    /// When it last changed.
    pub updated: i64,
}

/// A member of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemberRow {
    /// Its key.
    pub member: String,
    /// Its role; empty when it follows from the seat.
    pub role: String,
    /// Its seat, from 0.
    pub seat: i64,
    /// The session.
    pub session: String,
    /// `running`, `done`, `failed`, or a custom value of the pattern.
    pub state: String,
    /// Its vote.
    pub vote: String,
    /// Its output.
    pub output: String,
    /// When it joined.
    pub joined: i64,
    /// When it ended.
    pub ended: Option<i64>,
}

/// A post for the members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PostRow {
    /// Its number in the run; later posts have larger ones.
    pub seq: i64,
    /// Its author.
    pub author: String,
    /// The author's role.
    pub role: String,
    /// Its topic.
    pub topic: String,
    /// The text.
    pub text: String,
    /// When.
    pub at: i64,
}

/// A run with everything that belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PatternView {
    /// The run.
    pub run: RunRow,
    /// Its members, by seat.
    pub members: Vec<MemberRow>,
    /// The last posts, oldest first.
    pub posts: Vec<PostRow>,
}

/// The most posts that are read with a run.
const MAX_POSTS: i64 = 300;

const RUN_COLUMNS: &str =
    "project, id, kind, session, total, settings, state, told, posts, since, created, updated";

from_row! {
    RunRow:
    project, id, kind, session, total, settings, state, told, posts, since, created, updated
}

from_row! { MemberRow: member, role, seat, session, state, vote, output, joined, ended }

from_row! { PostRow: seq, author, role, topic, text, at }

/// Locks the run's row until the transaction ends; concurrent writers wait. `None` when there is no such run.
fn lock_run(conn: &mut dyn Conn, now: i64, project: &str, run: &str) -> Result<Option<RunRow>> {
    let sql = format!(
        "UPDATE pattern_runs SET updated = CASE WHEN updated > $3 THEN updated ELSE $3 END \
         WHERE project = $1 AND id = $2 RETURNING {RUN_COLUMNS}"
    );
    conn.first(&sql, values![project, run, now])
}

/// Adds a member to a run. The same member joins once; one for which no seat is left does not join.
pub(crate) fn join(conn: &mut dyn Conn, now: i64, new: &Join) -> Result<()> {
    let coordinates = new.member.is_empty();
    conn.execute(
        "INSERT INTO pattern_runs (project, id, kind, session, total, settings, state, told, posts, base, since, \
         created, updated) VALUES ($1, $2, $3, '', $4, $5, 'running', 0, 0, 0, $6, $6, $6) \
         ON CONFLICT (project, id) DO NOTHING",
        values![&new.project, &new.run, &new.kind, new.total, &new.settings, now],
    )?;
    let Some(run) = lock_run(conn, now, &new.project, &new.run)? else { return Ok(()) };
    if coordinates {
        // The first coordinator keeps the run, unless a new one restarts it.
        conn.execute(
            "UPDATE pattern_runs SET session = $3, total = CASE WHEN total = 0 THEN $4 ELSE total END \
             WHERE project = $1 AND id = $2 AND (session = '' OR CAST($5 AS BIGINT) = 1)",
            values![&new.project, &new.run, &new.session, new.total, i64::from(new.reopen)],
        )?;
        return Ok(());
    }
    let known: Option<String> = conn.first(
        "SELECT session FROM pattern_members WHERE project = $1 AND run = $2 AND member = $3 AND joined >= $4",
        values![&new.project, &new.run, &new.member, run.since],
    )?;
    if known.is_some_and(|session| session == new.session) {
        return Ok(());
    }
    let (mut since, mut total) = (run.since, run.total);
    if total == 0 && new.total > 0 {
        // The first member did not know how many there will be.
        total = new.total;
        conn.execute(
            "UPDATE pattern_runs SET total = $3 WHERE project = $1 AND id = $2",
            values![&new.project, &new.run, total],
        )?;
    }
    if run.told || run.state != PatternState::Running {
        if !new.reopen {
            return Ok(());
        }
        (since, total) = (now, new.total);
        conn.execute(
            "UPDATE pattern_runs SET told = 0, state = 'running', since = $3, base = posts, total = $4, settings = $5 \
             WHERE project = $1 AND id = $2",
            values![&new.project, &new.run, now, new.total, &new.settings],
        )?;
    }
    let taken: i64 = conn.one(
        "SELECT COUNT(*) FROM pattern_members WHERE project = $1 AND run = $2 AND joined >= $3 AND member <> $4",
        values![&new.project, &new.run, since, &new.member],
    )?;
    if new.seat.is_none() && total > 0 && taken >= total {
        return Ok(());
    }
    conn.execute(
        "INSERT INTO pattern_members (project, run, member, role, seat, session, state, vote, output, joined, ended) \
         VALUES ($1, $2, $3, $4, $5, $6, 'running', '', '', $7, NULL) \
         ON CONFLICT (project, run, member) DO UPDATE SET role = excluded.role, seat = excluded.seat, \
         session = excluded.session, state = 'running', vote = '', output = '', joined = excluded.joined, ended = NULL",
        values![
            &new.project,
            &new.run,
            &new.member,
            &new.role,
            new.seat.unwrap_or(taken),
            &new.session,
            now.max(since),
        ],
    )?;
    Ok(())
}

/// A member finished: state, vote, output. Empty texts keep the known values.
pub(crate) fn done(conn: &mut dyn Conn, now: i64, who: &Join, what: [&String; 3]) -> Result<()> {
    let [state, vote, output] = what;
    conn.execute(
        "UPDATE pattern_members SET state = $4, vote = CASE WHEN $5 = '' THEN vote ELSE $5 END, \
         output = CASE WHEN $6 = '' THEN output ELSE $6 END, ended = CASE WHEN $4 = 'running' THEN NULL ELSE CAST($7 AS BIGINT) END \
         WHERE project = $1 AND run = $2 AND member = $3",
        values![&who.project, &who.run, &who.member, state, vote, output, now],
    )?;
    Ok(())
}

/// A session ended: its unfinished members failed.
pub(crate) fn gone(conn: &mut dyn Conn, now: i64, session: &str) -> Result<()> {
    conn.execute(
        "UPDATE pattern_members SET state = 'failed', ended = $2 WHERE session = $1 AND state = 'running' \
         AND joined <= $2",
        values![session, now],
    )?;
    Ok(())
}

/// Posts a text. Its number is taken while the run's row is locked, so a reader that has seen number n has seen all
/// smaller ones.
pub(crate) fn post(
    conn: &mut dyn Conn,
    now: i64,
    [project, run]: [&String; 2],
    [author, role]: [&String; 2],
    topic: &str,
    text: &str,
) -> Result<()> {
    let sql = "UPDATE pattern_runs SET posts = posts + 1, updated = $3 WHERE project = $1 AND id = $2 RETURNING posts";
    let Some(seq) = conn.first::<i64>(sql, values![project, run, now])? else { return Ok(()) };
    conn.execute(
        "INSERT INTO pattern_posts (project, run, seq, author, role, topic, text, at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        values![project, run, seq, author, role, topic, text, now],
    )?;
    Ok(())
}

pub(crate) fn prune(
    conn: &mut dyn Conn,
    before: &[Value],
    removed: &mut Vec<(&'static str, u64)>,
) -> Result<()> {
    for (table, column) in [("pattern_members", "run"), ("pattern_posts", "run")] {
        let sql = format!(
            "DELETE FROM {table} WHERE EXISTS (SELECT 1 FROM pattern_runs WHERE pattern_runs.project = {table}.project \
             AND pattern_runs.id = {table}.{column} AND pattern_runs.updated < $1)"
        );
        removed.push((table, conn.execute(&sql, before)?));
    }
    removed.push(("pattern_runs", conn.execute("DELETE FROM pattern_runs WHERE updated < $1", before)?));
    Ok(())
}

impl Store {
    /// A run with its members and its last posts.
    pub fn pattern(&mut self, project: &str, id: &str) -> Result<Option<PatternView>> {
        let sql = format!("SELECT {RUN_COLUMNS} FROM pattern_runs WHERE project = $1 AND id = $2");
        let Some(run) = self.conn.first::<RunRow>(&sql, values![project, id])? else { return Ok(None) };
        let members = self.conn.all(
            "SELECT member, role, seat, session, state, vote, output, joined, ended FROM pattern_members \
             WHERE project = $1 AND run = $2 AND joined >= $3 ORDER BY seat, member",
            values![project, id, run.since],
        )?;
        let mut posts: Vec<PostRow> = self.conn.all(
            "SELECT seq, author, role, topic, text, at FROM pattern_posts WHERE project = $1 AND run = $2 \
             AND seq > (SELECT base FROM pattern_runs WHERE project = $1 AND id = $2) ORDER BY seq DESC LIMIT $3",
            values![project, id, MAX_POSTS],
        )?;
        posts.reverse();
        Ok(Some(PatternView { run, members, posts }))
    }

    /// The runs of a project (of all, when it is empty), the newest first.
    pub fn patterns(&mut self, project: &str, limit: i64) -> Result<Vec<RunRow>> {
        let sql = format!(
            "SELECT {RUN_COLUMNS} FROM pattern_runs WHERE ($1 = '' OR project = $1) ORDER BY created DESC, id LIMIT $2"
        );
        self.conn.all(&sql, values![project, limit])
    }

    /// Records that the coordinator is told of the end; true for the one caller that may tell it.
    pub fn pattern_told(&mut self, project: &str, id: &str, now: i64) -> Result<bool> {
        let sql =
            "UPDATE pattern_runs SET told = 1, updated = $3 WHERE project = $1 AND id = $2 AND told = 0";
        Ok(self.conn.execute(sql, values![project, id, now])? > 0)
    }

    /// Stops a run: it cannot be joined any more. True when it was running.
    pub fn stop_pattern(&mut self, project: &str, id: &str, now: i64) -> Result<bool> {
        let sql = "UPDATE pattern_runs SET state = 'stopped', updated = $3 WHERE project = $1 AND id = $2 \
                   AND state = 'running'";
        Ok(self.conn.execute(sql, values![project, id, now])? > 0)
    }
}
