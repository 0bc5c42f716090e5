//! The nearest vectors, found by the server: PostgreSQL with pgvector. For a machine that has no vectors' file yet, or one
//! that is far behind. The table is derived from `memory_vectors`, in its order, and made only where the extension is.

use crate::error::Result;
use crate::memory_search::Reach;
use crate::value::{Row, at, values};
use crate::{Backend, Store};
use std::fmt::Write as _;

/// What the server found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nearest {
    /// The memories' numbers and how near they are, the nearest first.
    pub nearest: Vec<(i64, f32)>,
    /// How many were compared.
    pub compared: u64,
    /// The mean of all cosines.
    pub mean: f32,
    /// How much they spread.
    pub deviation: f32,
}

/// Rows per statement when the table is filled.
const PAGE: i64 = 200;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS sprag.memory_pgvectors (\
     number BIGINT PRIMARY KEY REFERENCES sprag.memory_vectors (number) ON DELETE CASCADE, \
     seq BIGINT NOT NULL, model TEXT NOT NULL, scope TEXT NOT NULL, place TEXT NOT NULL, embedding vector NOT NULL); \
     CREATE INDEX IF NOT EXISTS memory_pgvectors_model ON sprag.memory_pgvectors (model, number)";

impl Store {
    /// Brings the server's table up to date for a model, where this database has pgvector; at most so many rows. True
    /// when the table has all.
    pub fn fill_pgvector(&mut self, model: &str, most: i64) -> Result<bool> {
        if self.backend != Backend::Postgres || !self.has_extension()? {
            return Ok(false);
        }
        if !self.has_table()? {
            // Two at once: the one that is late finds it there.
            let made = self.atomically(|conn| {
                conn.migration_lock()?;
                conn.batch(TABLE)
            });
            if made.is_err() {
                // No right to make one, or the extension is out of reach: the local file serves.
                return Ok(false);
            }
        }
        let mut added = 0;
        while added < most {
            let last = self.newest_pgvector(model)?;
            let page = self.vectors_after(model, last, PAGE.min(most - added))?;
            if page.is_empty() {
                return Ok(true);
            }
            let mut rows = String::new();
            for vector in &page {
                let comma = if rows.is_empty() { "" } else { ", " };
                let numbers: Vec<f32> =
                    vector.numbers.iter().map(|x| f32::from(*x as i8) * vector.scale).collect();
                let _ = write!(rows, "{comma}({}, CAST('{}' AS vector))", vector.number, literal(&numbers));
            }
            // Numbers only, so they may stand in the statement.
            let sql = format!(
                "INSERT INTO memory_pgvectors (number, seq, model, scope, place, embedding) \
                 SELECT v.number, v.seq, v.model, m.scope, m.place, x.embedding FROM (VALUES {rows}) AS x (number, embedding) \
                 JOIN memory_vectors v ON v.number = x.number JOIN memories m ON m.seq = v.seq ON CONFLICT DO NOTHING"
            );
            if self.conn.execute(&sql, &[])? == 0 {
                // All of the page are gone, or somebody else is filling it.
                return Ok(false);
            }
            added += page.len() as i64;
        }
        Ok(false)
    }

    /// The nearest memories by the server's own scan; `None` when it has no table with all vectors of the model.
    pub fn nearest_memories(
        &mut self,
        model: &str,
        vector: &[f32],
        reach: &Reach,
        limit: i64,
    ) -> Result<Option<Nearest>> {
        if self.backend != Backend::Postgres || !self.has_table()? {
            return Ok(None);
        }
        let newest = self.memory_state(model)?.newest;
        if newest == 0 || self.newest_pgvector(model)? != newest {
            return Ok(None);
        }
        // The product of two vectors of length 1 is their cosine; pgvector gives it negative. Each is computed once.
        let sql = "WITH near AS MATERIALIZED (SELECT p.seq, -(p.embedding <#> CAST(CAST($5 AS TEXT) AS vector)) AS cosine \
                   FROM memory_pgvectors p WHERE p.model = $1 AND (p.scope = 'user' OR (p.scope = 'project' AND p.place = $2) \
                   OR (p.scope = 'agent' AND p.place = $3) OR CAST($4 AS BIGINT) = 1)), \
                   whole AS (SELECT COUNT(*) AS count, AVG(cosine) AS mean, STDDEV_POP(cosine) AS deviation FROM near) \
                   SELECT near.seq, CAST(1e6 * near.cosine AS BIGINT), whole.count, CAST(1e6 * whole.mean AS BIGINT), \
                   CAST(1e6 * whole.deviation AS BIGINT) FROM near, whole ORDER BY near.cosine DESC, near.seq DESC LIMIT $6";
        let all = i64::from(reach.all);
        let values = values![model, &reach.project, &reach.agent, all, &literal(vector), limit];
        let rows = self.conn.query(sql, values)?;
        let part = |row: &Row, column: usize| at(row, column).int() as f32 / 1e6;
        let first = rows.first();
        Ok(Some(Nearest {
            nearest: rows.iter().map(|row| (at(row, 0).int(), part(row, 1))).collect(),
            compared: first.map_or(0, |row| at(row, 2).int()) as u64,
            mean: first.map_or(0.0, |row| part(row, 3)),
            deviation: first.map_or(0.0, |row| part(row, 4)),
        }))
    }

    fn has_extension(&mut self) -> Result<bool> {
        let found = self.conn.query("SELECT COUNT(*) FROM pg_extension WHERE extname = 'vector'", &[])?;
        Ok(found.first().is_some_and(|row| at(row, 0).int() > 0))
    }

    fn has_table(&mut self) -> Result<bool> {
        let sql = "SELECT COUNT(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                   WHERE n.nspname = 'sprag' AND c.relname = 'memory_pgvectors'";
        Ok(self.conn.query(sql, &[])?.first().is_some_and(|row| at(row, 0).int() > 0))
    }

    fn newest_pgvector(&mut self, model: &str) -> Result<i64> {
        let sql = "SELECT number FROM memory_pgvectors WHERE model = $1 ORDER BY number DESC LIMIT 1";
        Ok(self.conn.query(sql, values![model])?.first().map_or(0, |row| at(row, 0).int()))
    }
}

/// A vector as pgvector reads it.
fn literal(numbers: &[f32]) -> String {
    let mut text = String::with_capacity(numbers.len() * 12);
    for (at, number) in numbers.iter().enumerate() {
        let _ = write!(text, "{}{number}", if at == 0 { '[' } else { ',' });
    }
    text.push(']');
    text
}
