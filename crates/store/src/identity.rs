//! The versions of an agent's own documents. A new version is added by one statement, and only if the last version is
//! still the one that its writer saw.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::row::from_row;
use crate::value::values;
use serde::{Deserialize, Serialize};

/// A new version of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityDraft {
    /// Whose document.
    pub agent: String,
    /// Which document.
    pub doc: String,
    /// The version that the writer saw last; 0 when it saw none.
    pub seen: i64,
    /// The text's hash.
    pub hash: String,
    /// The text.
    pub text: String,
    /// Its origin: `self_edit`, `session_sync`, `restore`, `save`.
    pub source: String,
    /// The session that wrote it.
    pub session: String,
    /// The machine.
    pub host: String,
}

/// A version in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IdentityVersion {
    /// Whose document.
    pub agent: String,
    /// Which document.
    pub doc: String,
    /// Its number, from 1.
    pub version: i64,
    /// The text's hash.
    pub hash: String,
    /// The text.
    pub text: String,
    /// Its origin.
    pub source: String,
    /// The session that wrote it.
    pub session: String,
    /// The machine.
    pub host: String,
    /// When.
    pub at: i64,
}

/// The result of adding a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityOutcome {
    /// It was added; its number.
    Added(i64),
    /// The last version has the same text; its number.
    Same(i64),
    /// The last version is not the one that was seen.
    Conflict(Box<IdentityVersion>),
}

const COLUMNS: &str = "agent, doc, version, hash, text, source, session, host, at";

from_row! { IdentityVersion: agent, doc, version, hash, text, source, session, host, at }

fn last(conn: &mut dyn Conn, agent: &str, doc: &str) -> Result<Option<IdentityVersion>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM identity_versions WHERE agent = $1 AND doc = $2 ORDER BY version DESC LIMIT 1"
    );
    conn.first(&sql, values![agent, doc])
}

pub(crate) fn add(conn: &mut dyn Conn, now: i64, new: &IdentityDraft) -> Result<IdentityOutcome> {
    let next = new.seen + 1;
    // The key rejects a second writer of the same number, the condition one that did not see the last version.
    let added = conn.execute(
        "INSERT INTO identity_versions (agent, doc, version, hash, text, source, session, host, at) \
         SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT), \
         CAST($6 AS TEXT), CAST($7 AS TEXT), CAST($8 AS TEXT), CAST($9 AS BIGINT) \
         WHERE COALESCE((SELECT MAX(version) FROM identity_versions WHERE agent = $1 AND doc = $2), 0) = \
         CAST($3 AS BIGINT) - 1 \
         AND NOT EXISTS (SELECT 1 FROM identity_versions WHERE agent = $1 AND doc = $2 \
         AND version = CAST($3 AS BIGINT) - 1 AND hash = $4) \
         ON CONFLICT (agent, doc, version) DO NOTHING",
        values![&new.agent, &new.doc, next, &new.hash, &new.text, &new.source, &new.session, &new.host, now],
    )?;
    if added > 0 {
        return Ok(IdentityOutcome::Added(next));
    }
    Ok(match last(conn, &new.agent, &new.doc)? {
        Some(version) if version.hash == new.hash => IdentityOutcome::Same(version.version),
        Some(version) => IdentityOutcome::Conflict(Box::new(version)),
        None => IdentityOutcome::Conflict(Box::default()),
    })
}

impl Store {
    /// Adds a version if the last one is still the one that was seen.
    pub fn add_identity(&mut self, new: &IdentityDraft, now: i64) -> Result<IdentityOutcome> {
        add(&mut *self.conn, now, new)
    }

    /// The last version of a document.
    pub fn identity(&mut self, agent: &str, doc: &str) -> Result<Option<IdentityVersion>> {
        last(&mut *self.conn, agent, doc)
    }

    /// The last version of every document of an agent.
    pub fn identities(&mut self, agent: &str) -> Result<Vec<IdentityVersion>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM identity_versions AS one WHERE agent = $1 AND version = (SELECT MAX(version) \
             FROM identity_versions AS other WHERE other.agent = one.agent AND other.doc = one.doc) ORDER BY doc"
        );
        self.conn.all(&sql, values![agent])
    }

    /// One version of a document.
    pub fn identity_version(
        &mut self,
        agent: &str,
        doc: &str,
        version: i64,
    ) -> Result<Option<IdentityVersion>> {
        let sql =
            format!("SELECT {COLUMNS} FROM identity_versions WHERE agent = $1 AND doc = $2 AND version = $3");
        self.conn.first(&sql, values![agent, doc, version])
    }

    /// The versions of a document (of every document, when `doc` is empty), the newest first.
    pub fn identity_log(&mut self, agent: &str, doc: &str, limit: i64) -> Result<Vec<IdentityVersion>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM identity_versions WHERE agent = $1 AND ($2 = '' OR doc = $2) \
             ORDER BY at DESC, doc, version DESC LIMIT $3"
        );
        self.conn.all(&sql, values![agent, doc, limit])
    }

    /// The agents that have documents.
    pub fn identity_agents(&mut self) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT agent FROM identity_versions ORDER BY agent";
        self.conn.all(sql, &[])
    }
}
