//! Key-value state with compare-and-set: what claims, leases and locks are made of.
//! Each change is one statement, so there is no moment between looking and writing.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::value::{Row, at, values};

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
    /// From then on it counts as absent.
    pub expires: Option<i64>,
}

/// How a compare-and-set ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cas {
    /// It is set; the new version.
    Set(i64),
    /// It was not what the caller thought; what it is.
    Differs(Option<Entry>),
}

const COLUMNS: &str = "name, value, version, updated, expires";

fn read(row: &Row) -> Entry {
    Entry {
        name: at(row, 0).text(),
        value: at(row, 1).text(),
        version: at(row, 2).int(),
        updated: at(row, 3).int(),
        expires: at(row, 4).optional(),
    }
}

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
    /// A value; one that expired is absent.
    pub fn get(&mut self, space: &str, name: &str, now: i64) -> Result<Option<Entry>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM kv WHERE space = $1 AND name = $2 AND (expires IS NULL OR expires > $3)"
        );
        Ok(self.conn.query(&sql, values![space, name, now])?.first().map(read))
    }

    /// Every value of a space, by key.
    pub fn list(&mut self, space: &str, now: i64) -> Result<Vec<Entry>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM kv WHERE space = $1 AND (expires IS NULL OR expires > $2) ORDER BY name"
        );
        Ok(self.conn.query(&sql, values![space, now])?.iter().map(read).collect())
    }

    /// Sets a value when it still has the version that the caller saw; `None` when the caller saw none.
    /// A value that expired is none.
    pub fn compare_and_set(
        &mut self,
        space: &str,
        name: &str,
        seen: Option<i64>,
        value: &str,
        expires: Option<i64>,
        now: i64,
    ) -> Result<Cas> {
        let changed = match seen {
            None => self.conn.query(
                "INSERT INTO kv (space, name, value, version, updated, expires) VALUES ($1, $2, $3, 1, $4, $5) \
                 ON CONFLICT (space, name) DO UPDATE SET value = excluded.value, version = kv.version + 1, \
                 updated = excluded.updated, expires = excluded.expires \
                 WHERE kv.expires IS NOT NULL AND kv.expires <= excluded.updated RETURNING version",
                values![space, name, value, now, expires],
            )?,
            Some(version) => self.conn.query(
                "UPDATE kv SET value = $3, version = version + 1, updated = $4, expires = $5 \
                 WHERE space = $1 AND name = $2 AND version = $6 AND (expires IS NULL OR expires > $4) \
                 RETURNING version",
                values![space, name, value, now, expires, version],
            )?,
        };
        match changed.first() {
            Some(row) => Ok(Cas::Set(at(row, 0).int())),
            None => Ok(Cas::Differs(self.get(space, name, now)?)),
        }
    }

    /// Removes a value when it still has this version. True when it was there.
    pub fn remove(&mut self, space: &str, name: &str, version: i64) -> Result<bool> {
        let sql = "DELETE FROM kv WHERE space = $1 AND name = $2 AND version = $3";
        Ok(self.conn.execute(sql, values![space, name, version])? > 0)
    }
}
