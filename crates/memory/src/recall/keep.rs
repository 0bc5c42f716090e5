//! The background work that keeps what an agent found out: learnings of a subagent's last words, of a session's
//! transcript.

use super::{Draft, Error, Maker, learned::learnings};
use crate::knowledge::is_decision;
use crate::memories;
use sprag_config::host::Host;
use sprag_coord::store::micros;
use sprag_runtime::job::JobError;
use sprag_runtime::work::{LastWords, Learning, LearningOrigin, Summary};
use sprag_store::Opening;
use sprag_transcript::{Reader, RecordKind, Role};
use std::path::Path;

/// As much of a transcript's end is read.
const TAIL: u64 = 1 << 20;

/// Keeps what a subagent found out.
pub fn learn(host: &Host, ended: &Learning) -> Result<(), JobError> {
    let said = match &ended.said {
        LastWords::Text(text) => text.clone(),
        LastWords::Path(path) => last_words(path),
    };
    Ok(keep(host, &ended.origin, &learnings(host, &said))?)
}

/// What a subagent said last, by its own transcript; nothing when that is gone.
fn last_words(path: &Path) -> String {
    let Ok(reader) = Reader::tail(path, TAIL) else { return String::new() };
    // In its own transcript a subagent's records are the side that they are beside elsewhere.
    let said = reader.filter(|record| record.kind == RecordKind::Message && record.role == Role::Assistant);
    said.filter(|record| !record.text.trim().is_empty()).last().map(|record| record.text).unwrap_or_default()
}

/// Keeps the key learnings of a session: what the model said, from the transcript's end.
pub fn summarise(host: &Host, ended: &Summary) -> Result<(), JobError> {
    // A transcript that is gone has nothing to say.
    let Ok(reader) = Reader::tail(&ended.path, TAIL) else { return Ok(()) };
    let mut said = String::new();
    for record in reader {
        if record.is_said() && record.role == Role::Assistant {
            said.push_str(&record.text);
            said.push('\n');
        }
    }
    Ok(keep(host, &ended.origin, &learnings(host, &said))?)
}

/// Keeps learnings with where they come from.
fn keep(host: &Host, origin: &LearningOrigin, found: &[String]) -> Result<(), Error> {
    if found.is_empty() {
        return Ok(());
    }
    let mut library = memories::open(host, Opening::WORKER)?;
    for learning in found {
        let draft = Draft {
            text: learning.clone(),
            kind: if is_decision(learning, false) { "decision" } else { "learning" }.to_owned(),
            scope: "project".to_owned(),
            place: origin.project.clone(),
            tags: vec![origin.tag.clone()],
            agent: origin.agent.clone(),
            session: origin.session.clone(),
            origin: String::new(),
            importance: 4,
            lives: Some(origin.ttl_days * 86_400_000_000),
            maker: Maker::Transcript,
            project: origin.project.clone(),
            valid_from: None,
        };
        library.remember(&draft, micros(host.clock.now()))?;
    }
    Ok(())
}
