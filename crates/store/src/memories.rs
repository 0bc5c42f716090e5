//! Memories: one row each, found by id, by text, by origin. An edit keeps the previous text and gives the memory a new
//! number, so that data derived from the old text is known to be stale.

use crate::Store;
use crate::conn::Conn;
use crate::error::Result;
use crate::new_id;
use crate::row::{FromRow, Row, from_row};
use crate::value::{Value, values};
use serde::{Deserialize, Serialize};

/// A memory to be stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMemory {
    /// Its kind: learning, decision, failure, preference, fact, file …
    pub kind: String,
    /// Whom it concerns: `user`, `project`, `agent`.
    pub scope: String,
    /// Which project or agent; empty for `user`.
    pub place: String,
    /// What is remembered.
    pub text: String,
    /// Equal for texts that differ only in whitespace and case.
    pub text_hash: String,
    /// Tags, separated by spaces.
    pub tags: String,
    /// The agent program it came from.
    pub agent: String,
    /// The session it came from.
    pub session: String,
    /// The file it is a part of; empty when there is none.
    pub origin: String,
    /// 1 to 10.
    pub importance: i64,
    /// When it expires.
    pub expires: Option<i64>,
    /// Who made it: `person`, `agent`, `transcript`, `import`; empty for rows from before this was kept.
    #[serde(default)]
    pub source: String,
    /// The project in which it was made.
    #[serde(default)]
    pub project: String,
    /// Since when it holds, when that is not when it was created.
    #[serde(default)]
    pub valid_from: Option<i64>,
    /// Why it is not shown before a person has looked at it; empty when it is shown.
    #[serde(default)]
    pub quarantine: String,
}

/// What a person made.
pub const PERSON: &str = "person";

/// A memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The number of its last change.
    pub seq: i64,
    /// Its id, which never changes.
    pub id: String,
    /// Its content.
    #[serde(flatten)]
    pub is: NewMemory,
    /// When it was created.
    pub created: i64,
    /// When it was last changed or confirmed.
    pub updated: i64,
    /// The version of its text, from 1.
    pub version: i64,
    /// How often it was shown.
    pub uses: i64,
    /// When it was last shown.
    pub used: Option<i64>,
    /// Until when it held; `None` while it does.
    #[serde(default)]
    pub valid_until: Option<i64>,
    /// The memory that took its place.
    #[serde(default)]
    pub superseded_by: String,
}

impl Memory {
    /// Since when it holds.
    pub fn since(&self) -> i64 {
        self.is.valid_from.unwrap_or(self.created)
    }

    /// True when something else took its place.
    pub const fn is_past(&self) -> bool {
        self.valid_until.is_some()
    }
}

/// The result of adding a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is new: its id and number.
    New {
        /// Its id.
        id: String,
        /// Its number.
        seq: i64,
    },
    /// The same text was known and is confirmed; its id.
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
    /// Also those whose place was taken by others.
    pub past: bool,
    /// Those that wait for a person instead of those that are shown.
    pub quarantined: bool,
}

/// A previous version of a memory's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PreviousText {
    /// Its version.
    pub version: i64,
    /// The text.
    pub text: String,
    /// When it was replaced.
    pub until: i64,
}

pub(crate) const COLUMNS: &str = "seq, id, kind, scope, place, text, text_hash, tags, agent, session, origin, \
                                  importance, expires, created, updated, version, uses, used, source, project, \
                                  valid_from, valid_until, superseded_by, quarantine";

impl FromRow for Memory {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            seq: row.get("seq")?,
            id: row.get("id")?,
            is: NewMemory {
                kind: row.get("kind")?,
                scope: row.get("scope")?,
                place: row.get("place")?,
                text: row.get("text")?,
                text_hash: row.get("text_hash")?,
                tags: row.get("tags")?,
                agent: row.get("agent")?,
                session: row.get("session")?,
                origin: row.get("origin")?,
                importance: row.get("importance")?,
                expires: row.get("expires")?,
                source: row.get("source")?,
                project: row.get("project")?,
                valid_from: row.get("valid_from")?,
                quarantine: row.get("quarantine")?,
            },
            valid_until: row.get("valid_until")?,
            superseded_by: row.get("superseded_by")?,
            created: row.get("created")?,
            updated: row.get("updated")?,
            version: row.get("version")?,
            uses: row.get("uses")?,
            used: row.get("used")?,
        })
    }
}

from_row! { PreviousText: version, text, until }

