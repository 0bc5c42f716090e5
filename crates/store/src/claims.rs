//! Claims: one session at a time works on a file, on the git state of a checkout, on a settings file.
//! Taking one is one statement, so there is no moment between looking and writing. A claim counts for as long as its
//! own lease or the lease of its session runs; a session's end frees all of its claims.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::value::{Row, Value, at, values};
use serde::{Deserialize, Serialize};

/// What is claimed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClaimKey {
    /// The repository, the same on every machine; or the machine, for what is only there.
    pub repo: String,
    /// The branch; empty for what does not depend on it.
    pub branch: String,
    /// The path in the repository.
    pub path: String,
}

/// Who claims, from where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimant {
    /// The agent program.
    pub agent: String,
    /// The agent's own id of the session.
    pub session: String,
    /// The machine.
    pub host: String,
    /// How long the claim counts without a sign of life, in microseconds.
    pub lease: i64,
}

/// A claim with its holder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimRow {
    /// What is claimed.
    pub key: ClaimKey,
    /// The agent program.
    pub agent: String,
    /// The agent's own id of the session.
    pub session: String,
    /// The machine of the holder.
    pub host: String,
    /// The checkout there.
    pub root: String,
    /// Since when.
    pub since: i64,
    /// When it was last renewed.
    pub renewed: i64,
    /// When it ends: its own lease, or its session's when that is longer.
    pub until: i64,
    /// The holder's name in the team.
    pub name: String,
    /// When the holder last did something.
    pub seen: i64,
}

/// A live session of the holder of a claim. Times are `$now`, spelled by the caller.
fn live_session(now: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM sessions s WHERE s.agent = claims.agent AND s.session = claims.session \
         AND s.ended IS NULL AND s.lease_until > {now})"
    )
}

const READ: &str = "SELECT claims.repo, claims.branch, claims.path, claims.agent, claims.session, claims.host, \
                    claims.root, claims.since, claims.renewed, claims.expires, \
                    CASE WHEN s.ended IS NULL THEN s.lease_until END, m.name, s.seen FROM claims \
                    LEFT JOIN sessions s ON s.agent = claims.agent AND s.session = claims.session \
                    LEFT JOIN members m ON m.agent = claims.agent AND m.session = claims.session";

fn read(row: &Row) -> ClaimRow {
    let text = |column: usize| at(row, column).text();
    let int = |column: usize| at(row, column).int();
    ClaimRow {
        key: ClaimKey { repo: text(0), branch: text(1), path: text(2) },
        agent: text(3),
        session: text(4),
        host: text(5),
        root: text(6),
        since: int(7),
        renewed: int(8),
        until: int(9).max(int(10)),
        name: text(11),
        seen: int(12).max(int(8)),
    }
}

/// A session ended: what it held and did not renew since then is free.
pub(crate) fn free(conn: &mut dyn Conn, agent: &str, session: &str, now: i64) -> Result<()> {
    let sql = "DELETE FROM claims WHERE agent = $1 AND session = $2 AND renewed <= $3";
    conn.execute(sql, values![agent, session, now]).map(|_| ())
}

fn take(
    conn: &mut dyn Conn,
    (key, root): &(ClaimKey, String),
    by: &Claimant,
    now: i64,
) -> Result<Option<ClaimRow>> {
    let take = format!(
        "INSERT INTO claims (repo, branch, path, agent, session, host, root, since, renewed, expires) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9) \
         ON CONFLICT (repo, branch, path) DO UPDATE SET agent = excluded.agent, session = excluded.session, \
         host = excluded.host, root = excluded.root, renewed = excluded.renewed, expires = excluded.expires, \
         since = CASE WHEN claims.agent = excluded.agent AND claims.session = excluded.session \
         AND claims.expires > excluded.renewed THEN claims.since ELSE excluded.since END \
         WHERE (claims.agent = excluded.agent AND claims.session = excluded.session) \
         OR (claims.expires <= excluded.renewed AND NOT {}) RETURNING since",
        live_session("excluded.renewed")
    );
    let values = values![
        &key.repo,
        &key.branch,
        &key.path,
        &by.agent,
        &by.session,
        &by.host,
        root,
        now,
        now + by.lease
    ];
    // Twice: the holder may let go between the try and the look at who it is.
    for _ in 0..2 {
        if !conn.query(&take, values)?.is_empty() {
            return Ok(None);
        }
        let sql = format!("{READ} WHERE claims.repo = $1 AND claims.branch = $2 AND claims.path = $3");
        let found = conn.query(&sql, values![&key.repo, &key.branch, &key.path])?;
        if let Some(held) = found.first().map(read)
            && (held.agent != by.agent || held.session != by.session)
        {
            return Ok(Some(held));
        }
    }
    Ok(None)
}

