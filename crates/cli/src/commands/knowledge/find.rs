//! Looking things up: search, list, show.

use super::{Which, doc_json};
use crate::commands::project_at;
use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_memory::knowledge::find::{self, NameError};
use sprag_memory::knowledge::index::{Filter, Index};
use sprag_memory::knowledge::{Knowledge, front, text};
use sprag_terminal::{Out, Problem, Table, Tone};
use std::path::PathBuf;
use std::process::ExitCode;

/// The index; made when there is none yet, so that the first search finds what was synced here.
fn index(knowledge: &Knowledge, refresh: bool) -> anyhow::Result<Index> {
    find::index(knowledge, refresh)
        .context(Problem::new("the search index cannot be made", "it is derived: remove it and try again"))
}

fn here(host: &Host, knowledge: &Knowledge, which: &Which) -> Option<String> {
    which.here.then(|| knowledge.memory(&project_at(host, None)).key)
}

pub(super) fn search(
    host: &Host,
    out: &Out,
    words: &str,
    which: &Which,
    refresh: bool,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let knowledge = Knowledge::open(host);
    let key = here(host, &knowledge, which);
    let filter = Filter { kind: which.kind, project_key: key.as_deref() };
    let hits = index(&knowledge, refresh)?.search(words, &filter, which.limit)?;
    if as_json {
        let all: Vec<Value> = hits
            .iter()
            .map(|hit| {
                let mut value = doc_json(&hit.doc);
                if let Some(map) = value.as_object_mut() {
                    map.insert("snippet".to_owned(), json!(hit.snippet));
                    map.insert("score".to_owned(), json!(hit.score));
                }
                value
            })
            .collect();
        out.json(&json!({ "documents": all }));
        return Ok(ExitCode::SUCCESS);
    }
    if hits.is_empty() {
        out.line("Nothing found.");
    }
    for hit in &hits {
        let doc = &hit.doc;
        let title = if doc.title.is_empty() { "(no title)" } else { &doc.title };
        out.line(&format!("{}  {}", out.paint(Tone::Strong, &doc.kind), out.paint(Tone::Strong, title)));
        out.line(&format!("  {}", hit.snippet));
        let place = if doc.line > 0 { format!(":{}", doc.line) } else { String::new() };
        let about = format!("  {}  {}  {}{place}", doc.date, doc.project, knowledge.shown(&doc.path));
        out.line(&out.paint(Tone::Dim, &about));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn list(host: &Host, out: &Out, which: &Which, as_json: bool) -> anyhow::Result<ExitCode> {
    let knowledge = Knowledge::open(host);
    let key = here(host, &knowledge, which);
    let filter = Filter { kind: which.kind, project_key: key.as_deref() };
    let docs = index(&knowledge, false)?.newest(&filter, which.limit)?;
    if as_json {
        out.json(&json!({ "documents": docs.iter().map(doc_json).collect::<Vec<_>>() }));
        return Ok(ExitCode::SUCCESS);
    }
    if docs.is_empty() {
        out.line("Nothing is kept yet.");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["date", "kind", "project", "session", "title"]);
    for doc in &docs {
        table.row(vec![
            (Tone::Dim, doc.date.clone()),
            (Tone::Plain, doc.kind.clone()),
            (Tone::Plain, text::cut(&doc.project, 24)),
            (Tone::Dim, text::start(&doc.session, 8).to_owned()),
            (Tone::Plain, text::cut(&text::one_line(&doc.title), 70)),
        ]);
    }
    out.table(&table);
    Ok(ExitCode::SUCCESS)
}

/// What a name means: the handoff of this project, a file, or a session by the start of its id.
fn named(host: &Host, knowledge: &Knowledge, name: &str) -> anyhow::Result<PathBuf> {
    let memory = knowledge.memory(&project_at(host, None));
    find::named(knowledge, &memory, name).map_err(|error| {
        let hint = match error {
            NameError::NotYet { .. } => "it comes with its first session's end",
            NameError::Nothing(_) => "`sprag knowledge list` shows what there is",
            NameError::Several { .. } => "give more of the name",
        };
        anyhow::anyhow!(Problem::new(error, hint))
    })
}

pub(super) fn show(host: &Host, out: &Out, name: &str, as_json: bool) -> anyhow::Result<ExitCode> {
    let knowledge = Knowledge::open(host);
    let path = named(host, &knowledge, name)?;
    let bytes = sprag_base::files::read(&path, sprag_base::files::STATE)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    if as_json {
        let (pairs, body) = front::read(&text).unwrap_or((Vec::new(), &text));
        let about: serde_json::Map<String, Value> =
            pairs.into_iter().map(|(key, value)| (key, json!(value))).collect();
        out.json(&json!({ "path": path, "about": about, "text": body }));
    } else {
        out.raw(&text);
        if !text.ends_with('\n') {
            out.raw("\n");
        }
    }
    Ok(ExitCode::SUCCESS)
}
