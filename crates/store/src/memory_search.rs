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

/// What a model has stored of a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelVector {
    /// The memory.
    pub seq: i64,
    /// True for the second of two models.
    pub is_second: bool,
    /// The factor of its numbers.
    pub scale: f32,
    /// What is stored: a signed byte per dimension, or packed tokens.
    pub bytes: Vec<u8>,
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
/// From this many memories on, a server's own estimate says how common a word is, and it ranks a bounded part: to count or
/// rank all of them reads a page of the table for each.
const ESTIMATE_FROM: i64 = 20_000;
/// The most rows that are ranked because of one word, and because of two.
const MAX_ROWS_PER_WORD: i64 = 200;
/// So many words are looked for, the rarest, alone and in pairs.
const MAX_PAIRED_WORDS: usize = 8;
/// Rows of the index that are ranked before their reach is checked; all rows are checked when these are too few.
const INDEX_FIRST_ROWS: i64 = 400;

/// The condition that a memory is in reach: parameters 2 to 5.
const REACH: &str = "(m.scope = 'user' OR (m.scope = 'project' AND m.place = $2) OR (m.scope = 'agent' AND m.place = $3) \
                     OR CAST($4 AS BIGINT) = 1) AND (m.expires IS NULL OR m.expires > $5) AND m.valid_until IS NULL \
                     AND m.quarantine = ''";

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

impl FromRow for ModelVector {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let (seq, is_second, scale, bytes): (_, i64, i64, _) = FromRow::from_row(row)?;
        Ok(Self { seq, is_second: is_second == 1, scale: f32::from_bits(scale as u32), bytes })
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
        let words: Vec<&String> = words.iter().filter(|word| is_plain(word)).take(MAX_WORDS).collect();
        let values = |query: &str| {
            values![query, &reach.project, &reach.agent, i64::from(reach.all), now, limit].to_vec()
        };
        if self.backend == Backend::Postgres && documents >= ESTIMATE_FROM {
            let counts = self.estimate_documents_with(&words)?;
            let mut counted: Vec<(i64, &String)> = counts.into_iter().zip(words).collect();
            counted.retain(|(count, _)| *count <= documents / 20);
            counted.sort();
            counted.truncate(MAX_PAIRED_WORDS);
            if counted.is_empty() {
                return Ok(Vec::new());
            }
            let (sql, query) = bounded_statement(&counted, documents);
            return self.conn.all(&sql, &values(&query));
        }
        let common = (documents / 20).clamp(5, MAX_WORD_DOCUMENTS);
        let counts = self.documents_with(&words, common + 1)?;
        let mut counted: Vec<(i64, &String)> = counts.into_iter().zip(words).collect();
        counted.retain(|(count, _)| (1..=common).contains(count));
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
        self.conn.all(&sql, &values(&query))
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

    /// How many memories have each of these words; counting stops at `limit`. A server is asked once for all of them.
    fn documents_with(&mut self, words: &[&String], limit: i64) -> Result<Vec<i64>> {
        if self.backend == Backend::Sqlite {
            let sql =
                "SELECT COUNT(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH $1 LIMIT $2)";
            return words
                .iter()
                .map(|word| self.conn.one(sql, values![&format!("\"{word}\""), limit]))
                .collect();
        }
        // Letters and digits only, so they may be part of the statement.
        let of = |(number, word): (usize, &&String)| {
            format!(
                "SELECT CAST({number} AS BIGINT), COUNT(*) FROM (SELECT 1 FROM memories \
                 WHERE words @@ to_tsquery('english', '''{word}''') LIMIT $1) AS found"
            )
        };
        let parts: Vec<String> = words.iter().enumerate().map(of).collect();
        if parts.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!("{} ORDER BY 1", parts.join(" UNION ALL "));
        let counts: Vec<(i64, i64)> = self.conn.all(&sql, values![limit])?;
        Ok(counts.into_iter().map(|(_, count)| count).collect())
    }

