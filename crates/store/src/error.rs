//! What can go wrong with a store, by what a caller does about it.

/// The result of asking a store.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a store did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Another process holds the lock for longer than we wait.
    #[error("the store is busy: {0}")]
    Busy(String),
    /// It does not answer, or not in time.
    #[error("the store cannot be reached: {0}")]
    Unreachable(String),
    /// It does not let us in.
    #[error("the store refuses us: {0}")]
    Refused(String),
    /// It has no room.
    #[error("the store's disk is full: {0}")]
    Full(String),
    /// It is damaged.
    #[error("the store's file is damaged: {0}")]
    Damaged(String),
    /// It cannot be written.
    #[error("the store cannot be written: {0}")]
    ReadOnly(String),
    /// There is none yet.
    #[error("there is no store yet")]
    Missing,
    /// Its schema is older than this program's, and we may not change it here.
    #[error("the store has schema {found}, this program wants {wanted}")]
    Outdated {
        /// The version it has.
        found: i64,
        /// The version this program writes.
        wanted: i64,
    },
    /// Its schema is newer than this program knows.
    #[error("the store has schema {found}, this program knows {known}")]
    Newer {
        /// The version it has.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// The address makes no sense.
    #[error("{0}")]
    Url(String),
    /// The database says no to what was asked: asking again will not help.
    #[error("the store says: {0}")]
    Rejected(String),
}

impl Error {
    /// True when the same may succeed later, as it is: keep it and try again.
    pub const fn passes(&self) -> bool {
        !matches!(self, Self::Rejected(_))
    }

    /// One line on what a person can do.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Busy(_) => "it passes; if it stays, another program holds the database open for writing",
            Self::Unreachable(_) => {
                "start the server, or check store.url and the network; what was not sent waits and is sent later"
            }
            Self::Refused(_) => {
                "check user and password in store.url (or PGPASSWORD), sslmode, and the server's pg_hba.conf"
            }
            Self::Full(_) => "free the disk, or `sprag store prune`; what was not written waits",
            Self::Damaged(_) => {
                "move the file away: sprag makes a new one; `sqlite3 FILE .recover` may save the old rows"
            }
            Self::ReadOnly(_) => {
                "give the file and its folder back to yourself (chown, chmod), or set SPRAG_STATE_DIR"
            }
            Self::Missing => "it is made with the first session, or by `sprag store migrate`",
            Self::Outdated { .. } => "sprag store migrate",
            Self::Newer { .. } => "a newer sprag wrote it: install that version here too",
            Self::Url(_) => "store.url is `sqlite`, `sqlite:/path/to.db` or `postgres://user@host/db`",
            Self::Rejected(_) => "this is a fault in sprag: please report it with the message",
        }
    }
}
