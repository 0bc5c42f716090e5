//! Full-text search over the knowledge folder: SQLite's FTS5 in the state folder, derived and replaceable.
//! The folder is the truth; a file that changed is read again, one that is gone is forgotten.

use super::{Knowledge, Result, entries, export, front, text};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::time::Stamp;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Raised when the tables change: an index of another version is rebuilt.
const VERSION: i64 = 2;
/// So much of a file is searched.
const MAX_TEXT: u64 = 512 << 10;
/// Unfinished files of a killed process are removed at this age: a write takes less than a second.
const SCRATCH_AGE: Duration = Duration::from_secs(3600);

const TABLES: &str = "
CREATE TABLE doc(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL,
  project TEXT NOT NULL, project_key TEXT NOT NULL, session TEXT NOT NULL, title TEXT NOT NULL,
  date TEXT NOT NULL, messages INTEGER NOT NULL, UNIQUE(path, line));
CREATE INDEX doc_newest ON doc(kind, project_key, date);
CREATE INDEX doc_named ON doc(kind, project, project_key, date);
CREATE TABLE file(path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(title, body, content='', contentless_delete=1,
  tokenize=\"unicode61 remove_diacritics 2\");";

/// The index.
pub struct Index {
    db: Connection,
}

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocKind {
    /// An exported session.
    Session,
    /// A learning.
    Learning,
    /// A decision of a project.
    Decision,
    /// A failure of a project.
    Failure,
    /// What a session left for the next one.
    Handoff,
}

impl DocKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Session, Self::Learning, Self::Decision, Self::Failure, Self::Handoff];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Learning => "learning",
            Self::Decision => "decision",
            Self::Failure => "failure",
            Self::Handoff => "handoff",
        }
    }
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doc {
    /// Its file.
    pub path: PathBuf,
    /// Its line there, from 1; 0 is the whole file.
    pub line: usize,
    /// What it is.
    pub kind: String,
    /// The project's short name.
    pub project: String,
    /// The project's key; empty when unknown.
    pub project_key: String,
    /// The session it comes from.
    pub session: String,
    /// Its title.
    pub title: String,
    /// When it was last added to.
    pub date: String,
    /// Messages, of a session.
    pub messages: usize,
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The document.
    pub doc: Doc,
    /// The place where the words stand.
    pub snippet: String,
    /// Higher is better.
    pub score: f64,
}

/// What to look through.
#[derive(Clone, Debug, Default)]
pub struct Filter<'a> {
    /// Only this kind.
    pub kind: Option<&'a str>,
    /// Only this project, by its key.
    pub project_key: Option<&'a str>,
}

const COLUMNS: &str = "doc.path, doc.line, doc.kind, doc.project, doc.project_key, doc.session, doc.title, doc.date, doc.messages";

fn doc_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Doc> {
    Ok(Doc {
        path: PathBuf::from(row.get::<_, String>(0)?),
        line: row.get::<_, i64>(1)? as usize,
        kind: row.get(2)?,
        project: row.get(3)?,
        project_key: row.get(4)?,
        session: row.get(5)?,
        title: row.get(6)?,
        date: row.get(7)?,
        messages: row.get::<_, i64>(8)? as usize,
    })
}

/// The file of the index. Another knowledge folder has another.
pub fn file(knowledge: &Knowledge) -> PathBuf {
    let name = short_hash(knowledge.root.to_string_lossy().as_bytes());
    knowledge.state.join(format!("search-{}.db", text::start(&name, 12)))
}

impl Index {
    /// Opens the index to write, making it when it is missing, broken or of another version.
    pub fn open(knowledge: &Knowledge) -> Result<Self> {
        let path = file(knowledge);
        files::make_dir(&knowledge.state).map_err(super::KnowledgeError::at(&knowledge.state))?;
        match Self::prepare(&path) {
            Ok(index) => Ok(index),
            Err(error) if is_busy(&error) => Err(error.into()),
            Err(_) => {
                for suffix in ["", "-wal", "-shm"] {
                    let _ = files::remove(format!("{}{suffix}", path.display()));
                }
                Ok(Self::prepare(&path)?)
            }
        }
    }

    fn prepare(path: &Path) -> rusqlite::Result<Self> {
        // Made by us first, so that it is for the owner alone.
        let _ = files::open_append(path);
        let db = Connection::open(path)?;
        db.busy_timeout(Duration::from_secs(10))?;
        db.pragma_update(None, "journal_mode", "wal")?;
        db.pragma_update(None, "synchronous", "normal")?;
        let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version == 0 {
            db.execute_batch(&format!("BEGIN;{TABLES}PRAGMA user_version={VERSION};COMMIT;"))?;
        } else if version != VERSION {
            return Err(rusqlite::Error::InvalidQuery);
        }
        Ok(Self { db })
    }