impl Store {
    /// Claims keys, each with its checkout: `None` for each that is the caller's now, else who holds it. With
    /// `all`, one that is held by another means that none is taken.
    pub fn claim(
        &mut self,
        keys: &[(ClaimKey, String)],
        by: &Claimant,
        now: i64,
        all: bool,
    ) -> Result<Vec<Option<ClaimRow>>> {
        let conn = &mut *self.conn;
        if let [one] = keys {
            return Ok(vec![take(conn, one, by, now)?]);
        }
        // In one order for everybody, or two would wait for each other.
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|place| keys.get(*place));
        let mut found = vec![None; keys.len()];
        conn.begin()?;
        let done = order.into_iter().try_for_each(|place| {
            if let (Some(key), Some(slot)) = (keys.get(place), found.get_mut(place)) {
                *slot = take(conn, key, by, now)?;
            }
            Ok(())
        });
        let keep = done.is_ok() && !(all && found.iter().any(Option::is_some));
        let ended = conn.batch(if keep { "COMMIT" } else { "ROLLBACK" });
        done.and(ended).map(|()| found)
    }

    /// What is claimed at `now`, the oldest claim first.
    pub fn claims(&mut self, now: i64) -> Result<Vec<ClaimRow>> {
        let sql = format!(
            "{READ} WHERE claims.expires > $1 OR {} ORDER BY claims.since, claims.repo, claims.branch, \
             claims.path LIMIT 10000",
            live_session("$1")
        );
        Ok(self.conn.query(&sql, values![now])?.iter().map(read).collect())
    }

    /// What a session holds at `now`.
    pub fn claims_of(&mut self, agent: &str, session: &str, now: i64) -> Result<Vec<ClaimRow>> {
        let sql = format!(
            "{READ} WHERE claims.agent = $1 AND claims.session = $2 AND (claims.expires > $3 OR {}) \
             ORDER BY claims.path LIMIT 1000",
            live_session("$3")
        );
        Ok(self.conn.query(&sql, values![agent, session, now])?.iter().map(read).collect())
    }

    /// What others hold in a checkout of this machine.
    pub fn claims_in(&mut self, root: &str, by: &Claimant, now: i64) -> Result<Vec<ClaimRow>> {
        let sql = format!(
            "{READ} WHERE claims.host = $1 AND claims.root = $2 AND NOT (claims.agent = $3 AND \
             claims.session = $4) AND (claims.expires > $5 OR {}) ORDER BY claims.since LIMIT 1000",
            live_session("$5")
        );
        let values = values![&by.host, root, &by.agent, &by.session, now];
        Ok(self.conn.query(&sql, values)?.iter().map(read).collect())
    }

    /// What others hold on a branch of a repository, on any machine.
    pub fn claims_on(&mut self, repo: &str, branch: &str, by: &Claimant, now: i64) -> Result<Vec<ClaimRow>> {
        let sql = format!(
            "{READ} WHERE claims.repo = $1 AND claims.branch = $2 AND NOT (claims.agent = $3 AND \
             claims.session = $4) AND (claims.expires > $5 OR {}) ORDER BY claims.since LIMIT 1000",
            live_session("$5")
        );
        let values = values![repo, branch, &by.agent, &by.session, now];
        Ok(self.conn.query(&sql, values)?.iter().map(read).collect())
    }

    /// Frees one claim when it is still the one that the caller saw. True when it was.
    pub fn release_claim(&mut self, seen: &ClaimRow) -> Result<bool> {
        let sql = "DELETE FROM claims WHERE repo = $1 AND branch = $2 AND path = $3 AND agent = $4 \
                   AND session = $5 AND since = $6";
        let key = &seen.key;
        let values: &[Value] =
            values![&key.repo, &key.branch, &key.path, &seen.agent, &seen.session, seen.since];
        Ok(self.conn.execute(sql, values)? > 0)
    }

    /// Frees what a session holds in a checkout, but what it claimed after `before` and what `keep` says.
    pub fn release_committed(
        &mut self,
        by: &Claimant,
        root: &str,
        before: i64,
        keep: impl Fn(&str) -> bool,
    ) -> Result<u64> {
        self.atomically(|conn| {
            let sql = format!(
                "{READ} WHERE claims.agent = $1 AND claims.session = $2 AND claims.host = $3 AND claims.root = $4"
            );
            let held = conn.query(&sql, values![&by.agent, &by.session, &by.host, root])?;
            let mut freed = 0;
            for row in held.iter().map(read).filter(|row| !keep(&row.key.path)) {
                let key = &row.key;
                freed += conn.execute(
                    "DELETE FROM claims WHERE repo = $1 AND branch = $2 AND path = $3 AND agent = $4 \
                     AND session = $5 AND renewed <= $6",
                    values![&key.repo, &key.branch, &key.path, &row.agent, &row.session, before],
                )?;
            }
            Ok(freed)
        })
    }
}
