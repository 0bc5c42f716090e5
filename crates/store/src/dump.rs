//! Export and import: JSON lines that either database reads and writes, one row each.

use crate::Store;
use crate::error::{Error, Result};
use crate::migrate::LATEST;
use crate::value::Value;
use serde_json::{Map, Value as Json, json};
use std::io::{BufRead, Write};

/// A table: its columns, and those that tell one row from another.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// The schema version that made it.
    pub(crate) since: i64,
    columns: &'static str,
    key: &'static str,
}

pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "agents",
        since: 1,
        columns: "id, home, name, host, role, first_seen, last_seen",
        key: "home, name",
    },
    Table {
        name: "sessions",
        since: 1,
        columns: "id, agent, session, home, host, pid, project, root, branch, source, started, registered, \
                  seen, lease_until, ended",
        key: "agent, session",
    },
    Table {
        name: "kv",
        since: 1,
        columns: "space, name, value, version, updated, expires",
        key: "space, name",
    },
    Table { name: "applied", since: 1, columns: "id, at", key: "id" },
    Table {
        name: "runs",
        since: 2,
        columns: "hour, home, agent, event, hook, fires, deny, block, ask, chars, errors, skips, shadow, last, \
                  last_verdict, last_error",
        key: "hour, home, agent, event, hook",
    },
    Table {
        name: "run_times",
        since: 2,
        columns: "hour, home, agent, event, hook, slot, count",
        key: "hour, home, agent, event, hook, slot",
    },
    Table { name: "ingest", since: 2, columns: "source, position, lines, broken, updated", key: "source" },
    Table {
        name: "claims",
        since: 3,
        columns: "repo, branch, path, agent, session, host, root, since, renewed, expires",
        key: "repo, branch, path",
    },
    Table {
        name: "tasks",
        since: 3,
        columns: "id, parent, title, goal, state, creator, assignee, agent, session, project, progress, outcome, \
                  created, updated, started, finished",
        key: "id",
    },
    Table {
        name: "members",
        since: 3,
        columns: "agent, session, home, name, doing, active, offline",
        key: "agent, session",
    },
    Table {
        name: "pattern_runs",
        since: 4,
        columns: "project, id, kind, session, total, settings, state, told, posts, base, since, created, updated",
        key: "project, id",
    },
    Table {
        name: "pattern_members",
        since: 4,
        columns: "project, run, member, role, seat, session, state, vote, output, joined, ended",
        key: "project, run, member",
    },
    Table {
        name: "pattern_posts",
        since: 4,
        columns: "project, run, seq, author, role, topic, text, at",
        key: "project, run, seq",
    },
    Table {
        name: "identity_versions",
        since: 4,
        columns: "agent, doc, version, hash, text, source, session, host, at",
        key: "agent, doc, version",
    },
    Table {
        name: "lessons",
        since: 5,
        columns: "id, slug, status, kind, priority, confidence, hash, data, created, updated",
        key: "id",
    },
    Table {
        name: "lesson_sightings",
        since: 5,
        columns: "lesson, session, place, project, at",
        key: "lesson, session, place",
    },
    Table {
        name: "lesson_fires",
        since: 5,
        columns: "lesson, session, shown, denied, ignored, last",
        key: "lesson, session",
    },
    Table { name: "lesson_reviews", since: 5, columns: "id, at, action, lesson, detail", key: "id" },
    Table {
        name: "memories",
        since: 6,
        // Not `seq`: an import gives its own.
        columns: "id, kind, scope, place, text, text_hash, tags, agent, session, origin, importance, created, \
                  updated, expires, version, uses, used",
        key: "id",
    },
    Table { name: "memory_versions", since: 6, columns: "id, version, text, until", key: "id, version" },
    Table { name: "memory_links", since: 6, columns: "source, target, kind", key: "source, target, kind" },
];

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Rows that are new.
    pub added: u64,
    /// Rows whose key was there already; they stay as they are.
    pub known: u64,
}

/// Rows per question: bounds the memory whatever the size.
const PAGE: usize = 2_000;

fn io(error: &std::io::Error) -> Error {
    Error::Rejected(error.to_string())
}

impl Store {
    /// Writes every row, as of one moment. Gives the number of rows.
    pub fn export(&mut self, out: &mut dyn Write) -> Result<u64> {
        self.conn.begin_snapshot()?;
        let result = self.export_rows(out);
        let _ = self.conn.batch("ROLLBACK");
        result
    }

