//! What is said at the start of a session or a subagent, and again later: directives and protocols of this project.

use super::call::CallSite;
use crate::index::Entry;
use crate::library::{self, Library};
use crate::model::LessonKind;
use crate::texts;
use sprag_runtime::hook::Cx;

/// The lessons of these kinds that count here, best first.
pub fn entries(library: &Library, cx: &Cx<'_>, least: u8) -> Vec<Entry> {
    let place = CallSite::here(cx);
    let mut all: Vec<Entry> = library
        .indexes
        .iter()
        .flat_map(crate::index::Index::at_start)
        .filter(|entry| entry.priority >= least && place.is_in(entry.scope.as_deref()))
        .collect();
    all.sort_by_key(|entry| std::cmp::Reverse(entry.priority));
    all
}

/// The sections for the model: directives, then protocols, within one budget.
pub fn sections(entries: &[Entry], kinds: &[LessonKind], bytes: usize, level: usize) -> Option<String> {
    let mut room = bytes;
    let mut parts = Vec::new();
    for kind in kinds {
        if let Some(text) = texts::section(entries, *kind, room, level) {
            room = room.saturating_sub(text.len());
            parts.push(text);
        }
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Opens what counts for a hook.
pub fn open(cx: &Cx<'_>) -> Library {
    library::open(cx.host, cx.project)
}
