//! What is remembered: one row per memory, found by id, by text, by where it came from. A change of the text keeps the
//! text that was, and gives the memory a new number, so that what is derived from it is known to be old.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::new_id;
use crate::value::{Row, Value, at, values};
use serde::{Deserialize, Serialize};

/// A memory to be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMemory {
    /// What sort of thing it is: learning, decision, failure, preference, fact, file …
    pub kind: String,
    /// Whom it concerns: `user`, `project`, `agent`.
    pub scope: String,
    /// Which project or agent; empty for `user`.
    pub place: String,
    /// What is remembered.
    pub text: String,
    /// Equal for texts that are the same but for blanks and case.
    pub text_hash: String,
    /// Words to find it by, with blanks between.
    pub tags: String,
    /// The agent program it came from.
    pub agent: String,
    /// The session it came from.
    pub session: String,
    /// The file it is a part of; empty when it is none.
    pub origin: String,
    /// 1 to 10.
    pub importance: i64,
    /// From then on it is forgotten.
    pub expires: Option<i64>,
}

/// A memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The number of its last change.
    pub seq: i64,
    /// Its id, for good.
    pub id: String,
    /// What it is.
    #[serde(flatten)]
    pub is: NewMemory,
    /// When it was first kept.
    pub created: i64,
    /// When it was last changed or met again.
    pub updated: i64,
    /// How often its text was changed, from 1.
    pub version: i64,
    /// How often it was shown.
    pub uses: i64,
    /// When it was last shown.
    pub used: Option<i64>,
}

/// What became of a memory that was to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is new: its id and number.
    New {
        /// Its id.
        id: String,
        /// Its number.
        seq: i64,
    },
    /// The same text was there; it counts as met again. Its id.
    Known(String),
}

/// Which memories to list.
#[derive(Clone, Debug, Default)]
pub struct MemoryFilter {
    /// Of this kind.
    pub kind: Option<String>,
    /// Of this scope.
    pub scope: Option<String>,
    /// Of this place.
    pub place: Option<String>,
    /// With this tag.
    pub tag: Option<String>,
    /// At most this many, the last changed first.
    pub limit: i64,
}

/// A text that a memory had before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Previous {
    /// Which version it was.
    pub version: i64,
    /// The text.
    pub text: String,
    /// Until when.
    pub until: i64,
}

pub(crate) const COLUMNS: &str = "seq, id, kind, scope, place, text, text_hash, tags, agent, session, origin, \
                                  importance, created, updated, expires, version, uses, used";

pub(crate) fn read(row: &Row) -> Memory {
    let text = |column: usize| at(row, column).text();
    let int = |column: usize| at(row, column).int();
    Memory {
        seq: int(0),
        id: text(1),
        is: NewMemory {
            kind: text(2),
            scope: text(3),
            place: text(4),
            text: text(5),
            text_hash: text(6),
            tags: text(7),
            agent: text(8),
            session: text(9),
            origin: text(10),
            importance: int(11),
            expires: at(row, 14).optional(),
        },
        created: int(12),
        updated: int(13),
        version: int(15),
        uses: int(16),
        used: at(row, 17).optional(),
    }
}

/// Adds a row; its number.
fn insert(conn: &mut dyn Conn, memory: &Memory) -> Result<i64> {
    let is = &memory.is;
    let rows = conn.query(
        "INSERT INTO memories (id, kind, scope, place, text, text_hash, tags, agent, session, origin, importance, \
         created, updated, expires, version, uses, used) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) RETURNING seq",
        values![
            &memory.id,
            &is.kind,
            &is.scope,
            &is.place,
            &is.text,
            &is.text_hash,
            &is.tags,
            &is.agent,
            &is.session,
            &is.origin,
            is.importance,
            memory.created,
            memory.updated,
            is.expires,
            memory.version,
            memory.uses,
            memory.used,
        ],
    )?;
    Ok(rows.first().map_or(0, |row| at(row, 0).int()))
}

fn one(conn: &mut dyn Conn, condition: &str, values: &[Value]) -> Result<Option<Memory>> {
    let sql = format!("SELECT {COLUMNS} FROM memories WHERE {condition}");
    Ok(conn.query(&sql, values)?.first().map(read))
}

impl Store {
    /// Keeps a memory, unless the same text is there for the same scope and place.
    pub fn add_memory(&mut self, new: &NewMemory, now: i64) -> Result<Added> {
        self.atomically(|conn| {
            conn.order_lock("memories")?;
            let same = "scope = $1 AND place = $2 AND text_hash = $3";
            if let Some(known) = one(conn, same, values![&new.scope, &new.place, &new.text_hash])? {
                // Met again: it lives on, and the higher importance holds.
                conn.execute(
                    "UPDATE memories SET updated = $2, expires = CASE WHEN expires IS NULL OR CAST($3 AS BIGINT) IS NULL THEN NULL \
                     WHEN expires > $3 THEN expires ELSE $3 END, \
                     importance = CASE WHEN importance > $4 THEN importance ELSE $4 END WHERE id = $1",
                    values![&known.id, now, new.expires, new.importance],
                )?;
                return Ok(Added::Known(known.id));
            }
            let memory = Memory {
                id: new_id(),
                is: new.clone(),
                created: now,
                updated: now,
                version: 1,
                ..Memory::default()
            };
            let seq = insert(conn, &memory)?;
            Ok(Added::New { id: memory.id, seq })
        })
    }

    /// A memory was met again in other words.
    pub fn touch_memory(&mut self, id: &str, now: i64) -> Result<()> {
        self.conn.execute("UPDATE memories SET updated = $2 WHERE id = $1", values![id, now]).map(|_| ())
    }

