//! Finding memories: by their words (FTS5, PostgreSQL's text search), and the vectors that a scan is made from.

use crate::error::Result;
use crate::memories::{COLUMNS, Memory, read};
use crate::value::{Row, Value, at, values};
use crate::{Backend, Store};
use std::collections::HashSet;

/// Whose memories a search sees: the user's, those of one project and those of one agent; or all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Every memory there is.
    pub all: bool,
    /// The project.
    pub project: String,
    /// The agent.
    pub agent: String,
}

/// A memory found by its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// Its number.
    pub seq: i64,
    /// How well it fits; higher is better, comparable within one search only.
    pub score: f64,
}

/// A vector with what a scan needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredVector {
    /// Its place in the order of vectors.
    pub number: i64,
    /// The memory.
    pub seq: i64,
    /// The memory's scope.
    pub scope: String,
    /// The memory's place.
    pub place: String,
    /// What one of its numbers is worth.
    pub scale: f32,
    /// A signed byte per dimension.
    pub numbers: Vec<u8>,
}

/// What files derived from the store are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryState {
    /// Tells this database from others.
    pub store: String,
    /// The number of the newest vector of the model.
    pub newest: i64,
    /// The number of the newest memory: at least as many were kept.
    pub newest_memory: i64,
}

/// Most words of a search.
const MOST_WORDS: usize = 24;
/// Most rows that one search ranks: common words are left out until it fits.
const MOST_ROWS: i64 = 5_000;
/// A word in more memories than this takes no part, however many there are: counting and ranking them costs more than
/// what so common a word says.
const MOST_COMMON: i64 = 5_000;
/// Rows that are ranked without a look at whose they are, before all of them are looked at.
const FIRST_LOOK: i64 = 400;

/// The condition that a memory is in reach: parameters 2 to 5.
const REACH: &str = "(m.scope = 'user' OR (m.scope = 'project' AND m.place = $2) OR (m.scope = 'agent' AND m.place = $3) \
                     OR CAST($4 AS BIGINT) = 1) AND (m.expires IS NULL OR m.expires > $5)";

impl Store {
    /// The memories that fit these words best, the best first. Words are letters and digits only; those that stand in
    /// more than a twentieth of `documents` take no part.
    pub fn search_memories(
        &mut self,
        words: &[String],
        documents: i64,
        reach: &Reach,
        limit: i64,
        now: i64,
    ) -> Result<Vec<TextHit>> {
        let common = (documents / 20).clamp(5, MOST_COMMON);
        let mut counted: Vec<(i64, &String)> = Vec::new();
        for word in words.iter().filter(|word| is_plain(word)).take(MOST_WORDS) {
            let count = self.documents_with(word, common + 1)?;
            if (1..=common).contains(&count) {
                counted.push((count, word));
            }
        }
        counted.sort();
        let mut rows = 0;
        counted.retain(|(count, _)| {
            rows += count;
            rows <= MOST_ROWS
        });
        if counted.is_empty() {
            return Ok(Vec::new());
        }
        let (sql, query) = match self.backend {
            Backend::Sqlite => {
                let query: Vec<String> = counted.iter().map(|(_, word)| format!("\"{word}\"")).collect();
                if let Some(found) = self.first_look(&query.join(" OR "), reach, limit, now)? {
                    return Ok(found);
                }
                let sql = format!(
                    "SELECT m.seq, CAST(-1e6 * rank AS INTEGER) FROM memory_words JOIN memories m \
                     ON m.seq = memory_words.rowid WHERE memory_words MATCH $1 AND {REACH} ORDER BY rank LIMIT $6"
                );
                (sql, query.join(" OR "))
            }
            Backend::Postgres => {
                // The server's rank knows nothing of rare words: each word counts by how rare it is, and the
                // server's rank decides between equals.
                let documents = documents.max(1) as f64;
                let weight = |count: i64| (1.0 + documents / count as f64).ln();
                let terms: Vec<String> = counted
                    .iter()
                    .map(|(count, word)| {
                        format!(
                            "{:.4} * CAST(m.words @@ to_tsquery('english', '''{word}''') AS INT)",
                            weight(*count)
                        )
                    })
                    .collect();
                let score = format!(
                    "CAST(1e6 * ({} + 0.1 * ts_rank(m.words, to_tsquery('english', $1), 1)) AS BIGINT)",
                    terms.join(" + ")
                );
                let sql = format!(
                    "SELECT m.seq, {score} FROM memories m WHERE m.words @@ to_tsquery('english', $1) AND {REACH} \
                     ORDER BY 2 DESC, m.seq DESC LIMIT $6"
                );
                let query: Vec<String> = counted.iter().map(|(_, word)| format!("'{word}'")).collect();
                (sql, query.join(" | "))
            }
        };
        let values = values![&query, &reach.project, &reach.agent, i64::from(reach.all), now, limit];
        let hit = |row: &Row| TextHit { seq: at(row, 0).int(), score: at(row, 1).int() as f64 / 1e6 };
        Ok(self.conn.query(&sql, values)?.iter().map(hit).collect())
    }

