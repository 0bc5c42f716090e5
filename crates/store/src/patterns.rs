//! Several agents at one piece of work: runs, their members, and what members post for each other.
//! Only facts are written, each in one transaction under the run's row; what they add up to is for the reader.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::value::{Row, Value, at, values};
use serde::{Deserialize, Serialize};

/// An agent takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    /// The project.
    pub project: String,
    /// The run.
    pub run: String,
    /// The pattern; a run that is not there is made.
    pub kind: String,
    /// How many members there will be; 0 when nobody said.
    pub total: i64,
    /// The run's settings as JSON, when it is made.
    pub settings: String,
    /// The one key of this member, at its start and at its end. Empty for whoever coordinates.
    pub member: String,
    /// Its role; empty when the seat says it.
    pub role: String,
    /// Its place; `None` is the next free one.
    pub seat: Option<i64>,
    /// The agent's own id of the session.
    pub session: String,
    /// A run that is over begins anew. Else nobody joins it any more.
    pub reopen: bool,
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
    /// The session that coordinates; empty when none does yet.
    pub session: String,
    /// How many members there will be; 0 when nobody said.
    pub total: i64,
    /// Settings as JSON.
    pub settings: String,
    /// `running` or `stopped`.
    pub state: String,
    /// True when its coordinator was told of the end.
    pub told: bool,
    /// How many posts there ever were.
    pub posts: i64,
    /// When it began, or began anew.
    pub since: i64,
    /// When it was made.
    pub created: i64,
    /// When anything happened.
    pub updated: i64,
}

/// A member of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemberRow {
    /// Its key.
    pub member: String,
    /// Its role; empty when the seat says it.
    pub role: String,
    /// Its place, from 0.
    pub seat: i64,
    /// The session.
    pub session: String,
    /// `running`, `done`, `failed`, or another word of the pattern.
    pub state: String,
    /// Its vote.
    pub vote: String,
    /// What it made.
    pub output: String,
    /// When it began.
    pub joined: i64,
    /// When it ended.
    pub ended: Option<i64>,
}

/// Something said to the members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PostRow {
    /// Its place in the run's order; no later post has a smaller one.
    pub seq: i64,
    /// Who said it.
    pub author: String,
    /// In which role.
    pub role: String,
    /// What it is about.
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

/// Posts that a look at a run takes along.
const MOST_POSTS: i64 = 300;

const RUN: &str = "project, id, kind, session, total, settings, state, told, posts, since, created, updated";

fn read_run(row: &Row) -> RunRow {
    let text = |column: usize| at(row, column).text();
    let int = |column: usize| at(row, column).int();
    RunRow {
        project: text(0),
        id: text(1),
        kind: text(2),
        session: text(3),
        total: int(4),
        settings: text(5),
        state: text(6),
        told: int(7) != 0,
        posts: int(8),
        since: int(9),
        created: int(10),
        updated: int(11),
    }
}

fn read_member(row: &Row) -> MemberRow {
    let text = |column: usize| at(row, column).text();
    MemberRow {
        member: text(0),
        role: text(1),
        seat: at(row, 2).int(),
        session: text(3),
        state: text(4),
        vote: text(5),
        output: text(6),
        joined: at(row, 7).int(),
        ended: at(row, 8).optional(),
    }
}

fn read_post(row: &Row) -> PostRow {
    let text = |column: usize| at(row, column).text();
    PostRow {
        seq: at(row, 0).int(),
        author: text(1),
        role: text(2),
        topic: text(3),
        text: text(4),
        at: at(row, 5).int(),
    }
}

/// Holds the run's row until the transaction ends: whoever comes at the same time waits. The run, or `None`.
fn hold(conn: &mut dyn Conn, now: i64, project: &str, run: &str) -> Result<Option<RunRow>> {
    let sql = format!(
        "UPDATE pattern_runs SET updated = CASE WHEN updated > $3 THEN updated ELSE $3 END \
         WHERE project = $1 AND id = $2 RETURNING {RUN}"
    );
    Ok(conn.query(&sql, values![project, run, now])?.first().map(read_run))
}

