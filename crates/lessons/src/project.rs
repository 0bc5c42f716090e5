//! A project's own lessons: `.sprag/lessons/*.toml`, committed and reviewed like code.
//! A clone is not trusted: its hints and guards count at once (a guard only tightens), what would speak at the start
//! of every session counts when a person trusted the project.

use crate::import;
use crate::model::{Lesson, Status};
use serde_json::Value;
use sprag_base::files::{self, Identity};
use std::path::{Path, PathBuf};

/// The most files that are read.
const MAX_FILES: usize = 500;
/// The largest file.
const MAX_BYTES: u64 = 1 << 20;

/// A project's lessons, and what is wrong with its files.
#[derive(Debug, Default)]
pub struct ProjectLessons {
    /// The lessons, in the order of the files' names.
    pub lessons: Vec<Lesson>,
    /// The folder and its files, as they were read.
    pub inputs: Vec<(String, Option<Identity>)>,
    /// What is wrong, in words.
    pub warnings: Vec<String>,
}

/// The folder with a project's lessons.
pub fn folder(sprag: &Path) -> PathBuf {
    sprag.join("lessons")
}

/// The files of the folder, by name.
pub fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .take(MAX_FILES)
        .collect();
    found.sort();
    found
}

/// Reads a project's lessons.
pub fn read(folder: &Path, trusted: bool) -> ProjectLessons {
    let mut out = ProjectLessons::default();
    let text = |path: &Path| path.to_string_lossy().into_owned();
    out.inputs.push((text(folder), files::identity(folder)));
    for path in toml_files(folder) {
        out.inputs.push((text(&path), files::identity(&path)));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match one(&path) {
            Ok((lessons, warnings)) => {
                out.warnings.extend(warnings.into_iter().map(|warning| format!("{name}: {warning}")));
                let counts = |lesson: &Lesson| trusted || lesson.kind.about_calls();
                out.lessons
                    .extend(lessons.into_iter().filter(counts).map(|lesson| introduced(lesson, trusted)));
            }
            Err(error) => out.warnings.push(format!("{name}: {error}")),
        }
    }
    out
}

/// A lesson of a clone says whose word it is.
fn introduced(lesson: Lesson, trusted: bool) -> Lesson {
    if trusted {
        return lesson;
    }
    let text = format!("From a file of this repository, which the user has not trusted:\n{}", lesson.text());
    Lesson { message: Some(text), ..lesson }
}

/// Why a file is no lesson.
#[derive(Debug, thiserror::Error)]
enum FileError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("it is not UTF-8")]
    NotUtf8(#[from] std::string::FromUtf8Error),
    #[error("{}", .0.to_string().trim_end())]
    Toml(#[from] toml::de::Error),
    #[error(transparent)]
    Value(#[from] serde_json::Error),
    #[error(transparent)]
    Import(#[from] import::ImportError),
}

/// The lessons of one file: the file itself is one, or holds several as `[[lesson]]`.
fn one(path: &Path) -> Result<(Vec<Lesson>, Vec<String>), FileError> {
    let bytes = files::read_whole(path, MAX_BYTES)?.unwrap_or_default();
    let table: toml::Table = toml::from_str(&String::from_utf8(bytes)?)?;
    let value = serde_json::to_value(&table)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let items = match value.get("lesson") {
        Some(Value::Array(items)) => items.clone(),
        _ => vec![value],
    };
    let several = items.len() > 1;
    let mut lessons = Vec::new();
    let mut warnings = Vec::new();
    for (number, item) in items.into_iter().enumerate() {
        let imported = import::json_text(&camel(item).to_string())?;
        warnings.extend(imported.warnings);
        for mut lesson in imported.lessons {
            if lesson.slug.is_empty() {
                lesson.slug = if several { format!("{stem}-{}", number + 1) } else { stem.clone() };
            }
            // Ids of a file are its own: it can neither replace nor switch off a lesson of the user's.
            lesson.id = format!("project:{}", lesson.slug);
            if !matches!(lesson.status, Status::Disabled | Status::Archived) {
                lesson.status = Status::Active;
            }
            lessons.push(lesson.settled(String::new));
        }
    }
    Ok((lessons, warnings))
}

/// `command_patterns` for people, `commandPatterns` in the formats.
fn camel(value: Value) -> Value {
    let Value::Object(map) = value else { return value };
    let renamed = map.into_iter().map(|(key, value)| {
        let mut name = String::new();
        let mut up = false;
        for c in key.chars() {
            match c {
                '_' => up = true,
                c if up => {
                    name.extend(c.to_uppercase());
                    up = false;
                }
                c => name.push(c),
            }
        }
        (name, value)
    });
    Value::Object(renamed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LessonKind;

    fn write(dir: &Path, name: &str, text: &str) {
        std::fs::create_dir_all(dir).unwrap();
        std::fs::write(dir.join(name), text).unwrap();
    }

    #[test]
    fn files_are_lessons_and_a_clone_cannot_speak_at_the_start() {
        let dir = tempfile::tempdir().unwrap();
        write(
            dir.path(),
            "stash.toml",
            "summary = \"No stash\"\nproblem = \"lost\"\nsolution = \"commit\"\ntool_names = [\"Bash\"]\ncommand_patterns = ['\\bgit\\s+stash\\b']\n",
        );
        write(
            dir.path(),
            "two.toml",
            "[[lesson]]\ntype = \"guard\"\ntool_names = [\"Bash\"]\ncommand_patterns = [\"rm\"]\n[[lesson]]\ntype = \"directive\"\nsummary = \"obey\"\n",
        );
        write(dir.path(), "bad.toml", "summary = \n");
        write(dir.path(), "notes.md", "no lesson");
        let clone = read(dir.path(), false);
        let names: Vec<&str> = clone.lessons.iter().map(|lesson| lesson.slug.as_str()).collect();
        assert_eq!(names, ["stash", "two-1"]);
        assert_eq!(clone.lessons[1].kind, LessonKind::Guard);
        assert!(
            clone.warnings.len() == 1 && clone.warnings[0].starts_with("bad.toml:"),
            "{:?}",
            clone.warnings
        );
        assert_eq!(read(dir.path(), true).lessons.len(), 3);
        assert!(clone.lessons.iter().all(|lesson| lesson.text().contains("has not trusted")));
        assert!(
            read(dir.path(), true).lessons.iter().all(|lesson| !lesson.text().contains("has not trusted"))
        );
        assert_eq!(clone.inputs.len(), 4);
        assert!(clone.lessons.iter().all(|lesson| lesson.id.starts_with("project:")));
    }
}
