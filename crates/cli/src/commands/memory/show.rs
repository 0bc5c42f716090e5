//! One memory in full, and how many there are.

use super::{look, one, timeline};
use crate::commands::counted;
use crate::commands::store::explained;
use anyhow::bail;
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_memory::recall::TOKENS;
use sprag_memory::recall::provenance;
use sprag_memory::recall::vectors::VectorFile;
use sprag_memory::recall::{Library, short_id};
use sprag_store::Memory;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};

/// A memory as JSON.
pub(super) fn value(memory: &Memory) -> Value {
    let stamp = |at: i64| Stamp(at as u64).to_string();
    let is = &memory.is;
    json!({
        "id": memory.id,
        "text": is.text,
        "kind": is.kind,
        "scope": is.scope,
        "place": is.place,
        "tags": is.tags.split_whitespace().collect::<Vec<_>>(),
        "importance": is.importance,
        "agent": is.agent,
        "session": is.session,
        "file": is.origin,
        "created": stamp(memory.created),
        "updated": stamp(memory.updated),
        "expires": is.expires.map(stamp),
        "version": memory.version,
        "uses": memory.uses,
        "used": memory.used.map(stamp),
        "source": is.source,
        "project": is.project,
        "origin": provenance::origin(memory),
        "valid_from": stamp(memory.since()),
        "valid_until": memory.valid_until.map(stamp),
        "superseded_by": memory.superseded_by,
        "quarantine": is.quarantine,
    })
}

/// Whom a memory concerns, in a word.
pub(super) fn whose(memory: &Memory) -> String {
    match memory.is.scope.as_str() {
        "project" => memory.is.place.rsplit('/').next().unwrap_or(&memory.is.place).to_owned(),
        "agent" => format!("agent {}", memory.is.place),
        _ => "you".to_owned(),
    }
}

pub(super) fn show(host: &Host, out: &Out, id: &str, as_json: bool) -> anyhow::Result<()> {
    let Some(mut library) = look(host)? else {
        bail!(Problem::new("nothing is remembered yet", "`sprag memory add TEXT` keeps something"));
    };
    let memory = one(&mut library, id)?;
    let versions = library.store().memory_versions(&memory.id).map_err(explained)?;
    let links = library.store().memory_links(&memory.id).map_err(explained)?;
    let history = history(&mut library, &memory, &links)?;
    if as_json {
        let mut value = value(&memory);
        if let Some(map) = value.as_object_mut() {
            let links: Vec<Value> =
                links.iter().map(|(id, kind)| json!({ "id": id, "kind": kind })).collect();
            map.insert("links".into(), links.into());
            map.insert("history".into(), history.iter().map(self::value).collect::<Vec<_>>().into());
            map.insert("versions".into(), serde_json::to_value(&versions)?);
        }
        out.json(&value);
        return Ok(());
    }
    out.heading(&memory.id);
    out.line(&memory.is.text);
    let now = host.clock.now();
    let mut table = Table::new(&["", ""]);
    let mut row = |name: &str, text: String| {
        if !text.is_empty() {
            table.row(vec![(Tone::Dim, name.to_owned()), (Tone::Plain, text)]);
        }
    };
    row("kind", memory.is.kind.clone());
    row("for", whose(&memory));
    row("tags", memory.is.tags.clone());
    row("importance", memory.is.importance.to_string());
    row("made by", if memory.is.source.is_empty() { String::new() } else { provenance::origin(&memory) });
    row("made in", memory.is.project.clone());
    row("agent", memory.is.agent.clone());
    row("session", memory.is.session.clone());
    row("file", memory.is.origin.clone());
    row("kept", when::ago(now, Stamp(memory.created as u64)));
    row("changed", when::ago(now, Stamp(memory.updated as u64)));
    row("forgotten", memory.is.expires.map(|at| when::local(Stamp(at as u64))).unwrap_or_default());
    row("shown", counted(memory.uses, "time"));
    row("held until", memory.valid_until.map(|at| when::local(Stamp(at as u64))).unwrap_or_default());
    row("superseded by", memory.superseded_by.clone());
    row("not shown", memory.is.quarantine.clone());
    for (id, kind) in links.iter().filter(|(id, _)| *id != memory.superseded_by) {
        row(kind, id.clone());
    }
    out.table(&table);
    for old in &history {
        let (from, until) = timeline::held(old);
        out.line(&out.paint(Tone::Dim, &format!("{} held from {from} until {until}:", short_id(&old.id))));
        out.line(&old.is.text);
    }
    for previous in &versions {
        let until = when::ago(now, Stamp(previous.until as u64));
        out.line(&out.paint(Tone::Dim, &format!("version {}, until {until}:", previous.version)));
        out.line(&previous.text);
    }
    Ok(())
}

