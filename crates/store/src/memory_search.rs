//! Search in memories: by words (FTS5, PostgreSQL's text search), and the vectors that a nearest-neighbour scan reads.

use crate::error::Result;
use crate::memories::{COLUMNS, Memory};
use crate::row::{FromRow, Row};
use crate::value::{Value, values};
use crate::{Backend, Store};
use std::collections::HashSet;

/// Whose memories a search sees: the user's, those of one project and those of one agent; or all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Every memory.
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
    /// How well it matches; higher is better, comparable within one search only.
    pub score: f64,
}

/// A vector with the columns that a scan needs.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredVector {
    /// Its number in the order of vectors.
    pub number: i64,
    /// The memory.
    pub seq: i64,
    /// The memory's scope.
    pub scope: String,
    /// The memory's place.
    pub place: String,
    /// The factor of its numbers.
    pub scale: f32,
    /// A signed byte per dimension.
    pub numbers: Vec<u8>,
}

/// The state that files derived from the store are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryState {
    /// The id of this database.
    pub store: String,
    /// The number of the newest vector of the model.
    pub newest: i64,
    /// The number of the newest memory.
    pub newest_memory: i64,
}

/// The most words of a search.
const MAX_WORDS: usize = 24;
/// The most rows that one search ranks; the most common words are dropped until it fits.
const MAX_RANKED_ROWS: i64 = 5_000;
/// A word in more memories than this is ignored, however many there are: counting and ranking them costs more than so
/// common a word contributes.
const MAX_WORD_DOCUMENTS: i64 = 5_000;
/// Rows of the index that are ranked before their reach is checked; all rows are checked when these are too few.
const INDEX_FIRST_ROWS: i64 = 400;

/// The condition that a memory is in reach: parameters 2 to 5.
const REACH: &str = "(m.scope = 'user' OR (m.scope = 'project' AND m.place = $2) OR (m.scope = 'agent' AND m.place = $3) \
                     OR CAST($4 AS BIGINT) = 1) AND (m.expires IS NULL OR m.expires > $5)";

impl FromRow for TextHit {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let (seq, millionths): (i64, i64) = FromRow::from_row(row)?;
        Ok(Self { seq, score: millionths as f64 / 1e6 })
    }
}

/// By position: a scan reads up to a million vectors.
impl FromRow for StoredVector {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let (number, seq, scope, place, scale, numbers): (_, _, _, _, i64, _) = FromRow::from_row(row)?;
        Ok(Self { number, seq, scope, place, scale: f32::from_bits(scale as u32), numbers })
    }
}

impl Store {
    /// The memories that match these words best, the best first. Words are letters and digits only; those that occur in
    /// more than a twentieth of `documents` are ignored.
    pub fn search_memories(
        &mut self,
        words: &[String],
        documents: i64,
        reach: &Reach,
        limit: i64,
        now: i64,
    ) -> Result<Vec<TextHit>> {
        let common = (documents / 20).clamp(5, MAX_WORD_DOCUMENTS);
        let mut counted: Vec<(i64, &String)> = Vec::new();
        for word in words.iter().filter(|word| is_plain(word)).take(MAX_WORDS) {
            let count = self.documents_with(word, common + 1)?;
            if (1..=common).contains(&count) {
                counted.push((count, word));
            }
        }
        counted.sort();
        let mut rows = 0;
        counted.retain(|(count, _)| {
            rows += count;
            rows <= MAX_RANKED_ROWS
        });
        if counted.is_empty() {
            return Ok(Vec::new());
        }
        let (sql, query) = match self.backend {
            Backend::Sqlite => {
                let query: Vec<String> = counted.iter().map(|(_, word)| format!("\"{word}\"")).collect();
                let query = query.join(" OR ");
                if let Some(found) = self.search_index_first(&query, reach, limit, now)? {
                    return Ok(found);
                }
                let sql = format!(
                    "SELECT m.seq, CAST(-1e6 * rank AS INTEGER) FROM memory_words JOIN memories m \
                     ON m.seq = memory_words.rowid WHERE memory_words MATCH $1 AND {REACH} ORDER BY rank LIMIT $6"
                );
                (sql, query)
            }
            Backend::Postgres => ranked_statement(&counted, documents),
        };
        let values = values![&query, &reach.project, &reach.agent, i64::from(reach.all), now, limit];
        self.conn.all(&sql, values)
    }

    /// The best of the index's own ranking that are in reach: usually enough, and no other row is read. `None` when too
    /// many are out of reach.
    fn search_index_first(
        &mut self,
        query: &str,
        reach: &Reach,
        limit: i64,
        now: i64,
    ) -> Result<Option<Vec<TextHit>>> {
        let sql = "SELECT rowid, CAST(-1e6 * rank AS INTEGER) FROM memory_words WHERE memory_words MATCH $1 \
                   ORDER BY rank LIMIT $2";
        let mut hits: Vec<TextHit> = self.conn.all(sql, values![query, INDEX_FIRST_ROWS])?;
        let all = (hits.len() as i64) < INDEX_FIRST_ROWS;
        let list: Vec<String> = hits.iter().map(|hit| hit.seq.to_string()).collect();
        let sql = format!(
            "SELECT m.seq FROM memories m WHERE m.seq IN ({}) AND CAST($1 AS BIGINT) = 0 AND {REACH}",
            list.join(",")
        );
        let values = values![0, &reach.project, &reach.agent, i64::from(reach.all), now];
        let in_reach: HashSet<i64> = self.conn.all(&sql, values)?.into_iter().collect();
        hits.retain(|hit| in_reach.contains(&hit.seq));
        let enough = all || hits.len() as i64 >= limit;
        hits.truncate(limit.max(0) as usize);
        Ok(enough.then_some(hits))
    }