    /// Opens the index to look only. `None` when there is none that can be used.
    pub fn look(knowledge: &Knowledge) -> Option<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(file(knowledge), flags).ok()?;
        db.busy_timeout(Duration::from_millis(100)).ok()?;
        let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0)).ok()?;
        (version == VERSION).then_some(Self { db })
    }

    /// Brings everything up to date with the folder. Returns how many files were read or forgotten.
    pub fn sync(&mut self, knowledge: &Knowledge) -> Result<usize> {
        let mut known: HashMap<String, (i64, i64)> = HashMap::new();
        {
            let mut rows = self.db.prepare("SELECT path, size, modified FROM file")?;
            let rows = rows.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
            for row in rows {
                let (path, stamp) = row?;
                known.insert(path, stamp);
            }
        }
        let mut changed = 0;
        let change = self.db.unchecked_transaction()?;
        for path in all_files(knowledge) {
            let key = path.display().to_string();
            let now = stamp(&path);
            if known.remove(&key) != now {
                put(&change, knowledge, &path, None)?;
                changed += 1;
            }
        }
        for path in known.keys().filter(|path| !Path::new(path).exists()) {
            forget(&change, path)?;
            changed += 1;
        }
        change.commit()?;
        Ok(changed)
    }

    /// Reads one file again. `project` is whose it is, for a file outside of the knowledge folder.
    pub fn put(
        &mut self,
        knowledge: &Knowledge,
        path: &Path,
        project: Option<&super::ProjectMemory>,
    ) -> Result<()> {
        let change = self.db.unchecked_transaction()?;
        put(&change, knowledge, path, project)?;
        Ok(change.commit()?)
    }

    /// The documents that have these words, best first: all of them, else some of them.
    pub fn search(&self, words: &str, filter: &Filter<'_>, most: usize) -> Result<Vec<Hit>> {
        let terms = terms(words);
        let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
        if quoted.is_empty() {
            return Ok(Vec::new());
        }
        let mut hits = self.query(&quoted.join(" "), filter, most)?;
        if hits.is_empty() && quoted.len() > 1 {
            hits = self.query(&quoted.join(" OR "), filter, most)?;
        }
        // The beginning of a word, but not of a short one: that is in everything.
        let starts: Vec<String> =
            terms.iter().filter(|term| term.chars().count() > 2).map(|term| format!("\"{term}\"*")).collect();
        if hits.is_empty() && !starts.is_empty() {
            hits = self.query(&starts.join(" OR "), filter, most)?;
        }
        for hit in &mut hits {
            hit.snippet = snippet(&hit.doc, &terms);
        }
        Ok(hits)
    }

    fn query(&self, query: &str, filter: &Filter<'_>, most: usize) -> Result<Vec<Hit>> {
        let sql = format!(
            "SELECT {COLUMNS}, bm25(words, 4.0, 1.0) AS rank FROM words JOIN doc ON doc.id = words.rowid
             WHERE words MATCH ?1 AND (?2 IS NULL OR doc.kind = ?2) AND (?3 IS NULL OR doc.project_key = ?3)
             ORDER BY rank, doc.date DESC, doc.id LIMIT ?4"
        );
        let mut rows = self.db.prepare(&sql)?;
        let hits = rows.query_map(params![query, filter.kind, filter.project_key, most as i64], |row| {
            Ok(Hit { doc: doc_of(row)?, snippet: String::new(), score: -row.get::<_, f64>(9)? })
        })?;
        Ok(hits.collect::<rusqlite::Result<_>>()?)
    }

    /// The newest documents.
    pub fn newest(&self, filter: &Filter<'_>, most: usize) -> Result<Vec<Doc>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM doc WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR project_key = ?2)
             ORDER BY date DESC, id DESC LIMIT ?3"
        );
        let mut rows = self.db.prepare(&sql)?;
        let docs = rows.query_map(params![filter.kind, filter.project_key, most as i64], doc_of)?;
        Ok(docs.collect::<rusqlite::Result<_>>()?)
    }

    /// The session of a project that was last at work, but this one. Exports of other programs have no key; they
    /// count by the project's name.
    pub fn last_session(&self, memory: &super::ProjectMemory, but: &str) -> Result<Option<Doc>> {
        let newest = |column: &str, value: &str, and: &str| {
            let sql = format!(
                "SELECT {COLUMNS} FROM doc WHERE kind = 'session' AND {column} = ?1 AND session <> ?2 {and}
                 ORDER BY date DESC LIMIT 1"
            );
            self.db.query_row(&sql, params![value, but], doc_of).optional()
        };
        let own = newest("project_key", &memory.key, "")?;
        let named = newest("project", &memory.project, "AND project_key = ''")?;
        Ok(own.into_iter().chain(named).max_by(|a, b| a.date.cmp(&b.date)))
    }

    /// How many documents of each kind.
    pub fn counts(&self) -> Result<Vec<(String, usize)>> {
        let mut rows = self.db.prepare("SELECT kind, count(*) FROM doc GROUP BY kind ORDER BY kind")?;
        let counts = rows.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize)))?;
        Ok(counts.collect::<rusqlite::Result<_>>()?)
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

