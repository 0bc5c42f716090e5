//! Export and import: JSON lines, one per row, that both databases read and write.

use crate::Store;
use crate::conn::Conn;
use crate::error::{Error, Result};
use crate::migrate::LATEST;
use crate::row::Row;
use crate::value::Value;
use serde_json::{Map, Value as Json, json};
use std::io::{BufRead, Write};

/// A table: its columns, and its key.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// The schema version that created it.
    pub(crate) since: i64,
    columns: &'static str,
    key: &'static str,
}

impl Table {
    /// A query that names every column and returns no row.
    pub(crate) fn empty_query(&self) -> String {
        format!("SELECT {} FROM {} WHERE FALSE", self.columns, self.name)
    }
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
                  created, updated, started, finished, priority, source",
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
        // Not `seq`: an import assigns its own.
        columns: "id, kind, scope, place, text, text_hash, tags, agent, session, origin, importance, created, \
                  updated, expires, version, uses, used, source, project, valid_from, valid_until, superseded_by, \
                  quarantine",
        key: "id",
    },
    Table { name: "memory_versions", since: 6, columns: "id, version, text, until", key: "id, version" },
    Table { name: "memory_links", since: 6, columns: "source, target, kind", key: "source, target, kind" },
    Table { name: "task_deps", since: 9, columns: "task, after", key: "task, after" },
    Table {
        name: "attempts",
        since: 9,
        columns: "id, task, project, number, dispatcher, agent, name, home, host, process, folder, branch, session, \
                  log, state, result, model, input_tokens, cached_tokens, output_tokens, cost_micros, started, \
                  lease_until, ended",
        key: "id",
    },
    Table {
        name: "messages",
        since: 9,
        columns: "id, project, sender, session, recipient, text, at",
        key: "id",
    },
    Table {
        name: "message_reads",
        since: 9,
        columns: "message, reader, agent, session, at, confirmed",
        key: "message, reader",
    },
];

/// The result of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Rows that are new.
    pub added: u64,
    /// Rows whose key existed already; they are not changed.
    pub known: u64,
    /// Rows whose key existed already and that were replaced.
    pub replaced: u64,
}

/// What an import does with a row whose key exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnKnown {
    /// The stored row stays.
    Keep,
    /// The imported row replaces it.
    Replace,
}

/// Rows per query: bounds the memory for any size.
const PAGE: usize = 2_000;

#[expect(clippy::needless_pass_by_value, reason = "the signature that map_err needs")]
fn file_error(error: std::io::Error) -> Error {
    Error::File(error.to_string())
}

fn invalid(context: impl Into<String>, problem: impl Into<String>) -> Error {
    Error::Input { context: context.into(), problem: problem.into() }
}

impl Table {
    fn find(name: &str, context: &str) -> Result<&'static Self> {
        let table = TABLES.iter().find(|table| table.name == name);
        table.ok_or_else(|| invalid(context, format!("there is no table `{name}`")))
    }

    fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.columns.split(", ").map(str::trim)
    }
}

impl Store {
    /// Writes every row of one snapshot; returns the number of rows.
    pub fn export(&mut self, out: &mut dyn Write) -> Result<u64> {
        let all: Vec<_> = TABLES.iter().map(|table| (table, "TRUE")).collect();
        export_tables(&mut *self.conn, &all, &[], out)
    }

    /// Reads what [`Store::export`] wrote, in one transaction.
    pub fn import(&mut self, from: &mut dyn BufRead, on_known: OnKnown) -> Result<Imported> {
        self.atomically(|conn| {
            let mut done = Imported::default();
            let mut text = String::new();
            let mut number = 0;
            let mut ended = false;
            loop {
                text.clear();
                if from.read_line(&mut text).map_err(file_error)? == 0 {
                    break;
                }
                number += 1;
                let context = format!("line {number}");
                let line: Json =
                    serde_json::from_str(&text).map_err(|error| invalid(&context, error.to_string()))?;
                if number == 1 {
                    check_header(&line, &context)?;
                } else if let Some(count) = line.get("end").and_then(Json::as_u64) {
                    if count != done.added + done.known + done.replaced {
                        return Err(invalid(context, "rows are missing before this line"));
                    }
                    ended = true;
                } else {
                    match import_row(conn, &line, &context, on_known)? {
                        RowOutcome::Added => done.added += 1,
                        RowOutcome::Known => done.known += 1,
                        RowOutcome::Replaced => done.replaced += 1,
                    }
                }
            }
            if !ended {
                return Err(invalid(format!("line {number}"), "the file is cut off after this line"));
            }
            Ok(done)
        })
    }

    /// Writes a row of which only some columns are given, for test cases (SQLite): the others are empty, zero or NULL.
    /// A text in a number's column is a time, which `time` parses.
    pub fn seed(
        &mut self,
        table: &str,
        row: &Map<String, Json>,
        time: &dyn Fn(&str) -> Option<i64>,
    ) -> Result<()> {
        let known = Table::find(table, table)?;
        let sql = format!("SELECT name, type, \"notnull\" FROM pragma_table_info('{}')", known.name);
        let columns: Vec<(String, String, bool)> = self.conn.all(&sql, &[])?;
        let mut whole = Map::new();
        for (name, kind, required) in columns {
            let number = kind == "INTEGER";
            let value = match row.get(&name) {
                Some(Json::String(text)) if number => {
                    let problem = || invalid(table, format!("`{name}`: `{text}` is not a valid time"));
                    json!(time(text).ok_or_else(problem)?)
                }
                Some(value) => value.clone(),
                None if !required => Json::Null,
                None if number => json!(0),
                None => json!(""),
            };
            whole.insert(name, value);
        }
        if let Some(key) = row.keys().find(|key| !whole.contains_key(*key)) {
            return Err(invalid(table, format!("there is no column `{key}`")));
        }
        insert(&mut *self.conn, known, &whole, table).map(|_| ())
    }
}

