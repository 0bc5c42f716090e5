//! Learnings: knowledge that holds outside of its project, one markdown file each.

use super::prompt::Learning;
use super::{Knowledge, KnowledgeError, Result, export, front, text};
use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_scan::scrub::scrub;
use std::path::PathBuf;

/// So many of the newest are compared with a new one.
const COMPARED: usize = 200;

/// Files of learnings, the newest first.
fn all(knowledge: &Knowledge) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for month in std::fs::read_dir(&knowledge.learnings).into_iter().flatten().flatten() {
        for entry in std::fs::read_dir(month.path()).into_iter().flatten().flatten() {
            let path = entry.path();
            let review = entry.file_name().as_encoded_bytes().starts_with(b"_review-");
            if path.extension().is_some_and(|ext| ext == "md") && !review {
                found.push(path);
            }
        }
    }
    found.sort_by(|a, b| b.cmp(a));
    found
}

/// Titles of the newest learnings.
pub fn titles(knowledge: &Knowledge, most: usize) -> Vec<String> {
    let newest = all(knowledge).into_iter().take(most);
    newest.filter_map(|path| Some(front::get(&export::front_of(&path)?, "title")?.to_owned())).collect()
}

/// Writes a learning, unless one says the same. Returns its file when it is new.
pub fn write(
    knowledge: &Knowledge,
    learning: &Learning,
    project: &str,
    now: Stamp,
) -> Result<Option<PathBuf>> {
    let title = scrub(&text::one_line(&learning.title)).into_owned();
    if titles(knowledge, COMPARED).iter().any(|known| text::same(known, &title)) {
        return Ok(None);
    }
    let (year, month, day, ..) = now.civil();
    let date = format!("{year:04}-{month:02}-{day:02}");
    let host = text::slug(knowledge.machine.split('.').next().unwrap_or_default(), 30);
    let name = format!("{date}-{}-{host}", text::slug(&title, 50));
    let folder = knowledge.learnings.join(format!("{year:04}-{month:02}"));
    // Two titles with the same slug are two learnings.
    let free = (1..100).map(|n| if n == 1 { format!("{name}.md") } else { format!("{name}-{n}.md") });
    let Some(path) = free.map(|name| folder.join(name)).find(|path| !path.exists()) else { return Ok(None) };
    let tags = serde_json::to_string(&learning.tags).unwrap_or_default();
    let head = front::write(&[
        ("title", front::quoted(&title)),
        ("origin", front::scalar(project)),
        ("origin_session", date),
        ("tags", tags),
        ("scope", front::scalar(if learning.scope.is_empty() { "universal" } else { &learning.scope })),
        ("status", "active".to_owned()),
        ("deprecated_by", "null".to_owned()),
        ("deprecated_on", "null".to_owned()),
        ("deprecated_reason", "null".to_owned()),
    ]);
    let body = format!(
        "{head}\n## Learning\n\n{}\n\n## Context\n\n{}\n",
        scrub(&learning.learning),
        scrub(&learning.context)
    );
    files::write_durable(&path, body.as_bytes()).map_err(KnowledgeError::at(&path))?;
    Ok(Some(path))
}