    /// The best of the index's own ranking, those out of reach left out: most of the time that is enough, and no row of
    /// the others is read. `None` when too many are out of reach.
    fn first_look(
        &mut self,
        query: &str,
        reach: &Reach,
        limit: i64,
        now: i64,
    ) -> Result<Option<Vec<TextHit>>> {
        let sql = "SELECT rowid, CAST(-1e6 * rank AS INTEGER) FROM memory_words WHERE memory_words MATCH $1 \
                   ORDER BY rank LIMIT $2";
        let rows = self.conn.query(sql, values![query, FIRST_LOOK])?;
        let mut found: Vec<TextHit> = rows
            .iter()
            .map(|row| TextHit { seq: at(row, 0).int(), score: at(row, 1).int() as f64 / 1e6 })
            .collect();
        let list: Vec<String> = found.iter().map(|hit| hit.seq.to_string()).collect();
        let sql = format!(
            "SELECT m.seq FROM memories m WHERE m.seq IN ({}) AND CAST($1 AS BIGINT) = 0 AND {REACH}",
            list.join(",")
        );
        let values = values![0, &reach.project, &reach.agent, i64::from(reach.all), now];
        let mine: HashSet<i64> = self.conn.query(&sql, values)?.iter().map(|row| at(row, 0).int()).collect();
        let all = (rows.len() as i64) < FIRST_LOOK;
        found.retain(|hit| mine.contains(&hit.seq));
        let enough = all || found.len() as i64 >= limit;
        found.truncate(limit.max(0) as usize);
        Ok(enough.then_some(found))
    }

    /// How many memories have a word; counting stops at `most`.
    fn documents_with(&mut self, word: &str, most: i64) -> Result<i64> {
        let rows = match self.backend {
            Backend::Sqlite => self.conn.query(
                "SELECT COUNT(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH $1 LIMIT $2)",
                values![&format!("\"{word}\""), most],
            )?,
            Backend::Postgres => self.conn.query(
                "SELECT COUNT(*) FROM (SELECT 1 FROM memories WHERE words @@ to_tsquery('english', $1) LIMIT $2) AS found",
                values![&format!("'{word}'"), most],
            )?,
        };
        Ok(rows.first().map_or(0, |row| at(row, 0).int()))
    }

    /// Memories by their numbers, as far as they are in reach; in no particular order.
    pub fn memories_by_seq(&mut self, seqs: &[i64], reach: &Reach, now: i64) -> Result<Vec<Memory>> {
        if seqs.is_empty() {
            return Ok(Vec::new());
        }
        // Numbers, so they may stand in the statement.
        let list: Vec<String> = seqs.iter().map(ToString::to_string).collect();
        let sql = format!(
            "SELECT {COLUMNS} FROM memories m WHERE m.seq IN ({}) AND CAST($1 AS BIGINT) = 0 AND {REACH}",
            list.join(",")
        );
        let values = values![0, &reach.project, &reach.agent, i64::from(reach.all), now];
        Ok(self.conn.query(&sql, values)?.iter().map(read).collect())
    }

    /// What files derived from the store are compared with.
    pub fn memory_state(&mut self, model: &str) -> Result<MemoryState> {
        let rows = self.conn.query(
            "SELECT (SELECT id FROM memory_store), (SELECT number FROM memory_vectors WHERE model = $1 \
             ORDER BY number DESC LIMIT 1), (SELECT MAX(seq) FROM memories)",
            values![model],
        )?;
        let row = rows.first();
        Ok(MemoryState {
            store: row.map_or_else(String::new, |row| at(row, 0).text()),
            newest: row.map_or(0, |row| at(row, 1).int()),
            newest_memory: row.map_or(0, |row| at(row, 2).int()),
        })
    }