/// Adds a row; returns its number.
fn insert(conn: &mut dyn Conn, memory: &Memory) -> Result<i64> {
    let is = &memory.is;
    conn.one(
        "INSERT INTO memories (id, kind, scope, place, text, text_hash, tags, agent, session, origin, importance, \
         created, updated, expires, version, uses, used, source, project, valid_from, valid_until, superseded_by, \
         quarantine) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
         $21, $22, $23) RETURNING seq",
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
            &is.source,
            &is.project,
            is.valid_from,
            memory.valid_until,
            &memory.superseded_by,
            &is.quarantine,
        ],
    )
}

fn find(conn: &mut dyn Conn, condition: &str, values: &[Value]) -> Result<Option<Memory>> {
    conn.first(&format!("SELECT {COLUMNS} FROM memories WHERE {condition}"), values)
}

/// Adds a memory, unless the same text is known for the same scope and place.
fn add_one(conn: &mut dyn Conn, new: &NewMemory, now: i64) -> Result<Added> {
    let same = "scope = $1 AND place = $2 AND text_hash = $3";
    if let Some(known) = find(conn, same, values![&new.scope, &new.place, &new.text_hash])? {
        // What held once holds again when whoever said it, or a person, says so. An old export does not.
        if new.source == PERSON || (new.source == known.is.source && new.source != "import") {
            conn.execute(
                "UPDATE memories SET valid_until = NULL, superseded_by = '', quarantine = CASE WHEN \
                 CAST($2 AS TEXT) = '' AND source <> 'person' AND CAST($3 AS TEXT) = 'person' THEN '' \
                 ELSE quarantine END WHERE id = $1",
                values![&known.id, &new.quarantine, &new.source],
            )?;
        }
        // Confirmed: the later expiry and the higher importance hold.
        conn.execute(
            "UPDATE memories SET updated = $2, expires = CASE WHEN expires IS NULL OR CAST($3 AS BIGINT) IS NULL THEN NULL \
             WHEN expires > $3 THEN expires ELSE $3 END, \
             importance = CASE WHEN importance > $4 THEN importance ELSE $4 END WHERE id = $1",
            values![&known.id, now, new.expires, new.importance],
        )?;
        return Ok(Added::Known(known.id));
    }
    let memory =
        Memory { id: new_id(), is: new.clone(), created: now, updated: now, version: 1, ..Memory::default() };
    let seq = insert(conn, &memory)?;
    Ok(Added::New { id: memory.id, seq })
}

impl Store {
    /// Stores a memory, unless the same text is known for the same scope and place.
    pub fn add_memory(&mut self, new: &NewMemory, now: i64) -> Result<Added> {
        self.atomically(|conn| {
            conn.order_lock("memories")?;
            add_one(conn, new, now)
        })
    }

    /// Stores memories in one transaction; what became of each, in their order.
    pub fn add_memories(&mut self, new: &[NewMemory], now: i64) -> Result<Vec<Added>> {
        self.atomically(|conn| {
            conn.order_lock("memories")?;
            new.iter().map(|new| add_one(conn, new, now)).collect()
        })
    }

    /// Confirms a memory that was found in other words.
    pub fn touch_memory(&mut self, id: &str, now: i64) -> Result<()> {
        self.conn.execute("UPDATE memories SET updated = $2 WHERE id = $1", values![id, now]).map(|_| ())
    }

