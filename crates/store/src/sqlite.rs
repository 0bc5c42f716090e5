//! The embedded database: one file, write-ahead log, readable by the owner alone.

use crate::Opening;
use crate::conn::{Conn, ServerFacts, statement};
use crate::error::{Error, Result};
use crate::row::{Cells, Row, wrong};
use crate::value::Value;
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/sqlite/0001_sessions.sql"),
    include_str!("../migrations/sqlite/0002_runs.sql"),
    include_str!("../migrations/sqlite/0003_team.sql"),
    include_str!("../migrations/sqlite/0004_patterns.sql"),
    include_str!("../migrations/sqlite/0005_lessons.sql"),
    include_str!("../migrations/sqlite/0006_memories.sql"),
    include_str!("../migrations/sqlite/0007_provenance.sql"),
    include_str!("../migrations/sqlite/0008_vectors_by_model.sql"),
    include_str!("../migrations/sqlite/0009_dispatch.sql"),
];

pub(crate) struct Sqlite {
    conn: Connection,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, opening: Opening) -> Result<Self> {
        if !path.exists() {
            if !opening.create {
                return Err(Error::Missing);
            }
            create(path)?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = statement(|| Ok(Connection::open_with_flags(path, flags)?))?;
        conn.busy_timeout(opening.wait)?;
        let mut sqlite = Self { conn };
        sqlite.set_up(opening)?;
        Ok(sqlite)
    }

    fn set_up(&mut self, opening: Opening) -> Result<()> {
        let mode: String = self.conn.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        if mode != "wal" && opening.create {
            // The busy timeout does not apply to the lock that the switch takes.
            let deadline = Instant::now() + opening.wait;
            loop {
                let switched: rusqlite::Result<String> =
                    self.conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0));
                match switched.map_err(Error::from) {
                    Err(Error::Busy(_)) if Instant::now() < deadline => {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    other => {
                        other?;
                        break;
                    }
                }
            }
        }
        self.conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !opening.tidy)?;
        self.conn.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;")?;
        #[cfg(debug_assertions)]
        if let Some(pages) = std::env::var_os("SPRAG_TEST_MAX_PAGES") {
            // Simulates a full disk in tests.
            let pages: u32 = pages.to_string_lossy().parse().unwrap_or(0);
            self.conn.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
        }
        Ok(())
    }
}

/// Creates an empty file that only the owner can read; SQLite gives its log the same mode.
fn create(path: &Path) -> Result<()> {
    let failed = |error: std::io::Error| from_io(&error, path);
    sprag_base::files::open_write(path).map(|_| ()).map_err(failed)
}

fn from_io(error: &std::io::Error, path: &Path) -> Error {
    let text = format!("{}: {error}", path.display());
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Error::Full(text),
        _ => Error::ReadOnly(text),
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(text),
            Some(ErrorCode::DiskFull) => Self::Full(text),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(text),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::ReadOnly(text)
            }
            // A full disk may also show as a short write.
            Some(ErrorCode::SystemIoFailure)
                if error
                    .sqlite_error()
                    .is_some_and(|e| e.extended_code == rusqlite::ffi::SQLITE_IOERR_WRITE) =>
            {
                Self::Full(text)
            }
            Some(ErrorCode::SystemIoFailure | ErrorCode::FileLockingProtocolFailed) => {
                Self::Unreachable(text)
            }
            _ => Self::Rejected(text),
        }
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Cells for rusqlite::Row<'_> {
    fn width(&self) -> usize {
        self.as_ref().column_count()
    }

    fn name(&self, column: usize) -> &str {
        self.as_ref().column_name(column).unwrap_or_default()
    }

    fn value(&self, column: usize) -> Result<Value> {
        Ok(match self.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
            ValueRef::Integer(number) => Value::Int(number),
            ValueRef::Text(bytes) => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
            ValueRef::Real(_) => {
                return Err(wrong(self.name(column), "an integer, text or bytes", "a floating-point number"));
            }
        })
    }
}

impl Conn for Sqlite {
    fn batch(&mut self, sql: &str) -> Result<()> {
        statement(|| Ok(self.conn.execute_batch(sql)?))
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        statement(|| {
            let mut prepared = self.conn.prepare(&sql.replace('$', "?"))?;
            Ok(prepared.execute(params_from_iter(values))? as u64)
        })
    }

    fn query(
        &mut self,
        sql: &str,
        values: &[Value],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        statement(|| {
            let mut prepared = self.conn.prepare(&sql.replace('$', "?"))?;
            let mut rows = prepared.query(params_from_iter(values))?;
            while let Some(row) = rows.next()? {
                each(&Row::new(row))?;
            }
            Ok(())
        })
    }

    fn begin(&mut self) -> Result<()> {
        // Takes the write lock first: two transactions that read and then write would deadlock.
        self.batch("BEGIN IMMEDIATE")
    }

    fn begin_snapshot(&mut self) -> Result<()> {
        self.batch("BEGIN")
    }

    fn migration_lock(&mut self) -> Result<()> {
        // The transaction holds the write lock already.
        Ok(())
    }

    fn order_lock(&mut self, _table: &str) -> Result<()> {
        Ok(())
    }

    fn version(&mut self) -> Result<i64> {
        statement(|| Ok(self.conn.pragma_query_value(None, "user_version", |row| row.get(0))?))
    }

    fn set_version(&mut self, version: i64) -> Result<()> {
        statement(|| Ok(self.conn.pragma_update(None, "user_version", version)?))
    }

    fn migrations(&self) -> &'static [&'static str] {
        MIGRATIONS
    }

    fn server(&mut self) -> Result<ServerFacts> {
        let number = |name: &str| self.conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let bytes = number("page_count")? * number("page_size")?;
        Ok(ServerFacts { version: format!("SQLite {}", rusqlite::version()), bytes, pgvector: None })
    }

    fn verify(&mut self) -> Result<()> {
        let result: String = self.conn.pragma_query_value(None, "quick_check", |row| row.get(0))?;
        if result != "ok" {
            return Err(Error::Damaged(result));
        }
        let known = usize::try_from(self.version()?).unwrap_or_default();
        match missing_part(&self.conn, MIGRATIONS.get(..known).unwrap_or(MIGRATIONS))? {
            Some((kind, name)) => Err(Error::Schema(format!("the {kind} `{name}` is missing"))),
            None => Ok(()),
        }
    }
}

/// The first table, index or trigger that these migrations create and that the database does not have.
fn missing_part(conn: &Connection, migrations: &[&str]) -> Result<Option<(String, String)>> {
    fn parts(conn: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
        let sql =
            "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type DESC, name";
        conn.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }
    let expected = Connection::open_in_memory()?;
    for migration in migrations {
        expected.execute_batch(migration)?;
    }
    let there = parts(conn)?;
    Ok(parts(&expected)?.into_iter().find(|part| !there.contains(part)))
}