fn stamp(path: &Path) -> Option<(i64, i64)> {
    let meta = path.metadata().ok()?;
    let modified = meta.modified().map(Stamp::from).unwrap_or_default();
    Some((meta.len() as i64, modified.0 as i64))
}

/// Every file that is searched. Unfinished files of a killed worker are removed on the way.
pub fn all_files(knowledge: &Knowledge) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (folder, deep) in
        [(knowledge.sessions(), 2), (knowledge.learnings.clone(), 2), (knowledge.memories(), 32)]
    {
        walk(&folder, deep, &mut found);
    }
    found.retain(|path| kind_of(path).is_some());
    found.sort();
    found
}

fn walk(folder: &Path, deep: usize, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !hidden && deep > 0 => walk(&path, deep - 1, found),
            Ok(kind) if kind.is_file() && !hidden => found.push(path),
            Ok(kind) if kind.is_file() => files::remove_old_scratch(&path, SCRATCH_AGE),
            _ => {}
        }
    }
}

/// What a file holds, by its name. Sessions and learnings say it themselves.
fn kind_of(path: &Path) -> Option<DocKind> {
    let name = path.file_name()?.to_str()?;
    match name {
        "decisions.jsonl" => Some(DocKind::Decision),
        "failures.jsonl" => Some(DocKind::Failure),
        "handoff.md" => Some(DocKind::Handoff),
        _ if path.extension().is_some_and(|ext| ext == "md") && !name.starts_with("_review-") => {
            Some(DocKind::Learning)
        }
        _ => None,
    }
}

fn forget(db: &Connection, path: &str) -> Result<()> {
    db.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM doc WHERE path = ?1)", [path])?;
    db.execute("DELETE FROM doc WHERE path = ?1", [path])?;
    db.execute("DELETE FROM file WHERE path = ?1", [path])?;
    Ok(())
}

fn put(
    db: &Connection,
    knowledge: &Knowledge,
    path: &Path,
    project: Option<&super::ProjectMemory>,
) -> Result<()> {
    let key = path.display().to_string();
    forget(db, &key)?;
    let Some((size, modified)) = stamp(path) else { return Ok(()) };
    for (doc, body) in read(knowledge, path, project) {
        db.prepare(
            "INSERT INTO doc(path, line, kind, project, project_key, session, title, date, messages)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            key, doc.line as i64, doc.kind, doc.project, doc.project_key, doc.session, doc.title, doc.date,
            doc.messages as i64
        ])?;
        db.prepare("INSERT INTO words(rowid, title, body) VALUES (?1, ?2, ?3)")?.execute(params![
            db.last_insert_rowid(),
            doc.title,
            body
        ])?;
    }
    db.prepare("INSERT INTO file(path, size, modified) VALUES (?1, ?2, ?3)")?
        .execute(params![key, size, modified])?;
    Ok(())
}

/// The documents in a file of the knowledge folder, with their text.
pub fn documents(knowledge: &Knowledge, path: &Path) -> Vec<(Doc, String)> {
    read(knowledge, path, None)
}