    /// Changes a memory and keeps the previous text. With `seen`, only if it still has that version. Returns its new
    /// number, or `None` when it does not exist or has another version. A text that another memory has is rejected.
    pub fn edit_memory(
        &mut self,
        id: &str,
        seen: Option<i64>,
        new: &NewMemory,
        now: i64,
    ) -> Result<Option<i64>> {
        self.atomically(|conn| {
            conn.order_lock("memories")?;
            let Some(old) = find(conn, "id = $1", values![id])? else { return Ok(None) };
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

    /// Deletes memories with their versions and links; returns how many existed.
    pub fn forget_memories(&mut self, ids: &[String]) -> Result<u64> {
        self.atomically(|conn| {
            let mut deleted = 0;
            for id in ids {
                deleted += conn.execute("DELETE FROM memories WHERE id = $1", values![id])?;
                conn.execute("DELETE FROM memory_versions WHERE id = $1", values![id])?;
                conn.execute("DELETE FROM memory_links WHERE source = $1 OR target = $1", values![id])?;
            }
            Ok(deleted)
        })
    }

    /// Memories whose id starts with this; at most two, so that the caller sees whether it is unique.
    pub fn find_memory(&mut self, prefix: &str) -> Result<Vec<Memory>> {
        let plain: String = prefix.chars().filter(|c| c.is_ascii_hexdigit() || *c == '-').collect();
        if plain.len() != prefix.len() || plain.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!("SELECT {COLUMNS} FROM memories WHERE id LIKE $1 ORDER BY id LIMIT 2");
        self.conn.all(&sql, values![&format!("{plain}%")])
    }

    /// Memories that match a filter, the last changed first.
    pub fn list_memories(&mut self, filter: &MemoryFilter, now: i64) -> Result<Vec<Memory>> {
        let tag = filter.tag.as_ref().map(|tag| format!("% {} %", tag.replace(['%', '_'], "")));
        let sql = format!(
            "SELECT {COLUMNS} FROM memories WHERE (expires IS NULL OR expires > $1) AND (CAST($2 AS TEXT) IS NULL OR kind = $2) \
             AND (valid_until IS NULL OR CAST($7 AS BIGINT) = 1) AND (quarantine <> '') = (CAST($8 AS BIGINT) = 1) \
             AND (CAST($3 AS TEXT) IS NULL OR scope = $3) AND (CAST($4 AS TEXT) IS NULL OR place = $4) \
             AND (CAST($5 AS TEXT) IS NULL OR ' ' || tags || ' ' LIKE $5) ORDER BY updated DESC, seq DESC LIMIT $6"
        );
        let values = values![
            now,
            filter.kind.as_ref(),
            filter.scope.as_ref(),
            filter.place.as_ref(),
            tag.as_ref(),
            filter.limit,
            i64::from(filter.past),
            i64::from(filter.quarantined)
        ];
        self.conn.all(&sql, values)
    }

    /// Ends a memory that another takes the place of; false when it is not there or ended before.
    pub fn supersede_memory(&mut self, old: &str, new: &str, now: i64) -> Result<bool> {
        self.atomically(|conn| {
            let ended = conn.execute(
                "UPDATE memories SET valid_until = $3, superseded_by = $2 WHERE id = $1 AND valid_until IS NULL AND id <> $2",
                values![old, new, now],
            )?;
            if ended > 0 {
                conn.execute(
                    "INSERT INTO memory_links (source, target, kind) VALUES ($1, $2, 'supersedes') ON CONFLICT DO NOTHING",
                    values![new, old],
                )?;
            }
            Ok(ended > 0)
        })
    }

    /// Shows a memory that waited for a person; false when it did not wait.
    pub fn release_memory(&mut self, id: &str) -> Result<bool> {
        let sql = "UPDATE memories SET quarantine = '' WHERE id = $1 AND quarantine <> ''";
        Ok(self.conn.execute(sql, values![id])? > 0)
    }

    /// How many memories wait for a person.
    pub fn count_quarantined(&mut self) -> Result<i64> {
        self.conn.one("SELECT COUNT(*) FROM memories WHERE quarantine <> ''", &[])
    }

    /// The memories that are parts of this file.
    pub fn memories_of(&mut self, origin: &str) -> Result<Vec<Memory>> {
        let sql = format!("SELECT {COLUMNS} FROM memories WHERE origin = $1 AND origin <> '' ORDER BY seq");
        self.conn.all(&sql, values![origin])
    }

    /// Memories per kind and scope.
    pub fn count_memories(&mut self) -> Result<Vec<(String, String, i64)>> {
        let sql = "SELECT kind, scope, COUNT(*) FROM memories GROUP BY kind, scope ORDER BY kind, scope";
        self.conn.all(sql, &[])
    }

    /// The previous versions of a memory, the oldest first.
    pub fn memory_versions(&mut self, id: &str) -> Result<Vec<PreviousText>> {
        let sql = "SELECT version, text, until FROM memory_versions WHERE id = $1 ORDER BY version";
        self.conn.all(sql, values![id])
    }

    /// Links two memories: `source` and `target` by id.
    pub fn link_memories(&mut self, source: &str, target: &str, kind: &str) -> Result<()> {
        let sql =
            "INSERT INTO memory_links (source, target, kind) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        self.conn.execute(sql, values![source, target, kind]).map(|_| ())
    }

    /// The links of a memory in both directions: the other's id and the kind.
    pub fn memory_links(&mut self, id: &str) -> Result<Vec<(String, String)>> {
        let sql = "SELECT target, kind FROM memory_links WHERE source = $1 \
                   UNION SELECT source, kind FROM memory_links WHERE target = $1 ORDER BY 1, 2";
        self.conn.all(sql, values![id])
    }

    /// Counts that memories were shown.
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
