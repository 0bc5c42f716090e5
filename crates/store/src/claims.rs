//! Claims: one session at a time works on a file, on the git state of a checkout, on a settings file.
//! A claim is taken in one statement, so no other process can come between the check and the write. A claim is valid
//! while its own lease or the lease of its session runs; the end of a session frees all of its claims.

use crate::Store;
use crate::conn::Conn;
use crate::error::{Error, Result};
use crate::row::{FromRow, Row};
use crate::value::values;
use serde::{Deserialize, Serialize};

/// What is claimed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClaimKey {
    /// The repository, the same on every machine; or the machine, for files that exist only there.
    pub repo: String,
    /// The branch; empty for files that do not depend on it.
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
    /// How long the claim is valid without a heartbeat, in microseconds.
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

/// The condition that the holder's session is live at `now`, an SQL expression.
fn live_session(now: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM sessions s WHERE s.agent = claims.agent AND s.session = claims.session \
         AND s.ended IS NULL AND s.lease_until > {now})"
    )
}

const SELECT: &str = "SELECT claims.repo, claims.branch, claims.path, claims.agent, claims.session, claims.host, \
                    claims.root, claims.since, claims.renewed, claims.expires, \
                    CASE WHEN s.ended IS NULL THEN s.lease_until END AS lease_until, m.name, s.seen FROM claims \
                    LEFT JOIN sessions s ON s.agent = claims.agent AND s.session = claims.session \
                    LEFT JOIN members m ON m.agent = claims.agent AND m.session = claims.session";

impl FromRow for ClaimRow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let key = ClaimKey { repo: row.get("repo")?, branch: row.get("branch")?, path: row.get("path")? };
        let mut claim = Self {
            key,
            agent: row.get("agent")?,
            session: row.get("session")?,
            host: row.get("host")?,
            root: row.get("root")?,
            since: row.get("since")?,
            renewed: row.get("renewed")?,
            until: row.get("expires")?,
            ..Self::default()
        };
        // From other tables: NULL when the session is not registered, or has no name.
        claim.until = claim.until.max(row.get::<Option<i64>>("lease_until")?.unwrap_or(0));
        claim.name = row.get::<Option<String>>("name")?.unwrap_or_default();
        claim.seen = claim.renewed.max(row.get::<Option<i64>>("seen")?.unwrap_or(0));
        Ok(claim)
    }
}

/// Frees what an ended session held and has not renewed since.
pub(crate) fn free(conn: &mut dyn Conn, agent: &str, session: &str, now: i64) -> Result<()> {
    let sql = "DELETE FROM claims WHERE agent = $1 AND session = $2 AND renewed <= $3";
    conn.execute(sql, values![agent, session, now]).map(|_| ())
}

/// How often a claim is tried that changes hands meanwhile.
const MAX_ROUNDS: usize = 32;

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
    // Again: the holder may release the claim between the attempt and the query for its name.
    for _ in 0..MAX_ROUNDS {
        if conn.exists(&take, values)? {
            return Ok(None);
        }
        let sql = format!("{SELECT} WHERE claims.repo = $1 AND claims.branch = $2 AND claims.path = $3");
        if let Some(held) = conn.first::<ClaimRow>(&sql, values![&key.repo, &key.branch, &key.path])?
            && (held.agent != by.agent || held.session != by.session)
        {
            return Ok(Some(held));
        }
    }
    // Nobody was named, but nothing was taken either.
    Err(Error::Busy(format!("the claim on {} changes hands", key.path)))
}

/// Claims what a session changed while the store was unavailable, as of then. Where another session holds it, both are
/// sent a message.
pub(crate) fn late(conn: &mut dyn Conn, keys: &[(ClaimKey, String)], by: &Claimant, at: i64) -> Result<()> {
    for key in keys {
        let Some(held) = take(conn, key, by, at)? else { continue };
        for (to, other) in [(&by.session, &held.session), (&held.session, &by.session)] {
            let other: String = other.chars().take(8).collect();
            let text = format!(
                "{} was changed by you and by session {other} while the store was unavailable: compare before you go on.",
                key.0.path
            );
            let recipient = format!("session:{to}");
            conn.execute(
                "INSERT INTO messages (id, project, sender, session, recipient, text, at) \
                 VALUES ($1, $2, 'sprag', '', $3, $4, $5)",
                values![&crate::new_id(), &key.0.repo, &recipient, &text, at],
            )?;
        }
    }
    Ok(())
}

