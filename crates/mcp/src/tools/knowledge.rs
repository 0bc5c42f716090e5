//! Notes of past sessions.

use super::{Call, ToolResult};
use crate::page::page;
use serde_json::{Value, json};
use sprag_memory::knowledge::index::{DocKind, Filter};
use sprag_memory::knowledge::{Knowledge, find};

/// The kinds of notes.
pub(crate) fn kinds() -> [&'static str; 5] {
    DocKind::ALL.map(DocKind::name)
}

pub(crate) fn search(call: &Call<'_>) -> ToolResult {
    const MAX_FOUND: u64 = 200;
    const PAGE: u64 = 10;
    let arguments = call.arguments;
    let knowledge = Knowledge::open(call.host);
    let here = !arguments.flag("everywhere")?;
    let key = if here { Some(knowledge.memory(&call.project()?).key) } else { None };
    let filter = Filter { kind: arguments.one_of("kind", &kinds())?, project_key: key.as_deref() };
    let offset = arguments.number("offset", 0, MAX_FOUND)?;
    let most = (offset + PAGE + 1).min(MAX_FOUND) as usize;
    let hits = find::index(&knowledge, false)?.search(arguments.text("query")?, &filter, most)?;
    let documents: Vec<Value> = hits
        .iter()
        .map(|hit| {
            let doc = &hit.doc;
            let session = if doc.kind == DocKind::Session.name() {
                format!("sprag://session/{}", doc.session)
            } else {
                String::new()
            };
            json!({
                "kind": doc.kind, "title": doc.title, "date": doc.date,
                "project": if key.is_none() { doc.project.as_str() } else { "" },
                "snippet": hit.snippet, "uri": session,
            })
        })
        .collect();
    Ok(page("documents", documents, offset, PAGE))
}
