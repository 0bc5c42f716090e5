//! The operations that both databases implement. Statements are written once, with `$1` for parameters, in SQL that
//! both understand.

use crate::PgvectorExtension;
use crate::error::{Error, Result};
use crate::row::{FromRow, Row};
use crate::value::Value;
use sprag_base::fault::{self, Operation};

/// A connection to one of the databases.
pub(crate) trait Conn: Send {
    /// Runs several statements without parameters.
    fn batch(&mut self, sql: &str) -> Result<()>;
    /// Runs one statement; returns the number of changed rows.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64>;
    /// Runs one query and hands each of its rows to `each`.
    fn query(
        &mut self,
        sql: &str,
        values: &[Value],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()>;
    /// Begins a transaction that will write.
    fn begin(&mut self) -> Result<()>;
    /// Begins a transaction that sees one state of the database throughout.
    fn begin_snapshot(&mut self) -> Result<()>;
    /// Inside a transaction: keeps other processes from migrating until it ends.
    fn migration_lock(&mut self) -> Result<()>;
    /// Inside a transaction: keeps others from adding to this table until it ends, so that its numbers become visible
    /// in their order.
    fn order_lock(&mut self, table: &str) -> Result<()>;
    /// Tells those who listen that something of a project can be done or is over, when the transaction is committed. A file
    /// has nobody who listens.
    fn tell(&mut self, project: &str) -> Result<()> {
        let _ = project;
        Ok(())
    }
    /// The schema's version; 0 for an empty database.
    fn version(&mut self) -> Result<i64>;
    /// Inside a transaction: records the schema's version.
    fn set_version(&mut self, version: i64) -> Result<()>;
    /// The migrations of this database, oldest first.
    fn migrations(&self) -> &'static [&'static str];
    /// The database's version, its size and its extension.
    fn server(&mut self) -> Result<ServerFacts>;
    /// Checks the database for damage.
    fn verify(&mut self) -> Result<()>;
}

/// Runs one statement, unless it is the one that a test makes fail.
#[inline]
pub(crate) fn statement<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::StorageFull => Error::Full(error.to_string()),
        std::io::ErrorKind::PermissionDenied => Error::ReadOnly(error.to_string()),
        _ => Error::Unreachable(error.to_string()),
    };
    fault::run(Operation::Statement, failed, body)
}

/// What a database reports about itself.
pub(crate) struct ServerFacts {
    /// Name and version.
    pub(crate) version: String,
    /// Bytes on the disk.
    pub(crate) bytes: i64,
    /// pgvector, where the server has it.
    pub(crate) pgvector: Option<PgvectorExtension>,
}

impl dyn Conn + '_ {
    /// Every row of a query.
    pub(crate) fn all<T: FromRow>(&mut self, sql: &str, values: &[Value]) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.query(sql, values, &mut |row| {
            all.push(T::from_row(row)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// The first row of a query.
    pub(crate) fn first<T: FromRow>(&mut self, sql: &str, values: &[Value]) -> Result<Option<T>> {
        let mut first = None;
        self.query(sql, values, &mut |row| {
            if first.is_none() {
                first = Some(T::from_row(row)?);
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// The row of a query that always has one, such as a count.
    pub(crate) fn one<T: FromRow>(&mut self, sql: &str, values: &[Value]) -> Result<T> {
        self.first(sql, values)?.ok_or_else(|| Error::Rejected("a query returned no row".to_owned()))
    }

    /// True when a query has a row.
    pub(crate) fn exists(&mut self, sql: &str, values: &[Value]) -> Result<bool> {
        let mut found = false;
        self.query(sql, values, &mut |_| {
            found = true;
            Ok(())
        })?;
        Ok(found)
    }
}

/// Runs `work` in one transaction: all of it is committed, or nothing.
pub(crate) fn atomically<T>(conn: &mut dyn Conn, work: impl FnOnce(&mut dyn Conn) -> Result<T>) -> Result<T> {
    conn.begin()?;
    let result = work(conn).and_then(|value| conn.batch("COMMIT").map(|()| value));
    if result.is_err() {
        // After some errors the database has rolled back already and reports that.
        let _ = conn.batch("ROLLBACK");
    }
    result
}