impl Store {
    /// Claims keys, each with its checkout: `None` for each that the caller now holds, else its holder. With `all`,
    /// none is taken when another session holds one of them.
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
        // In the same order in every process, or two of them would deadlock.
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|index| keys.get(*index));
        let mut holders = vec![None; keys.len()];
        conn.begin()?;
        let done = order.into_iter().try_for_each(|index| {
            if let (Some(key), Some(holder)) = (keys.get(index), holders.get_mut(index)) {
                *holder = take(conn, key, by, now)?;
            }
            Ok(())
        });
        let keep = done.is_ok() && !(all && holders.iter().any(Option::is_some));
        let ended = conn.batch(if keep { "COMMIT" } else { "ROLLBACK" });
        done.and(ended).map(|()| holders)
    }

    /// The claims that are valid at `now`, the oldest first.
    pub fn claims(&mut self, now: i64) -> Result<Vec<ClaimRow>> {
        let sql = format!(
            "{SELECT} WHERE claims.expires > $1 OR {} ORDER BY claims.since, claims.repo, claims.branch, \
             claims.path LIMIT 10000",
            live_session("$1")
        );
        self.conn.all(&sql, values![now])
    }

    /// What a session holds at `now`.
    pub fn claims_of(&mut self, agent: &str, session: &str, now: i64) -> Result<Vec<ClaimRow>> {
        let sql = format!(
            "{SELECT} WHERE claims.agent = $1 AND claims.session = $2 AND (claims.expires > $3 OR {}) \
             ORDER BY claims.path LIMIT 1000",
            live_session("$3")
        );
        self.conn.all(&sql, values![agent, session, now])
    }

    /// What others hold in a checkout of this machine.
    pub fn claims_in(&mut self, root: &str, by: &Claimant, now: i64) -> Result<Vec<ClaimRow>> {
        let sql = format!(
            "{SELECT} WHERE claims.host = $1 AND claims.root = $2 AND NOT (claims.agent = $3 AND \
             claims.session = $4) AND (claims.expires > $5 OR {}) ORDER BY claims.since LIMIT 1000",
            live_session("$5")
        );
        let values = values![&by.host, root, &by.agent, &by.session, now];
        self.conn.all(&sql, values)
    }

    /// What others hold on a branch of a repository, on any machine.
    pub fn claims_on(&mut self, repo: &str, branch: &str, by: &Claimant, now: i64) -> Result<Vec<ClaimRow>> {
        let sql = format!(
            "{SELECT} WHERE claims.repo = $1 AND claims.branch = $2 AND NOT (claims.agent = $3 AND \
             claims.session = $4) AND (claims.expires > $5 OR {}) ORDER BY claims.since LIMIT 1000",
            live_session("$5")
        );
        let values = values![repo, branch, &by.agent, &by.session, now];
        self.conn.all(&sql, values)
    }

    /// Frees one claim if it has not changed since the caller read it; true when it was freed.
    pub fn release_claim(&mut self, seen: &ClaimRow) -> Result<bool> {
        let sql = "DELETE FROM claims WHERE repo = $1 AND branch = $2 AND path = $3 AND agent = $4 \
                   AND session = $5 AND since = $6";
        let key = &seen.key;
        let values = values![&key.repo, &key.branch, &key.path, &seen.agent, &seen.session, seen.since];
        Ok(self.conn.execute(sql, values)? > 0)
    }

    /// Frees what a session holds in a checkout, except claims made after `before` and paths for which `keep` is true.
    pub fn release_committed(
        &mut self,
        by: &Claimant,
        root: &str,
        before: i64,
        keep: impl Fn(&str) -> bool,
    ) -> Result<u64> {
        self.atomically(|conn| {
            let sql = format!(
                "{SELECT} WHERE claims.agent = $1 AND claims.session = $2 AND claims.host = $3 AND claims.root = $4"
            );
            let held: Vec<ClaimRow> = conn.all(&sql, values![&by.agent, &by.session, &by.host, root])?;
            let mut freed = 0;
            for row in held.iter().filter(|row| !keep(&row.key.path)) {
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