    /// True when there is a memory.
    pub fn has_memories(&mut self) -> Result<bool> {
        Ok(!self.conn.query("SELECT seq FROM memories LIMIT 1", &[])?.is_empty())
    }

    /// How many memories there are; counting stops where more make no difference to a search.
    pub fn documents(&mut self) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM memories LIMIT $1) AS found";
        let rows = self.conn.query(sql, values![20 * MOST_COMMON])?;
        Ok(rows.first().map_or(0, |row| at(row, 0).int()))
    }

    /// The vectors of a model behind a number, in order.
    pub fn vectors_after(&mut self, model: &str, number: i64, limit: i64) -> Result<Vec<StoredVector>> {
        let sql = "SELECT v.number, v.seq, m.scope, m.place, v.scale, v.vector FROM memory_vectors v \
                   JOIN memories m ON m.seq = v.seq WHERE v.model = $1 AND v.number > $2 ORDER BY v.number LIMIT $3";
        let read = |row: &Row| StoredVector {
            number: at(row, 0).int(),
            seq: at(row, 1).int(),
            scope: at(row, 2).text(),
            place: at(row, 3).text(),
            scale: f32::from_bits(at(row, 4).int() as u32),
            numbers: at(row, 5).bytes().to_vec(),
        };
        Ok(self.conn.query(sql, values![model, number, limit])?.iter().map(read).collect())
    }

    /// How many vectors of a model there are.
    pub fn count_vectors(&mut self, model: &str) -> Result<i64> {
        let rows = self.conn.query("SELECT COUNT(*) FROM memory_vectors WHERE model = $1", values![model])?;
        Ok(rows.first().map_or(0, |row| at(row, 0).int()))
    }

    /// How many vectors there are of each model, the most first.
    pub fn vector_models(&mut self) -> Result<Vec<(String, i64)>> {
        let sql = "SELECT model, COUNT(*) FROM memory_vectors GROUP BY model ORDER BY 2 DESC, 1";
        let rows = self.conn.query(sql, &[])?;
        Ok(rows.iter().map(|row| (at(row, 0).text(), at(row, 1).int())).collect())
    }

    /// Memories that the model has made no vector of yet: number and text, the newest first, from below a number on.
    pub fn without_vector(&mut self, model: &str, below: i64, limit: i64) -> Result<Vec<(i64, String)>> {
        let sql = "SELECT m.seq, m.text FROM memories m WHERE m.seq < $2 AND NOT EXISTS \
                   (SELECT 1 FROM memory_vectors v WHERE v.seq = m.seq AND v.model = $1) ORDER BY m.seq DESC LIMIT $3";
        let rows = self.conn.query(sql, values![model, below, limit])?;
        Ok(rows.iter().map(|row| (at(row, 0).int(), at(row, 1).text())).collect())
    }

    /// Keeps vectors of a model: number of the memory, scale, a signed byte per dimension. Those of memories that are
    /// gone by now are dropped.
    pub fn put_vectors(&mut self, model: &str, vectors: &[(i64, f32, Vec<u8>)]) -> Result<()> {
        self.atomically(|conn| {
            conn.order_lock("memory_vectors")?;
            for (seq, scale, numbers) in vectors {
                conn.execute(
                    "INSERT INTO memory_vectors (seq, model, scale, vector) SELECT seq, $2, $3, $4 FROM memories \
                     WHERE seq = $1 ON CONFLICT (seq, model) DO NOTHING",
                    &[
                        Value::Int(*seq),
                        Value::from(model),
                        Value::Int(i64::from(scale.to_bits())),
                        Value::Bytes(numbers.clone()),
                    ],
                )?;
            }
            Ok(())
        })
    }

    /// Removes the vectors of other models; the number of rows.
    pub fn drop_vectors_but(&mut self, model: &str) -> Result<u64> {
        self.conn.execute("DELETE FROM memory_vectors WHERE model <> $1", values![model])
    }

    /// Removes the vectors of a model, so that they are made anew; the number of rows.
    pub fn drop_vectors_of(&mut self, model: &str) -> Result<u64> {
        self.conn.execute("DELETE FROM memory_vectors WHERE model = $1", values![model])
    }
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.len() <= 64 && word.chars().all(char::is_alphanumeric)
}
