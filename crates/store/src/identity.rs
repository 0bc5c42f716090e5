//! The versions of an agent's own documents. A new one is one statement that compares and sets: it counts only when
//! the last version is still the one that its writer saw.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::value::{Row, at, values};
use serde::{Deserialize, Serialize};

/// A new version, as its writer has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
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
    /// How it came about: `self_edit`, `session_sync`, `restore`, `save`.
    pub source: String,
    /// The session in which it did.
    pub session: String,
    /// The machine.
    pub host: String,
}

/// A version in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Version {
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
    /// How it came about.
    pub source: String,
    /// The session in which it did.
    pub session: String,
    /// The machine.
    pub host: String,
    /// When.
    pub at: i64,
}

/// What became of a new version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is the last version now; its number.
    As(i64),
    /// The last version says the same; its number.
    Same(i64),
    /// The last version is another than the one that was seen.
    Moved(Box<Version>),
}

const COLUMNS: &str = "agent, doc, version, hash, text, source, session, host, at";

fn read(row: &Row) -> Version {
    let text = |column: usize| at(row, column).text();
    Version {
        agent: text(0),
        doc: text(1),
        version: at(row, 2).int(),
        hash: text(3),
        text: text(4),
        source: text(5),
        session: text(6),
        host: text(7),
        at: at(row, 8).int(),
    }
}

fn last(conn: &mut dyn Conn, agent: &str, doc: &str) -> Result<Option<Version>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM identity_versions WHERE agent = $1 AND doc = $2 ORDER BY version DESC LIMIT 1"
    );
    Ok(conn.query(&sql, values![agent, doc])?.first().map(read))
}

pub(crate) fn add(conn: &mut dyn Conn, now: i64, new: &Draft) -> Result<Stored> {
    let next = new.seen + 1;
    // The key refuses a second writer of the same number, the condition one that did not see the last.
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
        return Ok(Stored::As(next));
    }
    Ok(match last(conn, &new.agent, &new.doc)? {
        Some(version) if version.hash == new.hash => Stored::Same(version.version),
        Some(version) => Stored::Moved(Box::new(version)),
        None => Stored::Moved(Box::default()),
    })
}

impl Store {
    /// Adds a version when the last one is still the one that was seen.
    pub fn add_identity(&mut self, new: &Draft, now: i64) -> Result<Stored> {
        add(&mut *self.conn, now, new)
    }

    /// The last version of a document.
    pub fn identity(&mut self, agent: &str, doc: &str) -> Result<Option<Version>> {
        last(&mut *self.conn, agent, doc)
    }

    /// The last version of every document of an agent.
    pub fn identities(&mut self, agent: &str) -> Result<Vec<Version>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM identity_versions AS one WHERE agent = $1 AND version = (SELECT MAX(version) \
             FROM identity_versions AS other WHERE other.agent = one.agent AND other.doc = one.doc) ORDER BY doc"
        );
        Ok(self.conn.query(&sql, values![agent])?.iter().map(read).collect())
    }

    /// One version of a document.
    pub fn identity_version(&mut self, agent: &str, doc: &str, version: i64) -> Result<Option<Version>> {
        let sql =
            format!("SELECT {COLUMNS} FROM identity_versions WHERE agent = $1 AND doc = $2 AND version = $3");
        Ok(self.conn.query(&sql, values![agent, doc, version])?.first().map(read))
    }

    /// The versions of a document (of every document, when it is empty), the newest first.
    pub fn identity_log(&mut self, agent: &str, doc: &str, most: i64) -> Result<Vec<Version>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM identity_versions WHERE agent = $1 AND ($2 = '' OR doc = $2) \
             ORDER BY at DESC, doc, version DESC LIMIT $3"
        );
        Ok(self.conn.query(&sql, values![agent, doc, most])?.iter().map(read).collect())
    }

    /// Whose documents there are.
    pub fn identity_agents(&mut self) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT agent FROM identity_versions ORDER BY agent";
        Ok(self.conn.query(sql, &[])?.iter().map(|row| at(row, 0).text()).collect())
    }
}
