//! Memories: found, kept, shown. What a model adds is an agent's: of its project alone, and held back when it reads like an
//! instruction.

use super::{Call, ToolResult, members};
use crate::caller;
use crate::error::ToolError;
use crate::page::page;
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_coord::store::micros;
use sprag_memory::memories;
use sprag_memory::recall::{Draft, Library, Maker, Question, Remembered, provenance, short_id};
use sprag_store::{Memory, Opening, Reach};
use std::time::Duration;

/// The kinds that a model may give.
pub(crate) const KINDS: [&str; 5] = ["learning", "decision", "failure", "preference", "fact"];

pub(crate) fn recall(call: &Call<'_>) -> ToolResult {
    const MAX_FOUND: u64 = 40;
    let project = call.project()?;
    let (limit, offset) =
        (call.arguments.number("limit", 5, MAX_FOUND)?, call.arguments.number("offset", 0, MAX_FOUND)?);
    let question = Question {
        text: call.arguments.text("query")?.to_owned(),
        reach: memories::reach(call.host, &project, &caller::agent(call.client)),
        most: ((limit.max(1) + offset + 1).min(MAX_FOUND)) as usize,
        only: None,
    };
    let mut found = Vec::new();
    if let Some(mut library) = memories::look(call.host)? {
        found = library.recall(&question, micros(call.host.clock.now()))?;
        if library.is_behind() {
            memories::embed_later(call.host)?;
        }
    }
    found.retain(|found| found.is_worth_it() || found.is_related());
    let shown: Vec<Value> = found
        .iter()
        .map(|found| {
            let memory = &found.memory;
            json!({
                "id": short_id(&memory.id), "text": memory.is.text, "kind": memory.is.kind,
                "from": provenance::origin(memory), "sure": found.is_worth_it(),
            })
        })
        .collect();
    let answer = page("memories", shown, offset, limit.max(1));
    let ids: Vec<String> = found
        .iter()
        .skip(offset as usize)
        .take(answer.get("memories").and_then(Value::as_array).map_or(0, Vec::len))
        .map(|found| found.memory.id.clone())
        .collect();
    if !ids.is_empty() {
        memories::mark_used(call.host, &ids);
    }
    Ok(answer)
}

pub(crate) fn add(call: &Call<'_>) -> ToolResult {
    let project = call.project()?;
    let key = project.key(&call.host.machine());
    let draft = Draft {
        text: call.arguments.text("text")?.to_owned(),
        kind: call.arguments.one_of("kind", &KINDS)?.unwrap_or_default().to_owned(),
        scope: "project".to_owned(),
        place: key.clone(),
        tags: call.arguments.texts("tags")?,
        agent: caller::agent(call.client),
        session: caller::session(call.host),
        maker: Maker::Agent,
        project: key,
        ..Draft::default()
    };
    let mut library =
        memories::open(call.host, Opening { wait: Duration::from_secs(20), ..Opening::WORKER })?;
    let kept = library.remember(&draft, micros(call.host.clock.now()))?;
    if library.is_behind() {
        memories::embed_later(call.host)?;
    }
    let memory = one(&mut library, kept.id())?;
    let status = match kept {
        Remembered::New(_) if !memory.is.quarantine.is_empty() => "held for review",
        Remembered::New(_) => "new",
        Remembered::Same(_) | Remembered::Near(_) => "known already",
    };
    let note = if memory.is.quarantine.is_empty() {
        String::new()
    } else {
        format!(
            "It looks like an instruction to a model ({}): a person decides with `sprag memory review`.",
            memory.is.quarantine
        )
    };
    Ok(members(json!({"id": short_id(kept.id()), "status": status, "note": note})))
}

/// The one memory that an id or its beginning means.
pub(crate) fn one(library: &mut Library, id: &str) -> Result<Memory, ToolError> {
    let mut found = library.store().find_memory(id)?;
    match found.len() {
        0 => Err(ToolError::new(format!("there is no memory `{id}`"), "memory_recall gives ids.")),
        1 => Ok(found.remove(0)),
        _ => Err(ToolError::new(format!("`{id}` begins the ids of several memories"), "Give more of it.")),
    }
}

/// The memory with this id, if this session may see it: not another project's, and not one that waits for a person.
pub(crate) fn visible(call: &Call<'_>, library: &mut Library, id: &str) -> Result<Memory, ToolError> {
    let memory = one(library, id)?;
    let reach = match memory.is.scope.as_str() {
        "project" => memories::reach(call.host, &call.project()?, ""),
        _ => Reach { agent: caller::agent(call.client), ..Reach::default() },
    };
    let is_here = match memory.is.scope.as_str() {
        "project" => memory.is.place == reach.project,
        "agent" => memory.is.place == reach.agent,
        _ => true,
    };
    if !is_here {
        return Err(ToolError::new(
            format!("memory `{id}` belongs to another project or agent"),
            "Work with the memories that memory_recall finds.",
        ));
    }
    if !memory.is.quarantine.is_empty() {
        return Err(ToolError::new(
            format!("memory `{id}` waits for a person ({})", memory.is.quarantine),
            "Tell the user to run `sprag memory review`.",
        ));
    }
    Ok(memory)
}

pub(crate) fn library(call: &Call<'_>) -> Result<Library, ToolError> {
    memories::look(call.host)?
        .ok_or_else(|| ToolError::new("nothing is remembered yet", "memory_add keeps something."))
}

pub(crate) fn show(call: &Call<'_>) -> ToolResult {
    let mut library = library(call)?;
    let memory = visible(call, &mut library, call.arguments.text("id")?)?;
    let links = library.store().memory_links(&memory.id)?;
    let mut replaced = Vec::new();
    for (other, _) in links.iter().filter(|(_, kind)| kind == "supersedes") {
        let old = one(&mut library, other)?;
        replaced.push(json!({"id": short_id(&old.id), "text": old.is.text}));
    }
    let related: Vec<String> =
        links.iter().filter(|(_, kind)| kind == "related").map(|(id, _)| short_id(id)).collect();
    let stamp = |at: i64| Stamp(at as u64).to_string();
    Ok(members(json!({
        "id": memory.id, "text": memory.is.text, "kind": memory.is.kind, "tags": memory.is.tags, "scope": memory.is.scope,
        "from": provenance::origin(&memory), "session": memory.is.session, "file": memory.is.origin,
        "since": stamp(memory.since()), "until": memory.valid_until.map(stamp),
        "superseded_by": memory.superseded_by, "replaced": replaced, "related": related,
    })))
}