/// What held before: the memories whose place this one took, and those before them, the newest first.
fn history(
    library: &mut Library,
    memory: &Memory,
    links: &[(String, String)],
) -> anyhow::Result<Vec<Memory>> {
    const MAX_HISTORY: usize = 50;
    let mut found: Vec<Memory> = Vec::new();
    let mut open: Vec<(String, Vec<(String, String)>)> = vec![(memory.id.clone(), links.to_vec())];
    while let Some((id, links)) = open.pop() {
        for (other, _) in links.into_iter().filter(|(_, kind)| kind == "supersedes") {
            if found.len() >= MAX_HISTORY || found.iter().any(|known| known.id == other) {
                continue;
            }
            let old = one(library, &other)?;
            if old.superseded_by == id {
                let links = library.store().memory_links(&old.id).map_err(explained)?;
                open.push((old.id.clone(), links));
                found.push(old);
            }
        }
    }
    found.sort_by_key(|old| std::cmp::Reverse(old.valid_until));
    Ok(found)
}

/// How many memories there are; also `sprag status memory`.
pub(crate) fn stats(host: &Host, out: &Out, as_json: bool) -> anyhow::Result<()> {
    let (mut counts, mut models, mut vectors, mut missing) = (Vec::new(), Vec::new(), 0, 0);
    let mut model = String::new();
    if let Some(mut library) = look(host)? {
        library.model().clone_into(&mut model);
        counts = library.store().count_memories().map_err(explained)?;
        models = library.store().vector_models().map_err(explained)?;
        // Tokens stand beside the vectors of the builtin encoder.
        models.retain(|(name, _)| name != TOKENS);
        vectors = models.iter().find(|(name, _)| *name == model).map_or(0, |(_, count)| *count);
        let all: i64 = counts.iter().map(|(_, _, count)| count).sum();
        missing = all - vectors;
    }
    let all: i64 = counts.iter().map(|(_, _, count)| count).sum();
    let records = VectorFile::new(&host.paths.state).records();
    if as_json {
        let kinds: Vec<Value> = counts
            .iter()
            .map(|(kind, scope, count)| json!({ "kind": kind, "scope": scope, "count": count }))
            .collect();
        out.json(&json!({
            "memories": all, "kinds": kinds, "vectors": vectors, "without_vector": missing, "in_file": records,
            "model": model,
            "models": models.iter().map(|(name, count)| json!({ "model": name, "vectors": count })).collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    out.line(&format!("{}  {all}", out.paint(Tone::Strong, "memories")));
    let mut table = Table::new(&["kind", "scope", ">count"]);
    for (kind, scope, count) in &counts {
        table.row(vec![
            (Tone::Plain, kind.clone()),
            (Tone::Dim, scope.clone()),
            (Tone::Plain, count.to_string()),
        ]);
    }
    if !counts.is_empty() {
        out.table(&table);
    }
    let mut table = Table::new(&["vectors of", "", ">count"]);
    for (name, count) in &models {
        let used = if *name == model { "used" } else { "of another model" };
        table.row(vec![
            (Tone::Plain, name.clone()),
            (Tone::Dim, used.to_owned()),
            (Tone::Plain, count.to_string()),
        ]);
    }
    if !models.is_empty() {
        out.table(&table);
    }
    if missing > 0 {
        sprag_memory::memories::embed_later(host)?;
        out.line(&format!(
            "{missing} cannot be found by meaning yet: {model} has no vector of them; `sprag memory reembed` makes them now, the worker in its time"
        ));
    }
    Ok(())
}