/// Writes the rows of tables that meet their condition, as one snapshot.
pub(crate) fn export_tables(
    conn: &mut dyn Conn,
    tables: &[(&Table, &str)],
    values: &[Value],
    out: &mut dyn Write,
) -> Result<u64> {
    conn.begin_snapshot()?;
    let result = export_rows(conn, tables, values, out);
    let _ = conn.batch("ROLLBACK");
    result
}

fn export_rows(
    conn: &mut dyn Conn,
    tables: &[(&Table, &str)],
    values: &[Value],
    out: &mut dyn Write,
) -> Result<u64> {
    let mut line = |value: &Json| writeln!(out, "{value}").map_err(file_error);
    line(&json!({ "sprag": "store", "format": 1, "schema": LATEST }))?;
    let mut count = 0;
    for (table, wanted) in tables {
        for page in 0.. {
            let sql = format!(
                "SELECT {} FROM {} WHERE {wanted} ORDER BY {} LIMIT {PAGE} OFFSET {}",
                table.columns,
                table.name,
                table.key,
                page * PAGE
            );
            let mut rows = 0;
            conn.query(&sql, values, &mut |row| {
                rows += 1;
                line(&json!({ "table": table.name, "row": exported(table, row)? }))
            })?;
            count += rows as u64;
            if rows < PAGE {
                break;
            }
        }
    }
    // Without this line, the file is incomplete.
    line(&json!({ "end": count }))?;
    Ok(count)
}

fn exported(table: &Table, row: &Row<'_>) -> Result<Map<String, Json>> {
    let mut object = Map::new();
    for (at, name) in table.columns().enumerate() {
        let value = match row.at(at)? {
            Value::Int(number) => json!(number),
            Value::Text(text) => Json::String(text),
            // Only derived data holds bytes, and it is rebuilt.
            Value::Null | Value::Bytes(_) => Json::Null,
        };
        object.insert(name.to_owned(), value);
    }
    Ok(object)
}

fn check_header(line: &Json, context: &str) -> Result<()> {
    let format = line.get("format").and_then(Json::as_i64);
    if line.get("sprag").and_then(Json::as_str) != Some("store") || format != Some(1) {
        return Err(invalid(context, "the file is not an export of a sprag store"));
    }
    let schema = line.get("schema").and_then(Json::as_i64).unwrap_or(0);
    if schema > LATEST { Err(Error::Newer { found: schema, known: LATEST }) } else { Ok(()) }
}

/// What became of an imported row.
enum RowOutcome {
    Added,
    Known,
    Replaced,
}

fn import_row(conn: &mut dyn Conn, line: &Json, context: &str, on_known: OnKnown) -> Result<RowOutcome> {
    let table = Table::find(line.get("table").and_then(Json::as_str).unwrap_or_default(), context)?;
    let row = line.get("row").and_then(Json::as_object).ok_or_else(|| invalid(context, "there is no row"))?;
    let replaced = on_known == OnKnown::Replace && remove(conn, table, row, context)?;
    // Another unique key than the row's own may be taken; then the stored row stays.
    Ok(match insert(conn, table, row, context)? {
        true if replaced => RowOutcome::Replaced,
        true => RowOutcome::Added,
        false => RowOutcome::Known,
    })
}

/// A column's value in an imported row.
fn imported(row: &Map<String, Json>, column: &str, context: &str) -> Result<Value> {
    Ok(match row.get(column) {
        None | Some(Json::Null) => Value::Null,
        Some(Json::String(text)) => Value::from(text),
        Some(number) => {
            let problem = || invalid(context, format!("`{column}` is neither text nor an integer"));
            Value::Int(number.as_i64().ok_or_else(problem)?)
        }
    })
}

/// Removes the row with the same key; true when there was one.
fn remove(conn: &mut dyn Conn, table: &Table, row: &Map<String, Json>, context: &str) -> Result<bool> {
    let key: Vec<&str> = table.key.split(", ").map(str::trim).collect();
    let values = key.iter().map(|column| imported(row, column, context)).collect::<Result<Vec<_>>>()?;
    let same: Vec<String> =
        key.iter().enumerate().map(|(at, column)| format!("{column} = ${}", at + 1)).collect();
    let sql = format!("DELETE FROM {} WHERE {}", table.name, same.join(" AND "));
    Ok(conn.execute(&sql, &values)? > 0)
}

/// Adds a row unless its key exists; true when it was added.
fn insert(conn: &mut dyn Conn, table: &Table, row: &Map<String, Json>, context: &str) -> Result<bool> {
    let values = table.columns().map(|column| imported(row, column, context)).collect::<Result<Vec<_>>>()?;
    let parameters: Vec<String> = (1..=values.len()).map(|number| format!("${number}")).collect();
    let sql = format!(
        "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING",
        table.name,
        table.columns,
        parameters.join(", ")
    );
    Ok(conn.execute(&sql, &values)? > 0)
}
