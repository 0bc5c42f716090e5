//! Nearest-neighbour search on the server: PostgreSQL with pgvector. For a machine whose vector file is missing or far
//! behind. The table is derived from `memory_vectors`, in its order, and created only where the extension is installed.

use crate::error::Result;
use crate::memory_search::Reach;
use crate::value::values;
use crate::{Backend, Store};
use std::fmt::Write as _;

/// The result of a search on the server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearestMemories {
    /// The memories' numbers and cosines, the nearest first.
    pub nearest: Vec<(i64, f32)>,
    /// How many were compared.
    pub compared: u64,
    /// The mean of all cosines.
    pub mean: f32,
    /// Their standard deviation.
    pub deviation: f32,
}

/// Rows per statement when the table is filled.
const PAGE: i64 = 200;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS sprag.memory_pgvectors (\
     number BIGINT PRIMARY KEY REFERENCES sprag.memory_vectors (number) ON DELETE CASCADE, \
     seq BIGINT NOT NULL, model TEXT NOT NULL, scope TEXT NOT NULL, place TEXT NOT NULL, embedding vector NOT NULL); \
     CREATE INDEX IF NOT EXISTS memory_pgvectors_model ON sprag.memory_pgvectors (model, number)";

impl Store {
    /// Adds missing vectors of a model to the server's table, where this database has pgvector; at most `limit` rows.
    /// True when the table is complete.
    pub fn fill_pgvector(&mut self, model: &str, limit: i64) -> Result<bool> {
        if self.backend != Backend::Postgres || !self.has_extension()? {
            return Ok(false);
        }
        if !self.has_table()? {
            // The lock: of two processes, the later one finds the table.
            let created = self.atomically(|conn| {
                conn.migration_lock()?;
                conn.batch(TABLE)
            });
            if created.is_err() {
                // No permission, or the extension is in another schema: the local file is used instead.
                return Ok(false);
            }
        }
        let mut added = 0;
        while added < limit {
            let last = self.newest_pgvector(model)?;
            let page = self.vectors_after(model, last, PAGE.min(limit - added))?;
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
            // Numbers only, so they may be part of the statement.
            let sql = format!(
                "INSERT INTO memory_pgvectors (number, seq, model, scope, place, embedding) \
                 SELECT v.number, v.seq, v.model, m.scope, m.place, x.embedding FROM (VALUES {rows}) AS x (number, embedding) \
                 JOIN memory_vectors v ON v.number = x.number JOIN memories m ON m.seq = v.seq ON CONFLICT DO NOTHING"
            );
            if self.conn.execute(&sql, &[])? == 0 {
                // The whole page was deleted, or another process fills the table.
                return Ok(false);
            }
            added += page.len() as i64;
        }
        Ok(false)
    }

    /// The nearest memories by the server's own scan; `None` when its table does not have all vectors of the model.
    pub fn nearest_memories(
        &mut self,
        model: &str,
        vector: &[f32],
        reach: &Reach,
        limit: i64,
    ) -> Result<Option<NearestMemories>> {
        if self.backend != Backend::Postgres || !self.has_table()? {
            return Ok(None);
        }
        let newest = self.memory_state(model)?.newest;
        if newest == 0 || self.newest_pgvector(model)? != newest {
            return Ok(None);
        }
        // The inner product of two unit vectors is their cosine; pgvector returns it negated. Each is computed once.
        let sql = "WITH near AS MATERIALIZED (SELECT p.seq, -(p.embedding <#> CAST(CAST($5 AS TEXT) AS vector)) AS cosine \
                   FROM memory_pgvectors p WHERE p.model = $1 AND (p.scope = 'user' OR (p.scope = 'project' AND p.place = $2) \
                   OR (p.scope = 'agent' AND p.place = $3) OR CAST($4 AS BIGINT) = 1)), \
                   whole AS (SELECT COUNT(*) AS count, AVG(cosine) AS mean, STDDEV_POP(cosine) AS deviation FROM near) \
                   SELECT near.seq, CAST(1e6 * near.cosine AS BIGINT), whole.count, CAST(1e6 * whole.mean AS BIGINT), \
                   CAST(1e6 * whole.deviation AS BIGINT) FROM near, whole ORDER BY near.cosine DESC, near.seq DESC LIMIT $6";
        let all = i64::from(reach.all);
        let values = values![model, &reach.project, &reach.agent, all, &literal(vector), limit];
        let rows: Vec<(i64, i64, i64, i64, i64)> = self.conn.all(sql, values)?;
        let fraction = |millionths: i64| millionths as f32 / 1e6;
        // The last three columns are the same in every row.
        let (_, _, compared, mean, deviation) = rows.first().copied().unwrap_or_default();
        Ok(Some(NearestMemories {
            nearest: rows.iter().map(|(seq, cosine, ..)| (*seq, fraction(*cosine))).collect(),
            compared: compared as u64,
            mean: fraction(mean),
            deviation: fraction(deviation),
        }))
    }

    fn has_extension(&mut self) -> Result<bool> {
        self.conn.exists("SELECT 1 FROM pg_extension WHERE extname = 'vector'", &[])
    }

    fn has_table(&mut self) -> Result<bool> {
        let sql = "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                   WHERE n.nspname = 'sprag' AND c.relname = 'memory_pgvectors'";
        self.conn.exists(sql, &[])
    }

    fn newest_pgvector(&mut self, model: &str) -> Result<i64> {
        let sql = "SELECT number FROM memory_pgvectors WHERE model = $1 ORDER BY number DESC LIMIT 1";
        Ok(self.conn.first(sql, values![model])?.unwrap_or(0))
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
