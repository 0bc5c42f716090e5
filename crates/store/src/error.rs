//! Errors of the store, grouped by what a caller does about them.

/// The result of a store operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a store operation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Another process holds the lock for longer than we wait.
    #[error("the store is busy: {0}")]
    Busy(String),
    /// It does not answer, or not in time.
    #[error("the store cannot be reached: {0}")]
    Unreachable(String),
    /// It rejects the login, the encryption or the permissions.
    #[error("the store refuses the connection: {0}")]
    Refused(String),
    /// Its disk is full.
    #[error("the store's disk is full: {0}")]
    Full(String),
    /// It is damaged.
    #[error("the store's file is damaged: {0}")]
    Damaged(String),
    /// A table, column, index or trigger that its version has is not there.
    #[error("the store's tables were changed: {0}")]
    Schema(String),
    /// It cannot be written.
    #[error("the store cannot be written: {0}")]
    ReadOnly(String),
    /// It does not exist yet.
    #[error("there is no store yet")]
    Missing,
    /// Its schema is older than this program's, and the caller may not migrate it.
    #[error("the store has schema {found}, this program needs {wanted}")]
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
    /// The address is invalid.
    #[error("{0}")]
    Url(String),
    /// A row cannot be decoded.
    #[error("the store's column `{column}` is invalid: expected {expected}, found {found}")]
    Column {
        /// The column's name.
        column: String,
        /// What it must hold.
        expected: &'static str,
        /// What it holds.
        found: &'static str,
    },
    /// An export file, or a row to be written, is invalid.
    #[error("{context}: {problem}")]
    Input {
        /// Where: a line of the file, or a table.
        context: String,
        /// What is wrong.
        problem: String,
    },
    /// An export file cannot be read or written.
    #[error("the file cannot be read or written: {0}")]
    File(String),
    /// The database rejects the statement: a retry does not help.
    #[error("the store rejects the request: {0}")]
    Rejected(String),
}

impl Error {
    /// True when the same request may succeed later: keep it and retry.
    pub const fn is_transient(&self) -> bool {
        !matches!(self, Self::Rejected(_) | Self::Column { .. } | Self::Input { .. } | Self::File(_))
    }

    /// One line on what the user can do.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Busy(_) => "try again; if it persists, another program holds the database open for writing",
            Self::Unreachable(_) => {
                "start the server, or check store.url and the network; unsent changes are kept and sent later"
            }
            Self::Refused(_) => {
                "check user and password (store.url, PGPASSWORD, ~/.pgpass with mode 0600), sslmode, and pg_hba.conf"
            }
            Self::Full(_) => "free disk space, or run `sprag store prune`; unwritten changes are kept",
            Self::Damaged(_) => {
                "move the file away: sprag creates a new one; `sqlite3 FILE .recover` may save the old rows"
            }
            Self::Schema(_) => {
                "restore it from a backup, or move it away (the file, or the database's tables): sprag creates a new one"
            }
            Self::ReadOnly(_) => {
                "make the file and its folder writable for you (chown, chmod), or set SPRAG_STATE_DIR"
            }
            Self::Missing => "it is created with the first session, or by `sprag store migrate`",
            Self::Outdated { .. } => "sprag store migrate",
            Self::Newer { .. } => "a newer sprag wrote it: install that version here too",
            Self::Url(_) => "store.url is `sqlite`, `sqlite:/path/to.db` or `postgres://user@host/db`",
            Self::Column { .. } => {
                "another program changed the database: restore it, or remove the invalid row"
            }
            Self::Input { .. } => "use a complete file written by `sprag store export`",
            Self::File(_) => "check the path, its permissions and the free disk space",
            Self::Rejected(_) => "this is a bug in sprag: please report it with the message",
        }
    }
}
impl sprag_base::hint::Hint for Error {
    fn hint(&self) -> String {
        self.hint().to_owned()
    }
}
