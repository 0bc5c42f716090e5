//! The vectors of all memories, made now instead of by the worker.

use super::{look, said};
use crate::commands::store::explained;
use serde_json::json;
use sprag_config::host::Host;
use sprag_terminal::{Out, Problem};
use std::io::IsTerminal as _;

/// How many vectors are made between two lines of progress.
const STEP: usize = 512;

pub(super) fn reembed(host: &Host, out: &Out, all: bool, prune: bool, as_json: bool) -> anyhow::Result<()> {
    let Some(mut library) = look(host)? else {
        if as_json {
            out.json(&json!({ "made": 0, "model": null }));
        } else {
            out.line("Nothing is remembered yet; `sprag memory add TEXT` keeps something.");
        }
        return Ok(());
    };
    let model = library.model().to_owned();
    if all {
        library.drop_vectors().map_err(said)?;
    }
    let wanted: i64 = library.store().count_memories().map_err(explained)?.iter().map(|kind| kind.2).sum();
    let missing = wanted - library.store().count_vectors(&model).map_err(explained)?;
    let mut shown = 0;
    let mut told = |made: usize| {
        if !as_json && std::io::stderr().is_terminal() && (made >= shown + STEP || made as i64 == missing) {
            shown = made;
            out.note(&format!("{made} of {missing}"));
        }
    };
    let made = library.embed_missing(usize::MAX, &mut told).map_err(|error| {
        anyhow::anyhow!(Problem::new(said(error), "what was made is kept; run this again to go on"))
    })?;
    let dropped = if prune { library.prune_vectors().map_err(said)? } else { 0 };
    if as_json {
        out.json(&json!({ "made": made, "model": model, "dropped": dropped }));
    } else {
        let dropped =
            if dropped > 0 { format!(", {dropped} of other models dropped") } else { String::new() };
        out.line(&format!("{made} vectors made by {model}{dropped}"));
    }
    Ok(())
}
