//! Transcripts in an agent's database: a path names the database and the session, `…/name.db#session`. The agent's
//! query renders each message as one line, so that everything else reads them as a file of lines.

use rusqlite::{Connection, OpenFlags};
use sprag_protocol::agents::AGENTS;
use sprag_protocol::agents::spec::{AgentSpec, Kept, SESSION_MARK, TranscriptDatabase};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A session with more bytes is read to there.
const MAX_BYTES: usize = 64 << 20;

/// How long another program may hold the database.
const PATIENCE: Duration = Duration::from_secs(1);

/// The agent whose database has this name, and what is known of it.
fn known(database: &Path) -> Option<(&'static AgentSpec, &'static TranscriptDatabase)> {
    AGENTS.into_iter().find_map(|spec| match &spec.transcript.kept {
        Kept::Database(known) if Path::new(known.path).file_name() == database.file_name() => {
            Some((spec, known))
        }
        _ => None,
    })
}

/// Database and session of a path that names both.
fn split(path: &Path) -> Option<(&Path, &str)> {
    let (database, session) = path.to_str()?.rsplit_once(SESSION_MARK)?;
    let database = Path::new(database);
    known(database).map(|_| (database, session))
}

/// The agent in whose database the path's transcript is.
pub(crate) fn agent(path: &Path) -> Option<&'static AgentSpec> {
    split(path).and_then(|(database, _)| known(database)).map(|(spec, _)| spec)
}

fn open(database: &Path) -> io::Result<Connection> {
    if !database.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags).map_err(io::Error::other)?;
    connection.busy_timeout(PATIENCE).map_err(io::Error::other)?;
    Ok(connection)
}

/// The sessions of a database, as paths of transcripts; none for a file that is no agent's database.
pub fn sessions(database: &Path) -> Vec<PathBuf> {
    let Some((_, known)) = known(database) else { return Vec::new() };
    let ids = || -> rusqlite::Result<Vec<String>> {
        let connection = open(database).map_err(|_| rusqlite::Error::InvalidQuery)?;
        let mut query = connection.prepare(known.sessions)?;
        query.query_map([], |row| row.get(0))?.collect()
    };
    let path = |id: String| PathBuf::from(format!("{}{SESSION_MARK}{id}", database.display()));
    ids().unwrap_or_default().into_iter().map(path).collect()
}

/// The lines of a transcript in a database; `None` when the path names a file.
pub fn lines(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some((database, session)) = split(path) else { return Ok(None) };
    let Some((_, known)) = known(database) else { return Ok(None) };
    let connection = open(database)?;
    let read = || -> rusqlite::Result<Vec<u8>> {
        let mut query = connection.prepare(known.lines)?;
        let mut rows = query.query([session])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            let line: String = row.get(0)?;
            if out.len() + line.len() > MAX_BYTES {
                break;
            }
            out.extend_from_slice(line.as_bytes());
            out.push(b'\n');
        }
        Ok(out)
    };
    read().map(Some).map_err(io::Error::other)
}

/// True when there is a transcript.
pub fn exists(path: &Path) -> bool {
    split(path).map_or(path, |(database, _)| database).is_file()
}