    /// Changes a memory and keeps the text that was. With `seen`, only when it still has that version. `None` when it is
    /// not there (any more) as the caller saw it; the new number else. A text that another memory has is refused.
    pub fn edit_memory(
        &mut self,
        id: &str,
        seen: Option<i64>,
        new: &NewMemory,
        now: i64,
    ) -> Result<Option<i64>> {
        self.atomically(|conn| {
            conn.order_lock("memories")?;
            let Some(old) = one(conn, "id = $1", values![id])? else { return Ok(None) };
            if seen.is_some_and(|seen| seen != old.version) {
                return Ok(None);
            }
            let changed = old.is.text != new.text;
            if changed {
                conn.execute(
                    "INSERT INTO memory_versions (id, version, text, until) VALUES ($1, $2, $3, $4)",
                    values![id, old.version, &old.is.text, now],
                )?;
            }
            conn.execute("DELETE FROM memories WHERE id = $1", values![id])?;
            let version = old.version + i64::from(changed);
            insert(conn, &Memory { is: new.clone(), updated: now, version, ..old }).map(Some)
        })
    }

    /// Forgets memories with all that belongs to them. The number that were there.
    pub fn forget_memories(&mut self, ids: &[String]) -> Result<u64> {
        self.atomically(|conn| {
            let mut gone = 0;
            for id in ids {
                gone += conn.execute("DELETE FROM memories WHERE id = $1", values![id])?;
                conn.execute("DELETE FROM memory_versions WHERE id = $1", values![id])?;
                conn.execute("DELETE FROM memory_links WHERE source = $1 OR target = $1", values![id])?;
            }
            Ok(gone)
        })
    }

    /// Memories whose id begins like this; at most two, so that the caller sees whether it is one.
    pub fn find_memory(&mut self, prefix: &str) -> Result<Vec<Memory>> {
        let plain: String = prefix.chars().filter(|c| c.is_ascii_hexdigit() || *c == '-').collect();
        if plain.len() != prefix.len() || plain.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!("SELECT {COLUMNS} FROM memories WHERE id LIKE $1 ORDER BY id LIMIT 2");
        Ok(self.conn.query(&sql, values![&format!("{plain}%")])?.iter().map(read).collect())
    }

    /// Memories by what they are, the last changed first.
    pub fn list_memories(&mut self, filter: &MemoryFilter, now: i64) -> Result<Vec<Memory>> {
        let tag = filter.tag.as_ref().map(|tag| format!("% {} %", tag.replace(['%', '_'], "")));
        let sql = format!(
            "SELECT {COLUMNS} FROM memories WHERE (expires IS NULL OR expires > $1) AND (CAST($2 AS TEXT) IS NULL OR kind = $2) \
             AND (CAST($3 AS TEXT) IS NULL OR scope = $3) AND (CAST($4 AS TEXT) IS NULL OR place = $4) \
             AND (CAST($5 AS TEXT) IS NULL OR ' ' || tags || ' ' LIKE $5) ORDER BY updated DESC, seq DESC LIMIT $6"
        );
        let values = values![
            now,
            filter.kind.as_ref(),
            filter.scope.as_ref(),
            filter.place.as_ref(),
            tag.as_ref(),
            filter.limit
        ];
        Ok(self.conn.query(&sql, values)?.iter().map(read).collect())
    }

    /// The memories that are parts of this file.
    pub fn memories_of(&mut self, origin: &str) -> Result<Vec<Memory>> {
        let sql = format!("SELECT {COLUMNS} FROM memories WHERE origin = $1 AND origin <> '' ORDER BY seq");
        Ok(self.conn.query(&sql, values![origin])?.iter().map(read).collect())
    }

    /// Memories per kind and scope.
    pub fn count_memories(&mut self) -> Result<Vec<(String, String, i64)>> {
        let sql = "SELECT kind, scope, COUNT(*) FROM memories GROUP BY kind, scope ORDER BY kind, scope";
        let rows = self.conn.query(sql, &[])?;
        Ok(rows.iter().map(|row| (at(row, 0).text(), at(row, 1).text(), at(row, 2).int())).collect())
    }

    /// The texts that a memory had, the oldest first.
    pub fn memory_versions(&mut self, id: &str) -> Result<Vec<Previous>> {
        let sql = "SELECT version, text, until FROM memory_versions WHERE id = $1 ORDER BY version";
        let read = |row: &Row| Previous {
            version: at(row, 0).int(),
            text: at(row, 1).text(),
            until: at(row, 2).int(),
        };
        Ok(self.conn.query(sql, values![id])?.iter().map(read).collect())
    }

    /// Links two memories: `source` and `target` by id.
    pub fn link_memories(&mut self, source: &str, target: &str, kind: &str) -> Result<()> {
        let sql =
            "INSERT INTO memory_links (source, target, kind) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        self.conn.execute(sql, values![source, target, kind]).map(|_| ())
    }

    /// What a memory is linked with: the other's id and the kind.
    pub fn memory_links(&mut self, id: &str) -> Result<Vec<(String, String)>> {
        let sql = "SELECT target, kind FROM memory_links WHERE source = $1 \
                   UNION SELECT source, kind FROM memory_links WHERE target = $1 ORDER BY 1, 2";
        let rows = self.conn.query(sql, values![id])?;
        Ok(rows.iter().map(|row| (at(row, 0).text(), at(row, 1).text())).collect())
    }

    /// Memories were shown.
    pub fn use_memories(&mut self, ids: &[String], now: i64) -> Result<()> {
        self.atomically(|conn| {
            for id in ids {
                let sql = "UPDATE memories SET uses = uses + 1, used = $2 WHERE id = $1";
                conn.execute(sql, values![id, now])?;
            }
            Ok(())
        })
    }
}
