//! Everything that the store keeps about one project, for export and deletion.

use crate::Store;
use crate::dump::{self, TABLES};
use crate::error::Result;
use crate::value::values;
use std::io::Write;

/// The rows that belong to the project with key `$1`, by table; what refers to another table comes before it.
const OF_PROJECT: &[(&str, &str)] = &[
    ("claims", "repo = $1"),
    ("members", "session IN (SELECT session FROM sessions WHERE project = $1)"),
    ("lesson_sightings", "session IN (SELECT session FROM sessions WHERE project = $1)"),
    ("lesson_fires", "session IN (SELECT session FROM sessions WHERE project = $1)"),
    ("pattern_posts", "project = $1"),
    ("pattern_members", "project = $1"),
    ("pattern_runs", "project = $1"),
    ("task_deps", "task IN (SELECT id FROM tasks WHERE project = $1)"),
    ("attempts", "project = $1"),
    ("message_reads", "message IN (SELECT id FROM messages WHERE project = $1)"),
    ("messages", "project = $1"),
    ("tasks", "project = $1"),
    ("memory_links", "source IN (SELECT id FROM memories WHERE scope = 'project' AND place = $1)"),
    ("memory_versions", "id IN (SELECT id FROM memories WHERE scope = 'project' AND place = $1)"),
    ("memories", "scope = 'project' AND place = $1"),
    ("sessions", "project = $1"),
];

impl Store {
    /// Writes the rows of a project as [`Store::export`] writes all of them; returns the number of rows.
    pub fn export_project(&mut self, project: &str, out: &mut dyn Write) -> Result<u64> {
        let wanted = |table: &str| OF_PROJECT.iter().find(|(name, _)| *name == table).map(|(_, rows)| *rows);
        let tables: Vec<_> = TABLES.iter().filter_map(|table| Some((table, wanted(table.name)?))).collect();
        dump::export_tables(&mut *self.conn, &tables, values![project], out)
    }

    /// Removes the rows of a project; returns how many of each table.
    pub fn delete_project(&mut self, project: &str) -> Result<Vec<(&'static str, u64)>> {
        let gone = self.atomically(|conn| {
            let delete = |(table, rows): &(&'static str, &str)| {
                Ok((*table, conn.execute(&format!("DELETE FROM {table} WHERE {rows}"), values![project])?))
            };
            OF_PROJECT.iter().map(delete).collect::<Result<_>>()
        })?;
        // Deleted rows stay in free pages and in the word index until these are rewritten. What one of the databases does not
        // know is an error there, and harmless.
        let _ = self.conn.batch("INSERT INTO memory_words (memory_words) VALUES ('optimize')");
        let _ = self.conn.batch("VACUUM");
        Ok(gone)
    }
}
