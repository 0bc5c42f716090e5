//! Reads lessons from elsewhere: the manifest and the database of the system whose formats these are, lists of
//! lessons, and sprag's own export. Tolerant in what may be missing, loud about what is left out.

use crate::index::Config;
use crate::model::{Lesson, LessonKind, Source, Status, Target};
use crate::pattern::PatternText;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The largest file that is read.
const MAX_BYTES: u64 = 512 << 20;
/// The most lessons that one file may hold.
const MAX_LESSONS: usize = 200_000;

/// What a file held.
#[derive(Debug, Default)]
pub struct Imported {
    /// The lessons, in the file's order.
    pub lessons: Vec<Lesson>,
    /// Numbers that came along.
    pub config: Config,
    /// What was left out or read differently, in words.
    pub warnings: Vec<String>,
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is no file of lessons.
    #[error("{0}")]
    Format(String),
}

/// Reads a file, whichever of the formats it has.
pub fn read(path: &Path, scratch: &Path) -> Result<Imported, ImportError> {
    let bytes = sprag_base::files::read_whole(path, MAX_BYTES)?
        .ok_or_else(|| ImportError::Format(format!("there is no file {}", path.display())))?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return database(path, scratch);
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        ImportError::Format(format!("it is not UTF-8 (from byte {})", error.utf8_error().valid_up_to()))
    })?;
    json_text(&text)
}

/// Reads a manifest, a list of lessons, or an export.
pub fn json_text(text: &str) -> Result<Imported, ImportError> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| ImportError::Format(format!("it is not JSON: {error}")))?;
    let mut out = Imported::default();
    let lessons = match &value {
        Value::Object(top) => {
            out.config = config_of(top);
            top.get("lessons").unwrap_or(&value)
        }
        other => other,
    };
    match lessons {
        Value::Object(by_id) if value.get("lessons").is_some() => {
            for (id, lesson) in by_id.iter().take(MAX_LESSONS) {
                out.add(Some(id), lesson);
            }
        }
        // One lesson alone.
        Value::Object(_) => out.add(None, lessons),
        Value::Array(list) => {
            for lesson in list.iter().take(MAX_LESSONS) {
                out.add(None, lesson);
            }
        }
        _ => {
            return Err(ImportError::Format(
                "it holds no lessons: a manifest has them under `lessons`".into(),
            ));
        }
    }
    Ok(out)
}

fn config_of(top: &Map<String, Value>) -> Config {
    let number = |key: &str| top.get("config").and_then(|config| config.get(key)).and_then(Value::as_u64);
    Config {
        budget_bytes: number("injectionBudgetBytes").and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0),
        max_lessons: number("maxLessonsPerInjection").and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0),
        compaction_threshold: number("compactionReinjectionThreshold").and_then(|n| u8::try_from(n).ok()),
    }
}

impl Imported {
    fn add(&mut self, id: Option<&str>, value: &Value) {
        let Value::Object(map) = value else {
            self.warnings.push(format!("{}: not an object, ignored", id.unwrap_or("a lesson")));
            return;
        };
        let lesson = lesson(id, map, &mut self.warnings);
        self.lessons.push(lesson);
    }
}