/// The documents in a file, with their text.
fn read(knowledge: &Knowledge, path: &Path, project: Option<&super::ProjectMemory>) -> Vec<(Doc, String)> {
    let Some(kind) = kind_of(path).or(project.map(|_| DocKind::Handoff)) else { return Vec::new() };
    let below = path.strip_prefix(knowledge.memories()).ok().and_then(Path::parent);
    let key = below.map(|key| key.to_string_lossy().replace('\\', "/")).unwrap_or_default();
    let name = key.rsplit('/').next().unwrap_or_default().to_owned();
    let (project_key, project_name) = project.map_or((key, name), |p| (p.key.clone(), p.project.clone()));
    let mut doc = Doc {
        path: path.to_path_buf(),
        line: 0,
        kind: kind.name().to_owned(),
        project: project_name,
        project_key,
        session: String::new(),
        title: String::new(),
        date: String::new(),
        messages: 0,
    };
    if matches!(kind, DocKind::Decision | DocKind::Failure) {
        return lines(path, &doc);
    }
    let bytes = files::read_limited(path, MAX_TEXT).ok().flatten().unwrap_or_default();
    let whole = String::from_utf8_lossy(&bytes);
    let (pairs, body) = front::read(&whole).unwrap_or((Vec::new(), &whole));
    let get = |key: &str| front::get(&pairs, key).unwrap_or_default().to_owned();
    if project.is_some() {
        DocKind::Handoff.name().clone_into(&mut doc.kind);
    }
    let session = path.starts_with(knowledge.sessions()) || get("type").ends_with("-session");
    if session && project.is_none() {
        DocKind::Session.name().clone_into(&mut doc.kind);
        doc.project = get("project");
        doc.project_key = get("project_key");
        doc.session = get("session_id");
        doc.messages = get("messages").parse().unwrap_or(0);
        doc.date =
            [get("updated"), get("date")].into_iter().find(|date| !date.is_empty()).unwrap_or_default();
        doc.title = export::working_on(body);
    } else if doc.kind == DocKind::Learning.name() {
        doc.title = get("title");
        doc.date =
            [get("origin_session"), file_date(path)].into_iter().find(|d| !d.is_empty()).unwrap_or_default();
        doc.project = get("origin");
    } else {
        doc.session = get("session_id");
        doc.date = get("written_at").replace('T', " ").chars().take(16).collect();
        let heading = body.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
        doc.title =
            if heading.is_empty() { text::cut(text::first_line(body), 80) } else { heading.to_owned() };
    }
    if doc.date.is_empty() {
        let modified = path.metadata().and_then(|meta| meta.modified()).map(Stamp::from).unwrap_or_default();
        doc.date = modified.to_string().replace('T', " ").chars().take(16).collect();
    }
    vec![(doc, body.to_owned())]
}

fn lines(path: &Path, doc: &Doc) -> Vec<(Doc, String)> {
    let bytes = files::read_limited(path, 64 << 20).ok().flatten().unwrap_or_default();
    let mut found = Vec::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let Ok(record) = serde_json::from_slice::<entries::Record>(line) else { continue };
        let get = |key: &str| entries::field(&record, key);
        let mut doc = doc.clone();
        doc.line = at + 1;
        get("summary").clone_into(&mut doc.title);
        get("session_id").clone_into(&mut doc.session);
        doc.date = get("ts").replace('T', " ").chars().take(16).collect();
        let body: Vec<&str> =
            ["context", "rationale", "root_cause", "resolution", "prevention"].map(get).to_vec();
        let tags = record.get("tags").map(ToString::to_string).unwrap_or_default();
        found.push((doc, format!("{} {tags}", body.join(" "))));
    }
    found
}

/// `2026-11-15` at the beginning of a file's name.
fn file_date(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let date = name.get(..10).unwrap_or_default();
    let dated = date.len() == 10
        && date
            .bytes()
            .enumerate()
            .all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() });
    if dated { date.to_owned() } else { String::new() }
}

/// The words of a query, without what FTS5 would take for operators.
fn terms(words: &str) -> Vec<String> {
    words
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .take(16)
        .map(str::to_lowercase)
        .collect()
}

/// The lines around the first place where a word stands.
fn snippet(doc: &Doc, terms: &[String]) -> String {
    let bytes = files::read_limited(&doc.path, MAX_TEXT).ok().flatten().unwrap_or_default();
    let whole = String::from_utf8_lossy(&bytes);
    if doc.line > 0 {
        let record = whole
            .lines()
            .nth(doc.line - 1)
            .and_then(|line| serde_json::from_str::<entries::Record>(line).ok());
        let record = record.unwrap_or_default();
        let more = ["rationale", "prevention", "context"].map(|key| entries::field(&record, key));
        return text::cut(&text::one_line(&more.join(" ")), 160);
    }
    let body = front::read(&whole).map_or(whole.as_ref(), |(_, body)| body);
    let best =
        body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("## ")).max_by_key(
            |line| {
                let lower = line.to_lowercase();
                // Of equal lines the first: `max_by_key` would take the last.
                (
                    terms.iter().filter(|term| lower.contains(term.as_str())).count(),
                    std::cmp::Reverse(line.as_ptr() as usize),
                )
            },
        );
    let line = text::one_line(best.unwrap_or_default());
    let lower = line.to_lowercase();
    let at = terms.iter().filter_map(|term| lower.find(term.as_str())).min().unwrap_or(0);
    let skip = line.get(..at).map_or(0, |before| before.chars().count().saturating_sub(60));
    let shown: String = line.chars().skip(skip).take(160).collect();
    if skip > 0 { format!("...{shown}") } else { shown }
}