/// Somebody takes part. The same member twice is one member; one that has no seat left is none.
pub(crate) fn join(conn: &mut dyn Conn, now: i64, new: &Join) -> Result<()> {
    let coordinates = new.member.is_empty();
    conn.execute(
        "INSERT INTO pattern_runs (project, id, kind, session, total, settings, state, told, posts, base, since, \
         created, updated) VALUES ($1, $2, $3, '', $4, $5, 'running', 0, 0, 0, $6, $6, $6) \
         ON CONFLICT (project, id) DO NOTHING",
        values![&new.project, &new.run, &new.kind, new.total, &new.settings, now],
    )?;
    let Some(run) = hold(conn, now, &new.project, &new.run)? else { return Ok(()) };
    if coordinates {
        // The first session that coordinates keeps it; one that is gone gives way to a new one.
        conn.execute(
            "UPDATE pattern_runs SET session = $3, total = CASE WHEN total = 0 THEN $4 ELSE total END \
             WHERE project = $1 AND id = $2 AND (session = '' OR CAST($5 AS BIGINT) = 1)",
            values![&new.project, &new.run, &new.session, new.total, i64::from(new.reopen)],
        )?;
        return Ok(());
    }
    let known = conn.query(
        "SELECT session, joined FROM pattern_members WHERE project = $1 AND run = $2 AND member = $3 AND joined >= $4",
        values![&new.project, &new.run, &new.member, run.since],
    )?;
    if known.first().is_some_and(|row| at(row, 0).text() == new.session) {
        return Ok(());
    }
    let (mut since, mut total) = (run.since, run.total);
    if total == 0 && new.total > 0 {
        // Whoever came first did not know how many there will be.
        total = new.total;
        conn.execute(
            "UPDATE pattern_runs SET total = $3 WHERE project = $1 AND id = $2",
            values![&new.project, &new.run, total],
        )?;
    }
    if run.told || run.state != "running" {
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
    let taken = conn.query(
        "SELECT COUNT(*) FROM pattern_members WHERE project = $1 AND run = $2 AND joined >= $3 AND member <> $4",
        values![&new.project, &new.run, since, &new.member],
    )?;
    let taken = taken.first().map_or(0, |row| at(row, 0).int());
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

/// A member ended its part: state, vote, output. What is empty does not wipe out what is there.
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

/// A session ended: its members that did not finish failed.
pub(crate) fn gone(conn: &mut dyn Conn, now: i64, session: &str) -> Result<()> {
    conn.execute(
        "UPDATE pattern_members SET state = 'failed', ended = $2 WHERE session = $1 AND state = 'running' \
         AND joined <= $2",
        values![session, now],
    )?;
    Ok(())
}

/// Posts a text. Its place in the order is taken under the run's row, so a reader that saw place n has seen all before it.
pub(crate) fn post(
    conn: &mut dyn Conn,
    now: i64,
    [project, run]: [&String; 2],
    [author, role]: [&String; 2],
    topic: &str,
    text: &str,
) -> Result<()> {
    let sql = "UPDATE pattern_runs SET posts = posts + 1, updated = $3 WHERE project = $1 AND id = $2 RETURNING posts";
    let Some(seq) = conn.query(sql, values![project, run, now])?.first().map(|row| at(row, 0).int()) else {
        return Ok(());
    };
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
    gone: &mut Vec<(&'static str, u64)>,
) -> Result<()> {
    for (table, column) in [("pattern_members", "run"), ("pattern_posts", "run")] {
        let sql = format!(
            "DELETE FROM {table} WHERE EXISTS (SELECT 1 FROM pattern_runs WHERE pattern_runs.project = {table}.project \
             AND pattern_runs.id = {table}.{column} AND pattern_runs.updated < $1)"
        );
        gone.push((table, conn.execute(&sql, before)?));
    }
    gone.push(("pattern_runs", conn.execute("DELETE FROM pattern_runs WHERE updated < $1", before)?));
    Ok(())
}

impl Store {
    /// A run with its members and its last posts.
    pub fn pattern(&mut self, project: &str, id: &str) -> Result<Option<PatternView>> {
        let sql = format!("SELECT {RUN} FROM pattern_runs WHERE project = $1 AND id = $2");
        let Some(run) = self.conn.query(&sql, values![project, id])?.first().map(read_run) else {
            return Ok(None);
        };
        let members = self.conn.query(
            "SELECT member, role, seat, session, state, vote, output, joined, ended FROM pattern_members \
             WHERE project = $1 AND run = $2 AND joined >= $3 ORDER BY seat, member",
            values![project, id, run.since],
        )?;
        let posts = self.conn.query(
            "SELECT seq, author, role, topic, text, at FROM pattern_posts WHERE project = $1 AND run = $2 \
             AND seq > (SELECT base FROM pattern_runs WHERE project = $1 AND id = $2) ORDER BY seq DESC LIMIT $3",
            values![project, id, MOST_POSTS],
        )?;
        let members = members.iter().map(read_member).collect();
        let posts = posts.iter().rev().map(read_post).collect();
        Ok(Some(PatternView { run, members, posts }))
    }

    /// How many posts a run ever had: a cheap question before a costly one.
    pub fn pattern_posts(&mut self, project: &str, id: &str) -> Result<i64> {
        let sql = "SELECT posts FROM pattern_runs WHERE project = $1 AND id = $2";
        Ok(self.conn.query(sql, values![project, id])?.first().map_or(0, |row| at(row, 0).int()))
    }

    /// The runs of a project (of all, when it is empty), the newest first.
    pub fn patterns(&mut self, project: &str, most: i64) -> Result<Vec<RunRow>> {
        let sql = format!(
            "SELECT {RUN} FROM pattern_runs WHERE ($1 = '' OR project = $1) ORDER BY created DESC, id LIMIT $2"
        );
        Ok(self.conn.query(&sql, values![project, most])?.iter().map(read_run).collect())
    }

    /// The coordinator is told of the end: true for the one that gets to tell it.
    pub fn pattern_told(&mut self, project: &str, id: &str, now: i64) -> Result<bool> {
        let sql =
            "UPDATE pattern_runs SET told = 1, updated = $3 WHERE project = $1 AND id = $2 AND told = 0";
        Ok(self.conn.execute(sql, values![project, id, now])? > 0)
    }

    /// Stops a run: nobody joins it any more. True when it was running.
    pub fn stop_pattern(&mut self, project: &str, id: &str, now: i64) -> Result<bool> {
        let sql = "UPDATE pattern_runs SET state = 'stopped', updated = $3 WHERE project = $1 AND id = $2 \
                   AND state = 'running'";
        Ok(self.conn.execute(sql, values![project, id, now])? > 0)
    }
}