/// A lesson's fields, under the names that they have had.
fn lesson(id: Option<&str>, map: &Map<String, Value>, warnings: &mut Vec<String>) -> Lesson {
    let triggers = map.get("triggers").and_then(Value::as_object);
    let field = |names: &[&str]| -> Option<&Value> {
        let inner = |name: &&str| triggers.and_then(|triggers| triggers.get(*name));
        names.iter().find_map(|name| map.get(*name).filter(|value| !value.is_null()).or_else(|| inner(name)))
    };
    let text = |names: &[&str]| field(names).and_then(Value::as_str).unwrap_or_default().to_owned();
    let whole = |names: &[&str]| field(names).and_then(Value::as_i64);
    let mut out = Lesson {
        id: id.map_or_else(|| text(&["id"]), str::to_owned),
        slug: text(&["slug"]),
        status: Status::Active,
        summary: text(&["summary"]),
        problem: text(&["problem", "mistake"]),
        solution: text(&["solution", "remediation", "fix"]),
        tool_names: texts(field(&["toolNames", "tool_names"])),
        command_patterns: pattern_list(field(&["commandRegexSources", "commandPatterns"])),
        path_patterns: pattern_list(field(&["pathRegexSources", "pathPatterns"])),
        content_patterns: pattern_list(field(&["contentRegexSources", "contentPatterns"])),
        model_patterns: pattern_list(field(&["modelRegexSources", "modelPatterns"])),
        tags: texts(field(&["tags"])),
        scope: Some(text(&["scope"])).filter(|scope| !scope.is_empty()),
        source_session_ids: texts(field(&["sourceSessionIds"])),
        occurrence_count: whole(&["occurrenceCount"]).unwrap_or(0),
        session_count: whole(&["sessionCount"]).unwrap_or(0),
        project_count: whole(&["projectCount"]).unwrap_or(0),
        archive_reason: Some(text(&["archiveReason"])).filter(|reason| !reason.is_empty()),
        duplicated_by: object(field(&["duplicatedBy"])),
        requires: object(field(&["requires"])),
        message: Some(text(&["message"])).filter(|message| !message.trim().is_empty()),
        cooldown_minutes: whole(&["cooldownMinutes"]).and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
        ..Lesson::new()
    };
    if out.tool_names.is_empty() {
        let tools = text(&["tool"]);
        out.tool_names =
            tools.split(',').map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned).collect();
    }
    if out.slug.is_empty() {
        out.slug.clone_from(&out.id);
    }
    if let Some(number) = field(&["priority"]).and_then(Value::as_f64) {
        out.priority = number.clamp(1.0, 10.0) as u8;
    }
    if let Some(number) = field(&["confidence"]).and_then(Value::as_f64) {
        out.confidence = number;
    }
    let name = if out.slug.is_empty() { "a lesson".to_owned() } else { out.slug.clone() };
    let kind = text(&["type"]);
    out.kind = LessonKind::from_name(&kind).unwrap_or_else(|| {
        if !kind.is_empty() {
            warnings.push(format!("{name}: unknown lesson type `{kind}`; imported as a hint"));
        }
        LessonKind::Hint
    });
    if kind.is_empty() || out.kind == LessonKind::Hint {
        if truthy(field(&["block"])) {
            out.kind = LessonKind::Guard;
        } else if truthy(field(&["sessionStart"]))
            || texts(field(&["injectOn"])).iter().any(|event| event == "SessionStart")
        {
            out.kind = LessonKind::Protocol;
        }
    }
    out.source = match text(&["source"]).as_str() {
        "structured" => Source::Structured,
        "heuristic" => Source::Heuristic,
        _ => Source::Manual,
    };
    out.command_match_target = match text(&["commandMatchTarget"]).as_str() {
        "full" => Some(Target::Full),
        "executable" => Some(Target::Executable),
        _ => None,
    };
    if let Some(status) = Status::from_name(&text(&["status"])) {
        out.status = status;
    }
    if truthy(map.get("disabled")) {
        out.status = Status::Disabled;
    }
    if let Some(reason) = field(&["blockReason"]).and_then(Value::as_str).filter(|_| out.message.is_none()) {
        out.message = Some(reason.to_owned()).filter(|reason| !reason.trim().is_empty());
    }
    if let Some(trigger) = field(&["trigger"]).and_then(Value::as_str).map(str::trim)
        && !trigger.is_empty()
        && out.command_patterns.is_empty()
    {
        out.command_patterns.push(trigger_pattern(trigger));
    }
    out
}

/// What was typed, as a pattern: the words as they are, and whole.
pub fn trigger_pattern(trigger: &str) -> PatternText {
    let mut source = String::new();
    let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    if word(trigger.chars().next()) {
        source.push_str(r"\b");
    }
    source.push_str(&escaped(trigger));
    if word(trigger.chars().last()) {
        source.push_str(r"\b");
    }
    PatternText::new(source)
}

/// A text as a pattern that matches itself.
pub(crate) fn escaped(text: &str) -> String {
    let mut source = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\^$.|?*+()[]{}".contains(c) {
            source.push('\\');
        }
        source.push(c);
    }
    source
}

fn truthy(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(on)) => *on,
        Some(Value::Number(number)) => number.as_i64() != Some(0),
        Some(Value::String(text)) => matches!(text.as_str(), "true" | "1"),
        _ => false,
    }
}

/// A list, which a database keeps as text.
fn list(value: Option<&Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items.clone(),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Array(items)) => items,
            _ if text.trim().is_empty() => Vec::new(),
            _ => text.split(',').map(|part| json!(part.trim())).collect(),
        },
        _ => Vec::new(),
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    list(value)
        .iter()
        .filter_map(Value::as_str)
        .map(str::trim)
        .filter(|t| !t.is_empty())
        .map(str::to_owned)
        .collect()
}

