//! Resources: documents with an address of their own.

use crate::error::ToolError;
use crate::page::cut;
use crate::tools::{Call, memory};
use rmcp::model::{Resource, ResourceTemplate};
use sprag_base::files;
use sprag_lessons::model::Lesson;
use sprag_memory::knowledge::{Knowledge, find};
use sprag_memory::recall::provenance;
use sprag_scan::scrub::scrub;
use sprag_worker::sync;

const HANDOFF: &str = "sprag://handoff/latest";
/// The most characters of one document.
const MAX_CHARS: usize = 24_000;

/// What is there without a question.
pub(crate) fn listed(call: &Call<'_>) -> Vec<Resource> {
    let has_handoff =
        call.project().is_ok_and(|project| Knowledge::open(call.host).memory(&project).handoff().is_file());
    let handoff = || {
        Resource::new(HANDOFF, "handoff")
            .with_description("What the last session of this project left for the next one.")
            .with_mime_type("text/markdown")
    };
    has_handoff.then(handoff).into_iter().collect()
}

/// What there is by its id.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    [
        ("memory", "A memory."),
        ("lesson", "A lesson: what went wrong, and what to do."),
        ("session", "The notes of a past session."),
    ]
    .map(|(name, about)| {
        ResourceTemplate::new(format!("sprag://{name}/{{id}}"), name)
            .with_description(about)
            .with_mime_type("text/markdown")
    })
    .to_vec()
}

/// The text of a resource.
pub(crate) fn read(call: &Call<'_>, uri: &str) -> Result<String, ToolError> {
    let unknown = || {
        ToolError::new(
            format!("unknown resource `{uri}`"),
            "Known: sprag://handoff/latest, sprag://memory/ID, sprag://lesson/ID, sprag://session/ID.",
        )
    };
    let (kind, id) =
        uri.strip_prefix("sprag://").and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    if id.is_empty() || id.contains('/') || id.contains("..") {
        return Err(unknown());
    }
    let text = match kind {
        "handoff" if id == "latest" => document(call, "handoff")?,
        "session" => document(call, id)?,
        "memory" => {
            let mut library = memory::library(call)?;
            let memory = memory::visible(call, &mut library, id)?;
            format!("[{}] {}\n\n({})", memory.is.kind, memory.is.text, provenance::origin(&memory))
        }
        "lesson" => {
            let none = || ToolError::new(format!("there is no lesson `{id}`"), "lessons_match names them.");
            let row = sync::look(call.host)?.ok_or_else(none)?.lesson(id)?.ok_or_else(none)?;
            let lesson = Lesson::from_row(&row).ok_or_else(none)?;
            format!(
                "# {}\n\n{} ({})\n\n{}",
                lesson.slug,
                lesson.kind.name(),
                lesson.status.name(),
                lesson.text()
            )
        }
        _ => return Err(unknown()),
    };
    Ok(cut(&scrub(&text), MAX_CHARS))
}

/// A document of the knowledge folder.
fn document(call: &Call<'_>, name: &str) -> Result<String, ToolError> {
    let knowledge = Knowledge::open(call.host);
    let memory = knowledge.memory(&call.project()?);
    let path = find::named(&knowledge, &memory, name)
        .map_err(|error| ToolError::new(error, "knowledge_search finds what there is."))?;
    let bytes = files::read(&path, files::STATE)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The handoff of the project, when there is one.
pub(crate) fn handoff(call: &Call<'_>) -> Option<String> {
    read(call, HANDOFF).ok()
}
