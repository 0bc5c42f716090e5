//! `sprag memory timeline`: what was believed when.

use super::{look, show};
use crate::commands::project_at;
use crate::commands::store::explained;
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_coord::store::micros;
use sprag_memory::recall::short_id;
use sprag_memory::recall::words::{content_words, share};
use sprag_store::{Memory, MemoryFilter};
use sprag_terminal::{Out, Table, Tone, when};

/// The most memories that are looked at.
const LOOKED_AT: i64 = 20_000;
/// The least share of the words asked for that a memory has.
const LEAST_SHARE: f32 = 0.6;

/// From when until when a memory held.
pub(super) fn held(memory: &Memory) -> (String, String) {
    let day = |at: i64| when::local(Stamp(at.max(0) as u64));
    (day(memory.since()), memory.valid_until.map_or_else(|| "now".to_owned(), day))
}

pub(super) fn timeline(
    host: &Host,
    out: &Out,
    text: Option<&str>,
    here: bool,
    limit: usize,
    as_json: bool,
) -> anyhow::Result<()> {
    let place = here.then(|| project_at(host, None).key(&host.machine()));
    let filter = MemoryFilter { place, limit: LOOKED_AT, past: true, ..MemoryFilter::default() };
    let mut found = match look(host)? {
        Some(mut library) => {
            library.store().list_memories(&filter, micros(host.clock.now())).map_err(explained)?
        }
        None => Vec::new(),
    };
    if let Some(text) = text {
        let words = content_words(text);
        found.retain(|memory| {
            let own = content_words(&format!("{} {}", memory.is.text, memory.is.tags));
            share(&words, &own) >= LEAST_SHARE
        });
    }
    found.sort_by_key(|memory| (memory.since(), memory.seq));
    let skip = found.len().saturating_sub(limit);
    let shown = found.get(skip..).unwrap_or_default();
    if as_json {
        out.json(&json!({ "memories": shown.iter().map(show::value).collect::<Vec<Value>>() }));
        return Ok(());
    }
    if shown.is_empty() {
        out.line("Nothing is remembered about that.");
        return Ok(());
    }
    let mut table = Table::new(&["from", "until", "id", "text"]);
    for memory in shown {
        let (from, until) = held(memory);
        let tone = if memory.is_past() { Tone::Dim } else { Tone::Plain };
        let text: String = memory.is.text.replace('\n', " ").chars().take(100).collect();
        table.row(vec![(Tone::Dim, from), (tone, until), (Tone::Dim, short_id(&memory.id)), (tone, text)]);
    }
    out.table(&table);
    Ok(())
}
