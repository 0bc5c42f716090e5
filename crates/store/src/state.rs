//! Key-value state with compare-and-set. Each change is one statement, so no other process can come between the check
//! and the write.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::row::from_row;
use crate::value::values;

/// A value with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub name: String,
    /// The value.
    pub value: String,
    /// Grows with every change.
    pub version: i64,
    /// When it was changed.
    pub updated: i64,
    /// From then on it is absent.
    pub expires: Option<i64>,
}

/// The result of a compare-and-set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cas {
    /// It is set; the new version.
    Set(i64),
    /// It had another version; the current value.
    Differs(Option<Entry>),
}

const COLUMNS: &str = "name, value, version, updated, expires";

from_row! { Entry: name, value, version, updated, expires }

pub(crate) fn put(conn: &mut dyn Conn, space: &str, name: &str, value: &str, now: i64) -> Result<()> {
    conn.execute(
        "INSERT INTO kv (space, name, value, version, updated, expires) VALUES ($1, $2, $3, 1, $4, NULL) \
         ON CONFLICT (space, name) DO UPDATE SET value = excluded.value, version = kv.version + 1, \
         updated = excluded.updated, expires = NULL WHERE excluded.updated >= kv.updated",
        values![space, name, value, now],
    )?;
    Ok(())
}

impl Store {
    /// A value; an expired one is absent.
    pub fn get(&mut self, space: &str, name: &str, now: i64) -> Result<Option<Entry>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM kv WHERE space = $1 AND name = $2 AND (expires IS NULL OR expires > $3)"
        );
        self.conn.first(&sql, values![space, name, now])
    }

    /// Every value of a space, sorted by key.
    pub fn list(&mut self, space: &str, now: i64) -> Result<Vec<Entry>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM kv WHERE space = $1 AND (expires IS NULL OR expires > $2) ORDER BY name"
        );
        self.conn.all(&sql, values![space, now])
    }

    /// Sets a value if it still has the version that the caller saw; `None` if the caller saw no value.
    /// An expired value is absent.
    pub fn compare_and_set(
        &mut self,
        space: &str,
        name: &str,
        seen: Option<i64>,
        value: &str,
        expires: Option<i64>,
        now: i64,
    ) -> Result<Cas> {
        let version = match seen {
            None => self.conn.first(
                "INSERT INTO kv (space, name, value, version, updated, expires) VALUES ($1, $2, $3, 1, $4, $5) \
                 ON CONFLICT (space, name) DO UPDATE SET value = excluded.value, version = kv.version + 1, \
                 updated = excluded.updated, expires = excluded.expires \
                 WHERE kv.expires IS NOT NULL AND kv.expires <= excluded.updated RETURNING version",
                values![space, name, value, now, expires],
            )?,
            Some(version) => self.conn.first(
                "UPDATE kv SET value = $3, version = version + 1, updated = $4, expires = $5 \
                 WHERE space = $1 AND name = $2 AND version = $6 AND (expires IS NULL OR expires > $4) \
                 RETURNING version",
                values![space, name, value, now, expires, version],
            )?,
        };
        match version {
            Some(version) => Ok(Cas::Set(version)),
            None => Ok(Cas::Differs(self.get(space, name, now)?)),
        }
    }

    /// Removes a value if it still has this version; true when it was removed.
    pub fn remove(&mut self, space: &str, name: &str, version: i64) -> Result<bool> {
        let sql = "DELETE FROM kv WHERE space = $1 AND name = $2 AND version = $3";
        Ok(self.conn.execute(sql, values![space, name, version])? > 0)
    }
}
