//! Observations and session summaries in a SQLite file, as claude-mem keeps them. The file is opened for reading; columns
//! that its version does not have are passed over.

use super::Base;
use crate::recall::{Draft, MAX_CHARS};
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::Value;
use std::path::Path;

/// What was found.
#[derive(Debug, Default)]
pub struct Observed {
    /// Those of the project.
    pub drafts: Vec<Draft>,
    /// Rows of other projects: they belong there.
    pub elsewhere: usize,
}

/// Columns of the two tables that are read, where they are.
const OBSERVATIONS: [&str; 10] = [
    "memory_session_id", "project", "type", "title", "subtitle", "narrative", "facts", "text", "concepts",
    "created_at_epoch",
];
const SUMMARIES: [&str; 6] =
    ["memory_session_id", "project", "request", "learned", "next_steps", "created_at_epoch"];

/// Reads the file. `project` is the folder's name, which is how rows say where they belong.
pub fn read(file: &Path, project: &str, base: &Base) -> rusqlite::Result<Observed> {
    let db = Connection::open_with_flags(
        file,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    let mut found = Observed::default();
    rows(&db, "observations", &OBSERVATIONS, |row| take(row, project, base, &mut found, observation))?;
    rows(&db, "session_summaries", &SUMMARIES, |row| take(row, project, base, &mut found, summary))?;
    Ok(found)
}

/// Calls with every row of a table; a table that is not there has none.
fn rows(
    db: &Connection,
    table: &str,
    wanted: &[&str],
    mut each: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut info = db.prepare(&format!("PRAGMA table_info({table})"))?;
    let there: Vec<String> = info.query_map([], |row| row.get(1))?.collect::<rusqlite::Result<_>>()?;
    if there.is_empty() {
        return Ok(());
    }
    let columns: Vec<String> = wanted
        .iter()
        .map(|name| {
            if there.iter().any(|known| known == name) {
                (*name).to_owned()
            } else {
                format!("NULL AS {name}")
            }
        })
        .collect();
    let mut statement = db.prepare(&format!("SELECT {} FROM {table} ORDER BY rowid", columns.join(", ")))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(row)?;
    }
    Ok(())
}

fn text(row: &Row<'_>, column: &str) -> String {
    row.get::<_, Option<String>>(column).ok().flatten().unwrap_or_default().trim().to_owned()
}

fn take(
    row: &Row<'_>,
    project: &str,
    base: &Base,
    found: &mut Observed,
    read: fn(&Row<'_>, &Base) -> Option<Draft>,
) -> rusqlite::Result<()> {
    let of = text(row, "project");
    // Later versions keep the whole path.
    let name = of.rsplit(['/', '\\']).next().unwrap_or_default();
    if !name.eq_ignore_ascii_case(project) {
        found.elsewhere += 1;
        return Ok(());
    }
    if let Some(mut draft) = read(row, base) {
        draft.session = text(row, "memory_session_id");
        let millis: Option<i64> = row.get("created_at_epoch").ok().flatten();
        // Seconds or milliseconds, by version.
        draft.valid_from = millis.map(|at| if at > 100_000_000_000 { at * 1_000 } else { at * 1_000_000 });
        draft.text = draft.text.chars().take(MAX_CHARS).collect();
        found.drafts.push(draft);
    }
    Ok(())
}

fn list(json: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(json).unwrap_or_default();
    value.as_array().into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect()
}

fn observation(row: &Row<'_>, base: &Base) -> Option<Draft> {
    let title = text(row, "title");
    let body = [
        text(row, "narrative"),
        list(&text(row, "facts")).join("\n"),
        text(row, "subtitle"),
        text(row, "text"),
    ];
    let body = body.into_iter().find(|part| !part.is_empty()).unwrap_or_default();
    let whole = match (title.is_empty(), body.is_empty()) {
        (true, true) => return None,
        (false, true) => title,
        (true, false) => body,
        (false, false) => format!("{title}\n{body}"),
    };
    let kind = match text(row, "type").as_str() {
        "decision" => "decision",
        "bugfix" => "failure",
        _ => "learning",
    };
    Some(base.draft(whole, kind, list(&text(row, "concepts"))))
}

fn summary(row: &Row<'_>, base: &Base) -> Option<Draft> {
    let learned = text(row, "learned");
    (!learned.is_empty()).then(|| {
        let request = text(row, "request");
        let whole = if request.is_empty() { learned } else { format!("{request}\n{learned}") };
        base.draft(whole, "learning", Vec::new())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_this_project_with_their_dates() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("m.db");
        let db = Connection::open(&file).unwrap();
        db.execute_batch(
            "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, type TEXT, title TEXT,
               narrative TEXT, facts TEXT, concepts TEXT, created_at_epoch INTEGER);
             INSERT INTO observations VALUES (1, 's1', 'shop', 'decision', 'Cents', 'Prices are whole cents.', '[]', '[\"cart\"]', 1762000000000),
               (2, 's2', 'other', 'bugfix', 'x', 'y', '[]', '[]', 1762000000000),
               (3, 's1', '/home/dev/Shop', 'bugfix', 'Total', '', '[\"one\",\"two\"]', NULL, 1762000000);
             CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, project TEXT, request TEXT, learned TEXT);
             INSERT INTO session_summaries VALUES (1, 'shop', 'fix the total', 'quantities count'), (2, 'shop', 'x', '');",
        )
        .unwrap();
        drop(db);
        let base = Base { program: "claude-mem".into(), ..Base::default() };
        let got = read(&file, "shop", &base).unwrap();
        assert_eq!(got.elsewhere, 1);
        let texts: Vec<(&str, &str)> =
            got.drafts.iter().map(|draft| (draft.kind.as_str(), draft.text.as_str())).collect();
        assert_eq!(
            texts,
            [
                ("decision", "Cents\nPrices are whole cents."),
                ("failure", "Total\none\ntwo"),
                ("learning", "fix the total\nquantities count")
            ]
        );
        assert_eq!(got.drafts[0].valid_from, got.drafts[1].valid_from);
        assert_eq!(got.drafts[0].tags, ["cart", "claude-mem"]);
        assert!(read(&dir.path().join("none.db"), "shop", &base).is_err());
    }
}