    /// How many memories have a word; counting stops at `limit`.
    fn documents_with(&mut self, word: &str, limit: i64) -> Result<i64> {
        match self.backend {
            Backend::Sqlite => self.conn.one(
                "SELECT COUNT(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH $1 LIMIT $2)",
                values![&format!("\"{word}\""), limit],
            ),
            Backend::Postgres => self.conn.one(
                "SELECT COUNT(*) FROM (SELECT 1 FROM memories WHERE words @@ to_tsquery('english', $1) LIMIT $2) AS found",
                values![&format!("'{word}'"), limit],
            ),
        }
    }

    /// Memories by their numbers, if they are in reach; in no particular order.
    pub fn memories_by_seq(&mut self, seqs: &[i64], reach: &Reach, now: i64) -> Result<Vec<Memory>> {
        if seqs.is_empty() {
            return Ok(Vec::new());
        }
        // Numbers only, so they may be part of the statement.
        let list: Vec<String> = seqs.iter().map(ToString::to_string).collect();
        let sql = format!(
            "SELECT {COLUMNS} FROM memories m WHERE m.seq IN ({}) AND CAST($1 AS BIGINT) = 0 AND {REACH}",
            list.join(",")
        );
        let values = values![0, &reach.project, &reach.agent, i64::from(reach.all), now];
        self.conn.all(&sql, values)
    }

    /// The state that files derived from the store are compared with.
    pub fn memory_state(&mut self, model: &str) -> Result<MemoryState> {
        let (store, newest, newest_memory): (String, Option<i64>, Option<i64>) = self.conn.one(
            "SELECT (SELECT id FROM memory_store), (SELECT number FROM memory_vectors WHERE model = $1 \
             ORDER BY number DESC LIMIT 1), (SELECT MAX(seq) FROM memories)",
            values![model],
        )?;
        Ok(MemoryState { store, newest: newest.unwrap_or(0), newest_memory: newest_memory.unwrap_or(0) })
    }

    /// True when there are any memories.
    pub fn has_memories(&mut self) -> Result<bool> {
        self.conn.exists("SELECT seq FROM memories LIMIT 1", &[])
    }

    /// How many memories there are; counting stops where more would not change a search.
    pub fn documents(&mut self) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM memories LIMIT $1) AS found";
        self.conn.one(sql, values![20 * MAX_WORD_DOCUMENTS])
    }

    /// The vectors of a model after a number, in order.
    pub fn vectors_after(&mut self, model: &str, number: i64, limit: i64) -> Result<Vec<StoredVector>> {
        let sql = "SELECT v.number, v.seq, m.scope, m.place, v.scale, v.vector FROM memory_vectors v \
                   JOIN memories m ON m.seq = v.seq WHERE v.model = $1 AND v.number > $2 ORDER BY v.number LIMIT $3";
        self.conn.all(sql, values![model, number, limit])
    }

    /// How many vectors of a model there are.
    pub fn count_vectors(&mut self, model: &str) -> Result<i64> {
        self.conn.one("SELECT COUNT(*) FROM memory_vectors WHERE model = $1", values![model])
    }

    /// How many vectors there are of each model, the most first.
    pub fn vector_models(&mut self) -> Result<Vec<(String, i64)>> {
        let sql = "SELECT model, COUNT(*) FROM memory_vectors GROUP BY model ORDER BY 2 DESC, 1";
        self.conn.all(sql, &[])
    }

    /// Memories without a vector of the model: number and text, the newest first, below a number.
    pub fn without_vector(&mut self, model: &str, below: i64, limit: i64) -> Result<Vec<(i64, String)>> {
        let sql = "SELECT m.seq, m.text FROM memories m WHERE m.seq < $2 AND NOT EXISTS \
                   (SELECT 1 FROM memory_vectors v WHERE v.seq = m.seq AND v.model = $1) ORDER BY m.seq DESC LIMIT $3";
        self.conn.all(sql, values![model, below, limit])
    }

    /// Stores vectors of a model: number of the memory, scale, a signed byte per dimension. Vectors of memories that no
    /// longer exist are dropped.
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

    /// Removes the vectors of other models; returns the number of rows.
    pub fn drop_vectors_but(&mut self, model: &str) -> Result<u64> {
        self.conn.execute("DELETE FROM memory_vectors WHERE model <> $1", values![model])
    }

    /// Removes the vectors of a model, so that they are rebuilt; returns the number of rows.
    pub fn drop_vectors_of(&mut self, model: &str) -> Result<u64> {
        self.conn.execute("DELETE FROM memory_vectors WHERE model = $1", values![model])
    }
}

/// PostgreSQL's statement and query for words with their counts. The server's rank ignores how rare a word is: each word
/// is weighted by its rarity, and the server's rank decides between equals.
fn ranked_statement(counted: &[(i64, &String)], documents: i64) -> (String, String) {
    let documents = documents.max(1) as f64;
    let weight = |count: i64| (1.0 + documents / count as f64).ln();
    let terms: Vec<String> = counted
        .iter()
        .map(|(count, word)| {
            let matches = format!("m.words @@ to_tsquery('english', '''{word}''')");
            format!("{:.4} * CAST({matches} AS INT)", weight(*count))
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

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.len() <= 64 && word.chars().all(char::is_alphanumeric)
}