    fn export_rows(&mut self, out: &mut dyn Write) -> Result<u64> {
        let mut line = |value: &Json| writeln!(out, "{value}").map_err(|error| io(&error));
        line(&json!({ "sprag": "store", "format": 1, "schema": LATEST }))?;
        let mut count = 0;
        for table in TABLES {
            let columns: Vec<&str> = table.columns.split(", ").map(str::trim).collect();
            for page in 0.. {
                let sql = format!(
                    "SELECT {} FROM {} ORDER BY {} LIMIT {PAGE} OFFSET {}",
                    table.columns,
                    table.name,
                    table.key,
                    page * PAGE
                );
                let rows = self.conn.query(&sql, &[])?;
                for row in &rows {
                    let values = columns.iter().zip(row).map(|(name, value)| {
                        let value = match value {
                            Value::Null => Json::Null,
                            Value::Int(number) => json!(number),
                            Value::Text(text) => json!(text),
                            // Only what is derived holds bytes, and that is made anew.
                            Value::Bytes(_) => Json::Null,
                        };
                        ((*name).to_owned(), value)
                    });
                    line(&json!({ "table": table.name, "row": values.collect::<Map<_, _>>() }))?;
                    count += 1;
                }
                if rows.len() < PAGE {
                    break;
                }
            }
        }
        // The end is told from a file that was cut off.
        line(&json!({ "end": count }))?;
        Ok(count)
    }

    /// Reads what [`Store::export`] wrote. All of it counts, or nothing. Rows that are there stay.
    pub fn import(&mut self, from: &mut dyn BufRead) -> Result<Imported> {
        self.atomically(|conn| {
            let mut done = Imported::default();
            let mut text = String::new();
            let mut number = 0;
            let mut ended = false;
            loop {
                text.clear();
                if from.read_line(&mut text).map_err(|error| io(&error))? == 0 {
                    break;
                }
                number += 1;
                let wrong = |what: &str| Error::Rejected(format!("line {number}: {what}"));
                let line: Json = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
                if number == 1 {
                    let format = line.get("format").and_then(Json::as_i64);
                    if line.get("sprag").and_then(Json::as_str) != Some("store") || format != Some(1) {
                        return Err(wrong("this is no export of a sprag store"));
                    }
                    let schema = line.get("schema").and_then(Json::as_i64).unwrap_or(0);
                    if schema > LATEST {
                        return Err(Error::Newer { found: schema, known: LATEST });
                    }
                    continue;
                }
                if let Some(count) = line.get("end").and_then(Json::as_u64) {
                    if count != done.added + done.known {
                        return Err(wrong("rows are missing before this line"));
                    }
                    ended = true;
                    continue;
                }
                let name = line.get("table").and_then(Json::as_str).unwrap_or_default();
                let table = TABLES.iter().find(|table| table.name == name);
                let table = table.ok_or_else(|| wrong(&format!("there is no table `{name}`")))?;
                let row = line.get("row").and_then(Json::as_object).ok_or_else(|| wrong("no row"))?;
                if insert(conn, table, row, &wrong)? {
                    done.added += 1;
                } else {
                    done.known += 1;
                }
            }
            if !ended {
                return Err(Error::Rejected(format!("the file is cut off after line {number}")));
            }
            Ok(done)
        })
    }
}

impl Store {
    /// Writes a row of which only a part is said, for test cases (SQLite): what is missing is empty, zero or null.
    /// A text where a number stands is a time, which `time` reads.
    pub fn seed(
        &mut self,
        table: &str,
        row: &Map<String, Json>,
        time: &dyn Fn(&str) -> Option<i64>,
    ) -> Result<()> {
        let wrong = |what: String| Error::Rejected(format!("{table}: {what}"));
        let known = TABLES.iter().find(|known| known.name == table);
        let known = known.ok_or_else(|| wrong("there is no such table".to_owned()))?;
        let sql = format!("SELECT name, type, \"notnull\" FROM pragma_table_info('{}')", known.name);
        let columns = self.conn.query(&sql, &[])?;
        let mut whole = Map::new();
        for column in &columns {
            let text = |at: usize| column.get(at).map_or_else(String::new, Value::text);
            let (name, number) = (text(0), text(1) == "INTEGER");
            let value = match row.get(&name) {
                Some(Json::String(text)) if number => {
                    json!(time(text).ok_or_else(|| wrong(format!("`{name}`: `{text}` is no time")))?)
                }
                Some(value) => value.clone(),
                None if column.get(2).map_or(0, Value::int) == 0 => Json::Null,
                None if number => json!(0),
                None => json!(""),
            };
            whole.insert(name, value);
        }
        if let Some(key) = row.keys().find(|key| !whole.contains_key(*key)) {
            return Err(wrong(format!("there is no column `{key}`")));
        }
        insert(&mut *self.conn, known, &whole, &|what| wrong(what.to_owned())).map(|_| ())
    }
}

fn insert(
    conn: &mut dyn crate::conn::Conn,
    table: &Table,
    row: &Map<String, Json>,
    wrong: &dyn Fn(&str) -> Error,
) -> Result<bool> {
    let mut values = Vec::new();
    for column in table.columns.split(", ").map(str::trim) {
        values.push(match row.get(column) {
            None | Some(Json::Null) => Value::Null,
            Some(Json::String(text)) => Value::from(text),
            Some(number) => {
                let number = number.as_i64();
                Value::Int(number.ok_or_else(|| wrong(&format!("`{column}` is no text and no number")))?)
            }
        });
    }
    let places: Vec<String> = (1..=values.len()).map(|place| format!("${place}")).collect();
    let sql = format!(
        "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING",
        table.name,
        table.columns,
        places.join(", ")
    );
    Ok(conn.execute(&sql, &values)? > 0)
}
