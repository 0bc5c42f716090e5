//! Continuity ledgers and handoff documents of a repository: the newest becomes the project's handoff, decisions and
//! failures become its entries, all are found by the search.

use crate::knowledge::handoff::{self, Handoff, Source};
use crate::knowledge::index::Index;
use crate::knowledge::repository::{self, Document};
use crate::knowledge::{Knowledge, KnowledgeError, ProjectMemory, entries, sections, text};
use serde_json::json;
use sprag_base::time::Stamp;
use sprag_scan::scrub::scrub;
use std::path::Path;

/// The folders that are looked through.
pub const FOLDERS: [&str; 2] = ["thoughts/ledgers", "thoughts/shared/handoffs"];
/// The most characters of a handoff.
const MAX_HANDOFF: usize = 16_000;

/// What was taken over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Documents that the search finds now.
    pub documents: usize,
    /// Decisions that are new.
    pub decisions: usize,
    /// Failures that are new.
    pub failures: usize,
    /// The document that became the handoff.
    pub handoff: Option<String>,
}

/// Takes over what lies in the repository at `root`.
pub fn take(
    knowledge: &Knowledge,
    memory: &ProjectMemory,
    root: &Path,
    now: Stamp,
) -> Result<Taken, KnowledgeError> {
    let mut documents = repository::all(root, FOLDERS.into_iter());
    documents.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.path.cmp(&b.path)));
    let mut done = Taken::default();
    let mut index = Index::open(knowledge)?;
    for document in &documents {
        let Some(body) = document.read() else { continue };
        let records = |kind: &str, found: Vec<String>| -> Vec<entries::Record> {
            let one = |summary: &String| {
                json!({
                    "ts": document.at.to_string(), "type": kind, "summary": scrub(summary), "project": memory.project,
                    "tags": [], "source": "import", "file": document.shown(root),
                })
                .as_object()
                .cloned()
            };
            found.iter().filter_map(one).collect()
        };
        let decisions = listed(&body, &["decisions", "key decisions", "key_decisions"]);
        let failures = listed(&body, &["failed", "what failed", "what_failed"]);
        done.decisions += entries::add_new(&memory.decisions(), records("decision", decisions))?.len();
        done.failures += entries::add_new(&memory.failures(), records("failure", failures))?.len();
        index.put(knowledge, &document.path, Some(memory))?;
        done.documents += 1;
    }
    if let Some(newest) = documents.last() {
        done.handoff = become_handoff(memory, newest, root, now)?;
    }
    for path in [memory.decisions(), memory.failures(), memory.handoff()] {
        index.put(knowledge, &path, None)?;
    }
    Ok(done)
}

/// The document as the project's handoff, unless that is newer.
fn become_handoff(
    memory: &ProjectMemory,
    document: &Document,
    root: &Path,
    now: Stamp,
) -> Result<Option<String>, KnowledgeError> {
    let newer = Handoff::read(memory).is_some_and(|own| own.written.is_none_or(|own| own >= document.at));
    let Some(body) = document.read().filter(|_| !newer) else { return Ok(None) };
    let shown = document.shown(root);
    let body = sections::cut(&body, MAX_HANDOFF, &shown);
    let session = document.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let source = Source { session_id: session, now: document.at.min(now), ..Source::default() };
    handoff::write_document(memory, &source, &scrub(&body))?;
    Ok(Some(shown))
}

/// The items of a list below a heading of Markdown or a key of YAML.
fn listed(body: &str, titles: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut inside = false;
    for line in body.lines() {
        let plain = line.trim();
        let key = plain.strip_suffix(':').filter(|_| !line.starts_with([' ', '\t', '-']));
        let heading = plain.starts_with('#').then(|| plain.trim_start_matches('#').trim());
        if let Some(title) = key.or(heading) {
            let title = title.to_lowercase();
            inside =
                titles.iter().any(|wanted| title == *wanted || title.starts_with(&format!("{wanted} (")));
        } else if !line.starts_with([' ', '\t', '-', '*'])
            && !plain.is_empty()
            && line.contains(": ")
            && !plain.starts_with('#')
        {
            // Another key of YAML with its value beside it.
            inside = false;
        } else if inside && let Some(item) = plain.strip_prefix(['-', '*']) {
            let item = text::one_line(item.trim().trim_matches(['"', '\'', '*']));
            if item.chars().count() > 2 {
                found.push(text::cut(&item, 400));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_both_formats() {
        let yaml = "goal: ship\ndecisions:\n  - cents: whole numbers only\n  - \"no floats\"\nfailed:\n  - rounding at the end\nnext:\n  - x\n";
        assert_eq!(listed(yaml, &["decisions"]), ["cents: whole numbers only", "no floats"]);
        assert_eq!(listed(yaml, &["failed"]), ["rounding at the end"]);
        let markdown = "## Goal\nship\n## Key Decisions (this session)\n- whole cents\n- **no floats**\n## State\n- Now: x\n";
        assert_eq!(listed(markdown, &["key decisions"]), ["whole cents", "no floats"]);
    }
}
