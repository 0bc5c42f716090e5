//! `sprag memory review`: what waits for a person because it looks like an instruction to a model.

use super::{look, one, open, said, show};
use crate::commands::store::explained;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_coord::store::micros;
use sprag_memory::recall::{provenance, short_id};
use sprag_store::MemoryFilter;
use sprag_terminal::{Out, Tone, person};

pub(super) fn review(
    host: &Host,
    out: &Out,
    accept: &[String],
    reject: &[String],
    as_json: bool,
) -> anyhow::Result<()> {
    if accept.is_empty() && reject.is_empty() {
        return list(host, out, as_json);
    }
    if !accept.is_empty() {
        // A model must not release what it wrote itself.
        person::refuse_inside_agent(host)?;
    }
    let mut library = open(host)?;
    let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
    for id in accept {
        let memory = one(&mut library, id)?;
        if library.store().release_memory(&memory.id).map_err(explained)? {
            accepted.push(memory.id);
        }
    }
    for id in reject {
        rejected.push(one(&mut library, id)?.id);
    }
    library.store().forget_memories(&rejected).map_err(explained)?;
    if !rejected.is_empty() {
        library.tidy().map_err(said)?;
    }
    if as_json {
        out.json(&json!({ "accepted": accepted, "rejected": rejected }));
    } else {
        out.line(&format!("{} shown from now on, {} forgotten", accepted.len(), rejected.len()));
    }
    Ok(())
}

fn list(host: &Host, out: &Out, as_json: bool) -> anyhow::Result<()> {
    let filter = MemoryFilter { limit: 1_000, past: true, quarantined: true, ..MemoryFilter::default() };
    let found = match look(host)? {
        Some(mut library) => {
            library.store().list_memories(&filter, micros(host.clock.now())).map_err(explained)?
        }
        None => Vec::new(),
    };
    if as_json {
        out.json(&json!({ "memories": found.iter().map(show::value).collect::<Vec<Value>>() }));
        return Ok(());
    }
    if found.is_empty() {
        out.line("Nothing waits for you.");
        return Ok(());
    }
    for memory in &found {
        let about = format!(
            "{}; {}; {}",
            memory.is.quarantine,
            provenance::origin(memory),
            if memory.is.project.is_empty() { show::whose(memory) } else { memory.is.project.clone() }
        );
        out.line(&format!(
            "{}  {}",
            out.paint(Tone::Strong, &short_id(&memory.id)),
            out.paint(Tone::Dim, &about)
        ));
        for line in memory.is.text.lines().take(12) {
            out.line(&format!("      {line}"));
        }
    }
    out.line("");
    out.line("`sprag memory review --accept ID` shows one from now on, `--reject ID` forgets it.");
    Ok(())
}