    /// The same as a server estimates it, from the statistics that it keeps of the words.
    fn estimate_documents_with(&mut self, words: &[&String]) -> Result<Vec<i64>> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let of = |word: &&String| {
            format!("SELECT 1 FROM memories WHERE words @@ to_tsquery('english', '''{word}''')")
        };
        let parts: Vec<String> = words.iter().map(of).collect();
        let plan: Vec<String> = self.conn.all(&format!("EXPLAIN {}", parts.join(" UNION ALL ")), &[])?;
        let counts: Vec<i64> = plan.iter().filter_map(|line| planned_rows(line)).collect();
        // A plan that is put together in another way says nothing.
        if counts.len() == words.len() { Ok(counts) } else { self.documents_with(words, MAX_WORD_DOCUMENTS) }
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
        // The numbers first, from the index by model: by number alone, a server reads all rows of other models in between.
        let sql = "WITH page AS MATERIALIZED (SELECT number FROM memory_vectors WHERE model = $1 AND number > $2 \
                   ORDER BY number LIMIT $3) SELECT v.number, v.seq, m.scope, m.place, v.scale, v.vector FROM page \
                   JOIN memory_vectors v ON v.number = page.number JOIN memories m ON m.seq = v.seq ORDER BY v.number";
        self.conn.all(sql, values![model, number, limit])
    }

    /// What two models have stored of these memories, in no particular order.
    pub fn vectors_of(&mut self, models: [&str; 2], seqs: &[i64]) -> Result<Vec<ModelVector>> {
        if seqs.is_empty() {
            return Ok(Vec::new());
        }
        // Numbers only, so they may be part of the statement.
        let list: Vec<String> = seqs.iter().map(ToString::to_string).collect();
        let sql = format!(
            "SELECT seq, CAST(CASE WHEN model = $2 THEN 1 ELSE 0 END AS BIGINT), scale, vector FROM memory_vectors \
             WHERE seq IN ({}) AND model IN ($1, $2)",
            list.join(",")
        );
        let [first, second] = models;
        self.conn.all(&sql, values![first, second])
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

    /// Memories without a vector of the model: number and text, the newest first, below a number. They are looked for in
    /// parts: among a million, one statement would take longer than a statement may.
    pub fn without_vector(&mut self, model: &str, below: i64, limit: i64) -> Result<Vec<(i64, String)>> {
        const PART: i64 = 50_000;
        let newest: Option<i64> =
            self.conn.one("SELECT MAX(seq) FROM memories WHERE seq < $1", values![below])?;
        let mut below = newest.map_or(0, |seq| seq + 1);
        let mut found: Vec<(i64, String)> = Vec::new();
        while below > 0 && (found.len() as i64) < limit {
            let from = (below - PART).max(0);
            let sql = "SELECT m.seq, m.text FROM memories m WHERE m.seq < $2 AND m.seq >= $3 AND NOT EXISTS \
                       (SELECT 1 FROM memory_vectors v WHERE v.seq = m.seq AND v.model = $1) \
                       ORDER BY m.seq DESC LIMIT $4";
            let left = limit - found.len() as i64;
            found.extend(self.conn.all::<(i64, String)>(sql, values![model, below, from, left])?);
            below = from;
        }
        Ok(found)
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

    /// Removes the vectors of other models than these two; returns the number of rows.
    pub fn drop_vectors_but(&mut self, models: [&str; 2]) -> Result<u64> {
        let [first, second] = models;
        self.conn.execute("DELETE FROM memory_vectors WHERE model NOT IN ($1, $2)", values![first, second])
    }

    /// Removes the vectors of a model, so that they are rebuilt; returns the number of rows.
    pub fn drop_vectors_of(&mut self, model: &str) -> Result<u64> {
        self.conn.execute("DELETE FROM memory_vectors WHERE model = $1", values![model])
    }
}

/// The rows that a line of a plan expects of the table of memories.
fn planned_rows(line: &str) -> Option<i64> {
    let (_, estimate) = line.split_once("Scan on memories ")?;
    let (_, rows) = estimate.split_once("rows=")?;
    rows.split(' ').next()?.parse().ok()
}

/// PostgreSQL's statement and query for words with their counts.
fn ranked_statement(counted: &[(i64, &String)], documents: i64) -> (String, String) {
    let score = score(counted, documents);
    let sql = format!(
        "SELECT m.seq, {score} FROM memories m WHERE m.words @@ to_tsquery('english', $1) AND {REACH} \
         ORDER BY 2 DESC, m.seq DESC LIMIT $6"
    );
    let query: Vec<String> = counted.iter().map(|(_, word)| format!("'{word}'")).collect();
    (sql, query.join(" | "))
}

/// The same for many memories: some of those that have one of the words, unless it is common, and those that have two.
fn bounded_statement(counted: &[(i64, &String)], documents: i64) -> (String, String) {
    let score = score(counted, documents);
    // Reach is part of each: what is out of reach must not take the place of what is in it.
    let some = |query: &str| {
        format!(
            "(SELECT m.seq FROM memories m WHERE m.words @@ to_tsquery('english', '{}') AND {REACH} \
             LIMIT {MAX_ROWS_PER_WORD})",
            query.replace('\'', "''")
        )
    };
    let alone = counted.iter().filter(|(count, _)| *count <= MAX_WORD_DOCUMENTS || counted.len() == 1);
    let mut parts: Vec<String> = alone.map(|(_, word)| some(&format!("'{word}'"))).collect();
    let mut pairs = Vec::new();
    for (at, (_, first)) in counted.iter().enumerate() {
        pairs.extend(counted.iter().skip(at + 1).map(|(_, second)| format!("('{first}' & '{second}')")));
    }
    if !pairs.is_empty() {
        parts.push(some(&pairs.join(" | ")));
    }
    let sql = format!(
        "SELECT m.seq, {score} FROM memories m WHERE m.seq IN ({}) ORDER BY 2 DESC, m.seq DESC LIMIT $6",
        parts.join(" UNION ")
    );
    let query: Vec<String> = counted.iter().map(|(_, word)| format!("'{word}'")).collect();
    (sql, query.join(" | "))
}

/// The server's rank ignores how rare a word is: each word is weighted by its rarity, and the server's rank decides
/// between equals.
fn score(counted: &[(i64, &String)], documents: i64) -> String {
    let documents = documents.max(1) as f64;
    let weight = |count: i64| (1.0 + documents / count.max(1) as f64).ln();
    let terms: Vec<String> = counted
        .iter()
        .map(|(count, word)| {
            let matches = format!("m.words @@ to_tsquery('english', '''{word}''')");
            format!("{:.4} * CAST({matches} AS INT)", weight(*count))
        })
        .collect();
    format!(
        "CAST(1e6 * ({} + 0.1 * ts_rank(m.words, to_tsquery('english', $1), 1)) AS BIGINT)",
        terms.join(" + ")
    )
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.len() <= 64 && word.chars().all(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn among_many_memories_words_are_looked_for_alone_and_in_pairs_within_bounds() {
        let words = ["heron", "pond", "count"].map(str::to_owned);
        let counted: Vec<(i64, &String)> = [3, 900, 4_000].into_iter().zip(&words).collect();
        let (sql, query) = bounded_statement(&counted, 1_000_000);
        assert_eq!(query, "'heron' | 'pond' | 'count'");
        let pairs = "(''heron'' & ''pond'') | (''heron'' & ''count'') | (''pond'' & ''count'')";
        assert!(sql.contains(pairs), "{sql}");
        assert_eq!(sql.matches(" LIMIT 200)").count(), 4, "{sql}");
        let common: Vec<(i64, &String)> = [3, 900, 40_000].into_iter().zip(&words).collect();
        let (sql, _) = bounded_statement(&common, 1_000_000);
        assert_eq!(sql.matches(" LIMIT 200)").count(), 3, "a common word counts in pairs: {sql}");
        let (sql, _) = bounded_statement(common.get(2..).unwrap_or_default(), 1_000_000);
        assert_eq!(sql.matches(" LIMIT 200)").count(), 1, "or alone when there is no other: {sql}");
    }

    #[test]
    fn a_plan_says_how_many_rows_it_expects_of_the_table_and_not_of_its_index() {
        let line = "        ->  Bitmap Heap Scan on memories  (cost=57.84..14099.11 rows=4366 width=0)";
        assert_eq!(planned_rows(line), Some(4_366));
        let again = " ->  Seq Scan on memories memories_1  (cost=0.00..1.02 rows=1 width=4)";
        assert_eq!(planned_rows(again), Some(1));
        assert_eq!(
            planned_rows("  ->  Bitmap Index Scan on memories_words  (cost=0.00..56.75 rows=4366 width=0)"),
            None
        );
    }
}
