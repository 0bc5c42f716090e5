//! What both databases can do. Statements are written once, with `$1` for parameters and what SQL both understand.

use crate::Vector;
use crate::error::Result;
use crate::value::{Row, Value};

/// A connection to one of the databases.
pub(crate) trait Conn: Send {
    /// Several statements without parameters.
    fn batch(&mut self, sql: &str) -> Result<()>;
    /// One statement; the rows it changed.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64>;
    /// One question; the rows it gave.
    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>>;
    /// Begins a transaction that will write.
    fn begin(&mut self) -> Result<()>;
    /// Begins a transaction that sees one state of the database throughout.
    fn begin_snapshot(&mut self) -> Result<()>;
    /// Inside a transaction: nobody else migrates until it ends.
    fn migration_lock(&mut self) -> Result<()>;
    /// Inside a transaction: nobody else adds to this table until it ends, so that its numbers become visible in their
    /// order.
    fn order_lock(&mut self, table: &str) -> Result<()>;
    /// The schema's version; 0 for an empty database.
    fn version(&mut self) -> Result<i64>;
    /// Inside a transaction: the schema now has this version.
    fn set_version(&mut self, version: i64) -> Result<()>;
    /// The migrations of this database, oldest first.
    fn migrations(&self) -> &'static [&'static str];
    /// Version of the database, bytes on the disk, pgvector.
    fn facts(&mut self) -> Result<(String, i64, Option<Vector>)>;
    /// Looks for damage.
    fn verify(&mut self) -> Result<()>;
}

/// Runs `work` in one transaction: all of it counts, or nothing.
pub(crate) fn atomically<T>(conn: &mut dyn Conn, work: impl FnOnce(&mut dyn Conn) -> Result<T>) -> Result<T> {
    conn.begin()?;
    let result = work(conn).and_then(|value| conn.batch("COMMIT").map(|()| value));
    if result.is_err() {
        // After some errors the database has rolled back already and says so.
        let _ = conn.batch("ROLLBACK");
    }
    result
}