fn pattern_list(value: Option<&Value>) -> Vec<PatternText> {
    // A pattern alone may hold a comma: only a list is split.
    let items = match value {
        Some(Value::String(text)) if !text.trim_start().starts_with('[') => vec![json!(text)],
        other => list(other),
    };
    items
        .iter()
        .filter_map(|item| match item {
            Value::String(source) if !source.is_empty() => Some(PatternText::new(source.as_str())),
            Value::Object(map) => {
                let source = map.get("source").and_then(Value::as_str).filter(|source| !source.is_empty())?;
                let flags = map.get("flags").and_then(Value::as_str).unwrap_or_default();
                Some(PatternText::with_flags(source, flags))
            }
            _ => None,
        })
        .collect()
}

fn object(value: Option<&Value>) -> Option<Value> {
    match value? {
        Value::String(text) => serde_json::from_str(text).ok().filter(|value: &Value| !value.is_null()),
        Value::Null => None,
        other => Some(other.clone()),
    }
}

/// Reads a database. It is copied first, with its log: the file itself is not touched, and a folder that cannot be
/// written is no obstacle.
fn database(path: &Path, scratch: &Path) -> Result<Imported, ImportError> {
    let folder = sprag_base::files::scratch_name(&scratch.join("import"));
    sprag_base::files::make_dir(&folder)?;
    let result = copied(path, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn copied(path: &Path, folder: &Path) -> Result<Imported, ImportError> {
    let copy = folder.join("lessons.db");
    sprag_base::files::copy(path, &copy, MAX_BYTES)?;
    for end in ["-wal", "-shm"] {
        let mut beside = path.as_os_str().to_os_string();
        beside.push(end);
        if Path::new(&beside).is_file() {
            sprag_base::files::copy(Path::new(&beside), &folder.join(format!("lessons.db{end}")), MAX_BYTES)?;
        }
    }
    let failed =
        |error: rusqlite::Error| ImportError::Format(format!("the database cannot be read: {error}"));
    let conn = rusqlite::Connection::open(&copy).map_err(failed)?;
    let mut statement = conn.prepare("SELECT * FROM lessons").map_err(failed)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([]).map_err(failed)?;
    let mut out = Imported::default();
    while let Some(row) = rows.next().map_err(failed)? {
        if out.lessons.len() >= MAX_LESSONS {
            out.warnings.push(format!("only the first {MAX_LESSONS} lessons were read"));
            break;
        }
        let mut map = Map::new();
        for (column, name) in names.iter().enumerate() {
            let value = match row.get_ref(column).map_err(failed)? {
                rusqlite::types::ValueRef::Integer(number) => json!(number),
                rusqlite::types::ValueRef::Real(number) => json!(number),
                rusqlite::types::ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
                _ => Value::Null,
            };
            map.insert(name.clone(), value);
        }
        out.add(None, &Value::Object(map));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_manifest_is_read_as_it_is() {
        let text = json!({
            "type": "lessons-learned-manifest", "version": 1,
            "config": {"injectionBudgetBytes": 2048, "maxLessonsPerInjection": 2, "compactionReinjectionThreshold": 8},
            "lessons": {
                "01A": {"slug": "one", "type": "guard", "priority": 9, "toolNames": ["Bash"],
                    "commandRegexSources": [{"source": "pytest(?!.*--timeout)", "flags": ""}],
                    "commandMatchTarget": "executable", "pathRegexSources": [], "modelRegexSources": [],
                    "message": "## Lesson: One\nbad\n**Fix**: good", "summary": "One"},
                "01B": {"toolNames": ["Edit"], "pathRegexSources": [{"source": "Makefile", "flags": "i"}], "disabled": true},
                "01C": null, "01D": {"triggers": {"sessionStart": true, "toolNames": ["Bash"]}, "mistake": "m", "remediation": "r"},
                "01E": {"triggers": {"commandPatterns": ["git"], "toolNames": ["Bash"]}, "block": true, "blockReason": "no"},
                "01F": {"type": "nonsense", "priority": 99}
            }
        });
        let got = json_text(&text.to_string()).unwrap();
        assert_eq!(got.config.budget_bytes, Some(2048));
        assert_eq!((got.config.max_lessons, got.config.compaction_threshold), (Some(2), Some(8)));
        let by = |id: &str| got.lessons.iter().find(|lesson| lesson.id == id).unwrap();
        assert_eq!(
            (by("01A").kind, by("01A").priority, by("01A").status),
            (LessonKind::Guard, 9, Status::Active)
        );
        assert_eq!(by("01A").text(), "## Lesson: One\nbad\n**Fix**: good");
        assert_eq!(
            (by("01B").slug.as_str(), by("01B").status, by("01B").priority),
            ("01B", Status::Disabled, 5)
        );
        assert_eq!(
            (by("01D").kind, by("01D").problem.as_str()),
            (LessonKind::Protocol, "m"),
            "legacy sessionStart"
        );
        assert_eq!((by("01E").kind, by("01E").text().as_str()), (LessonKind::Guard, "no"));
        assert_eq!(by("01E").tool_names, ["Bash"]);
        assert_eq!((by("01F").kind, by("01F").priority), (LessonKind::Hint, 10));
        assert_eq!(got.warnings.len(), 2, "{:?}", got.warnings);
    }

    #[test]
    fn fault_20_nested_triggers_tools_scope_and_target_count() {
        let text = r#"{"summary":"s","problem":"p","solution":"q","scope":"shop","commandMatchTarget":"executable",
            "triggers":{"toolNames":["Bash","Read"],"commandPatterns":["npm"],"pathPatterns":"*.ts","contentPatterns":["x"]}}"#;
        let got = json_text(text).unwrap().lessons.remove(0);
        assert_eq!(got.tool_names, ["Bash", "Read"]);
        assert_eq!(
            (got.command_patterns.len(), got.path_patterns.len(), got.content_patterns.len()),
            (1, 1, 1)
        );
        assert_eq!(
            (got.scope.as_deref(), got.command_match_target),
            (Some("shop"), Some(Target::Executable))
        );
    }

    #[test]
    fn a_database_is_read_as_it_is_and_not_touched() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lessons.db");
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.execute_batch(
            "PRAGMA journal_mode=WAL;
             CREATE TABLE lessons (id TEXT PRIMARY KEY, slug TEXT, status TEXT, type TEXT, summary TEXT, problem TEXT,
               solution TEXT, toolNames TEXT, commandPatterns TEXT, pathPatterns TEXT, priority INTEGER, confidence REAL,
               tags TEXT, scope TEXT, embedding BLOB);
             INSERT INTO lessons VALUES ('1','one','active','hint','s','p','q','[\"Bash\"]','[\"\\\\bgit\\\\b\"]','[]',7,0.9,'[\"tool:git\"]',NULL,x'00');
             INSERT INTO lessons VALUES ('2','two','candidate','guard','s','p','q','[]','[]','[]',7,0.9,'[]','shop',NULL);",
        )
        .unwrap();
        let got = read(&path, &dir.path().join("scratch")).unwrap();
        assert_eq!(got.lessons.len(), 2, "the log beside the file counts");
        assert_eq!(got.lessons[0].tool_names, ["Bash"]);
        assert_eq!(got.lessons[0].command_patterns[0].source(), r"\bgit\b");
        assert_eq!(
            (got.lessons[1].status, got.lessons[1].scope.as_deref()),
            (Status::Candidate, Some("shop"))
        );
        assert!(!dir.path().join("scratch").read_dir().unwrap().any(|_| true), "the copy is gone");
    }

    #[test]
    fn what_is_no_file_of_lessons_says_so() {
        assert!(json_text("nope").unwrap_err().to_string().contains("not JSON"));
        assert!(json_text("3").unwrap_err().to_string().contains("holds no lessons"));
        let dir = tempfile::tempdir().unwrap();
        assert!(
            read(&dir.path().join("none"), dir.path()).unwrap_err().to_string().contains("there is no file")
        );
        let bad = dir.path().join("bad");
        std::fs::write(&bad, b"\xff\xfe{}").unwrap();
        assert!(read(&bad, dir.path()).unwrap_err().to_string().contains("UTF-8"));
    }

    #[test]
    fn a_trigger_is_taken_literally_and_whole() {
        assert_eq!(trigger_pattern("git stash").source(), r"\bgit stash\b");
        assert_eq!(trigger_pattern("rm *.o").source(), r"\brm \*\.o\b");
        assert_eq!(trigger_pattern("--force").source(), r"--force\b");
    }

    proptest! {
        #[test]
        fn any_json_is_survived(text in "[\\[\\]{}\":, a-z0-9]{0,60}") {
            let _ = json_text(&text);
        }
    }
}
