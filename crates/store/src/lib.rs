//! The database behind coordination, memory and statistics: one [`Store`], two backends.
//! Callers use methods by purpose and see no SQL; times are microseconds since 1970 in UTC, ids are UUIDv7.
//!
//! The hot path opens no store unless a hook of that event needs one.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

mod attempts;
mod claims;
mod conn;
mod crash;
mod depends;
mod dump;
mod error;
mod identity;
mod lessons;
mod link;
mod listen;
mod login;
mod memories;
mod memory_search;
mod messages;
mod migrate;
mod ops;
mod patterns;
mod pgvector;
mod postgres;
mod project;
mod row;
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

pub use attempts::{AttemptEnd, AttemptRow, AttemptState, Dispatcher, Held, Lost, Spent};
pub use claims::{ClaimKey, ClaimRow, Claimant};
pub use crash::crash_point;
pub use depends::{Dependency, DependencyRefusal};
pub use dump::{Imported, OnKnown};
pub use error::{Error, Result};
pub use identity::{IdentityDraft, IdentityOutcome, IdentityVersion};
pub use lessons::{Fire, Fires, LessonRow, Sighting, Sightings};
pub use listen::Listener;
pub use memories::{Added, Memory, MemoryFilter, NewMemory, PERSON, PreviousText};
pub use memory_search::{MemoryState, ModelVector, Reach, StoredVector, TextHit};
pub use messages::{Mail, MessageRow, NewMessage, Reader};
pub use migrate::LATEST;
pub use ops::{Applied, Op, OpKind};
pub use patterns::{Join, MemberRow, PatternState, PatternView, PostRow, RunRow};
pub use pgvector::NearestMemories;
pub use runs::{Batch, Counts, Heartbeat, Position, RunKey, Totals};
pub use sessions::{Registration, SessionRow};
pub use slots::micros_of;
pub use state::{Cas, Entry};
pub use target::Target;
pub use tasks::{NewTask, NotCreated, Refusal, TaskChange, TaskRow, TaskState};
pub use team::{AgentRow, AgentState, Role, SessionWork};

use conn::{Conn, ServerFacts};
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
    /// Create the database when there is none (SQLite).
    pub create: bool,
    /// Checkpoint the log when the last connection closes, which waits for the disk (SQLite). Not while an agent waits.
    pub tidy: bool,
}

impl Opening {
    /// For the background worker: waits longer, and migrates the schema.
    pub const WORKER: Self = Self {
        wait: Duration::from_secs(2),
        connect: Duration::from_secs(5),
        migrate: true,
        create: true,
        tidy: true,
    };

    /// For inspection: changes nothing.
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

/// An open store.
pub struct Store {
    conn: Box<dyn Conn>,
    backend: Backend,
}

/// What a store reports about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The database's own version.
    pub server: String,
    /// The schema's version.
    pub schema: i64,
    /// Bytes on the disk.
    pub bytes: i64,
    /// pgvector, where the server has it.
    pub vector: Option<PgvectorExtension>,
    /// Rows per table.
    pub rows: Vec<(&'static str, i64)>,
}

/// pgvector on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgvectorExtension {
    /// The installed version, else the available one.
    pub version: String,
    /// True when this database has it; else it needs `CREATE EXTENSION vector`.
    pub installed: bool,
}

impl Store {
    /// Opens the store.
    pub fn open(target: &Target, opening: Opening) -> Result<Self> {
        let mut store = Self::connect(target, opening)?;
        migrate::check(&mut *store.conn, opening.migrate)?;
        Ok(store)
    }

    /// Opens the store and migrates it no further than this version; for tests of migrations.
    #[cfg(feature = "testing")]
    pub fn open_at(target: &Target, version: i64) -> Result<Self> {
        let mut store = Self::connect(target, Opening::WORKER)?;
        migrate::migrate_to(&mut *store.conn, version)?;
        Ok(store)
    }

    fn connect(target: &Target, opening: Opening) -> Result<Self> {
        Ok(match target {
            Target::Sqlite(path) => {
                Self { conn: Box::new(sqlite::Sqlite::open(path, opening)?), backend: Backend::Sqlite }
            }
            Target::Postgres(server) => Self {
                conn: Box::new(postgres::Postgres::open(server, opening)?),
                backend: Backend::Postgres,
            },
        })
    }

    /// Which database it is.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// The version of the schema.
    pub fn schema(&mut self) -> Result<i64> {
        self.conn.version()
    }

    /// Version, size and rows.
    pub fn facts(&mut self) -> Result<Facts> {
        let ServerFacts { version, bytes, pgvector } = self.conn.server()?;
        let schema = self.conn.version()?;
        let mut rows = Vec::new();
        for table in dump::TABLES.iter().filter(|table| table.since <= schema) {
            rows.push((table.name, self.conn.one(&format!("SELECT COUNT(*) FROM {}", table.name), &[])?));
        }
        Ok(Facts { server: version, schema, bytes, vector: pgvector, rows })
    }

    /// Checks the database for damage, and that it has the tables and columns of its version; the error has its own
    /// message.
    pub fn verify(&mut self) -> Result<()> {
        self.conn.verify()?;
        let schema = self.conn.version()?;
        for table in dump::TABLES.iter().filter(|table| table.since <= schema) {
            let changed = |error| match error {
                Error::Rejected(text) => Error::Schema(text),
                other => other,
            };
            self.conn.query(&table.empty_query(), &[], &mut |_| Ok(())).map_err(changed)?;
        }
        Ok(())
    }

    /// Runs `work` in one transaction: all of it is committed, or nothing.
    fn atomically<T>(&mut self, work: impl FnOnce(&mut dyn Conn) -> Result<T>) -> Result<T> {
        conn::atomically(&mut *self.conn, work)
    }
}

/// A new id; ids sort by the time they were created.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
