//! The database behind coordination, memory and statistics: one [`Store`], two backends.
//! Callers say what they want, not how it is asked for; times are microseconds since 1970 in UTC, ids are UUIDv7.
//!
//! The way of an event opens no store unless a hook of that event asks for one.

mod claims;
mod conn;
mod dump;
mod error;
mod identity;
mod lessons;
mod memories;
mod memory_search;
mod migrate;
mod ops;
mod patterns;
mod pgvector;
mod postgres;
mod runs;
mod sessions;
mod slots;
mod sqlite;
mod state;
mod target;
mod tasks;
mod team;
#[cfg(feature = "testing")]
pub mod testing;
mod tls;
mod value;

pub use claims::{ClaimKey, ClaimRow, Claimant};
pub use dump::Imported;
pub use error::{Error, Result};
pub use identity::{Draft, Stored, Version};
pub use lessons::{Fire, Fires, LessonRow, Sighting, Sightings};
pub use memories::{Added, Memory, MemoryFilter, NewMemory, Previous};
pub use memory_search::{MemoryState, Reach, StoredVector, TextHit};
pub use migrate::LATEST;
pub use ops::{Applied, Op, OpKind};
pub use patterns::{Join, MemberRow, PatternView, PostRow, RunRow};
pub use pgvector::Nearest;
pub use runs::{Activity, Batch, Counts, Position, RunKey, Totals};
pub use sessions::{Registration, SessionRow};
pub use slots::{micros_of, slot_of};
pub use state::{Cas, Entry};
pub use target::Target;
pub use tasks::{NewTask, Refusal, TaskChange, TaskRow, TaskState};
pub use team::{AgentRow, AgentState, Role, SessionWork};

use conn::Conn;
use std::time::Duration;

/// How a store is opened.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// The longest wait for a lock (SQLite) or for an answer to one statement (PostgreSQL).
    pub wait: Duration,
    /// The longest wait for a connection.
    pub connect: Duration,
    /// Bring an older schema up to date; without it, an older one is [`Error::Outdated`].
    pub migrate: bool,
    /// Make the database when there is none (SQLite).
    pub create: bool,
    /// The last one to close tidies the log up, which waits for the disk (SQLite). Not while an agent waits.
    pub tidy: bool,
}

impl Opening {
    /// For the background: patient, and brings the schema up to date.
    pub const WORKER: Self = Self {
        wait: Duration::from_secs(2),
        connect: Duration::from_secs(5),
        migrate: true,
        create: true,
        tidy: true,
    };

    /// For a look that changes nothing.
    pub const LOOK: Self = Self { migrate: false, create: false, ..Self::WORKER };
}

/// Which database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

impl Backend {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// An open store.
pub struct Store {
    conn: Box<dyn Conn>,
    backend: Backend,
}

/// What a store says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The database's own version.
    pub server: String,
    /// The schema's version.
    pub schema: i64,
    /// Bytes on the disk.
    pub bytes: i64,
    /// The version of pgvector: installed in this database, or only on the server.
    pub vector: Option<Vector>,
    /// Rows per table.
    pub rows: Vec<(&'static str, i64)>,
}

/// pgvector on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// Its version.
    pub version: String,
    /// True when this database has it; else `CREATE EXTENSION vector` would make it so.
    pub installed: bool,
}

impl Store {
    /// Opens the store.
    pub fn open(target: &Target, opening: Opening) -> Result<Self> {
        let mut store = match target {
            Target::Sqlite(path) => {
                Self { conn: Box::new(sqlite::Sqlite::open(path, opening)?), backend: Backend::Sqlite }
            }
            Target::Postgres(server) => Self {
                conn: Box::new(postgres::Postgres::open(server, opening)?),
                backend: Backend::Postgres,
            },
        };
        migrate::check(&mut *store.conn, opening.migrate)?;
        Ok(store)
    }

    /// Opens the store at an older version of the schema; for tests of migrations.
    pub fn open_at(target: &Target, version: i64) -> Result<Self> {
        let opening = Opening::WORKER;
        let mut store = match target {
            Target::Sqlite(path) => {
                Self { conn: Box::new(sqlite::Sqlite::open(path, opening)?), backend: Backend::Sqlite }
            }
            Target::Postgres(server) => Self {
                conn: Box::new(postgres::Postgres::open(server, opening)?),
                backend: Backend::Postgres,
            },
        };
        migrate::to(&mut *store.conn, version)?;
        Ok(store)
    }

    /// Which database it is.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// The version of the schema.
    pub fn schema(&mut self) -> Result<i64> {
        self.conn.version()
    }

    /// What it says of itself.
    pub fn facts(&mut self) -> Result<Facts> {
        let (server, bytes, vector) = self.conn.facts()?;
        let schema = self.conn.version()?;
        let mut rows = Vec::new();
        for table in dump::TABLES.iter().filter(|table| table.since <= schema) {
            let count = self.conn.query(&format!("SELECT COUNT(*) FROM {}", table.name), &[])?;
            rows.push((table.name, count.first().and_then(|row| row.first()).map_or(0, value::Value::int)));
        }
        Ok(Facts { server, schema, bytes, vector, rows })
    }

    /// Looks whether the database is whole; what is wrong, in its own words.
    pub fn verify(&mut self) -> Result<()> {
        self.conn.verify()
    }

    /// Runs `work` in one transaction: all of it counts, or nothing.
    fn atomically<T>(&mut self, work: impl FnOnce(&mut dyn Conn) -> Result<T>) -> Result<T> {
        conn::atomically(&mut *self.conn, work)
    }
}

/// A new id: sorts by the time it was made.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
