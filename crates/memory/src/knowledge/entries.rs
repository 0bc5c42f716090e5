//! JSON lines of a project: decisions, failures, grades, outcomes. Replaced whole, so that a crash or a full disk
//! leaves the old file; what is already there is not written again.

use super::{KnowledgeError, Result, text};
use serde_json::{Map, Value};
use sprag_base::files;
use std::path::Path;

/// One line.
pub type Record = Map<String, Value>;

/// A file with more bytes is not read: somebody put something else there.
const MAX_FILE: u64 = 64 << 20;

/// The records of a file, in order. Lines that are no objects are passed over.
pub fn read(path: &Path) -> Vec<Record> {
    let bytes = files::read_limited(path, MAX_FILE).ok().flatten().unwrap_or_default();
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The last `count` records.
pub fn last(path: &Path, count: usize) -> Vec<Record> {
    let mut records = read(path);
    records.split_off(records.len().saturating_sub(count))
}

/// A text field; empty when it is not there.
pub fn field<'a>(record: &'a Record, key: &str) -> &'a str {
    record.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Adds the records whose summary says something new. Returns those that were added.
pub fn add_new(path: &Path, records: Vec<Record>) -> Result<Vec<Record>> {
    let mut known: Vec<String> =
        read(path).iter().map(|record| field(record, "summary").to_owned()).collect();
    let mut fresh = Vec::new();
    for record in records {
        let summary = field(&record, "summary").to_owned();
        if !known.iter().any(|old| text::same(old, &summary)) {
            known.push(summary);
            fresh.push(record);
        }
    }
    append(path, &fresh)?;
    Ok(fresh)
}

/// Puts records behind the others, after taking out those that `old` names.
pub fn replace_where(path: &Path, old: impl Fn(&Record) -> bool, records: Vec<Record>) -> Result<()> {
    let mut kept: Vec<Record> = read(path);
    let before = kept.len();
    kept.retain(|record| !old(record));
    if kept.len() == before {
        return append(path, &records);
    }
    kept.extend(records);
    let mut out = Vec::new();
    for record in &kept {
        out.extend(line(record));
    }
    files::write_durable(path, &out).map_err(KnowledgeError::at(path))
}

fn append(path: &Path, records: &[Record]) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let mut out = files::read_whole(path, MAX_FILE).map_err(KnowledgeError::at(path))?.unwrap_or_default();
    if !out.is_empty() && !out.ends_with(b"\n") {
        out.push(b'\n');
    }
    for record in records {
        out.extend(line(record));
    }
    files::write_durable(path, &out).map_err(KnowledgeError::at(path))
}

fn line(record: &Record) -> Vec<u8> {
    let mut line = serde_json::to_vec(record).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(summary: &str) -> Record {
        json!({"summary": summary, "tags": ["é"]}).as_object().cloned().unwrap()
    }

    #[test]
    fn what_is_known_is_not_added_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/decisions.jsonl");
        let added = add_new(&path, vec![record("Use pnpm here"), record("use PNPM, here!")]).unwrap();
        assert_eq!(added.len(), 1);
        // A person's own line and a torn one stay as they are.
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"torn\": \n{\"summary\":\"by hand\"}");
        std::fs::write(&path, &text).unwrap();
        assert_eq!(
            add_new(&path, vec![record("Use pnpm here"), record("Prices are cents")]).unwrap().len(),
            1
        );
        let now = std::fs::read_to_string(&path).unwrap();
        assert!(now.starts_with(&text) && now.ends_with('\n') && now.contains("\"é\""), "{now}");
        assert_eq!(read(&path).len(), 3);
        assert_eq!(field(&last(&path, 1)[0], "summary"), "Prices are cents");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_changes_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("decisions.jsonl");
        add_new(&path, vec![record("one")]).unwrap();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o500)).unwrap();
        let result = add_new(&path, vec![record("two")]);
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        // A superuser may write everywhere.
        if result.is_err() {
            assert_eq!(read(&path).len(), 1);
        }
    }
}
