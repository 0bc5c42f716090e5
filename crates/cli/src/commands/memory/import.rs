//! Memories from a file: JSON, JSON lines, or a text in parts.

use super::{Maker, WhatArgs, open, said, tell_trouble};
use anyhow::Context as _;
use serde_json::json;
use sprag_config::host::Host;
use sprag_coord::store::micros;
use sprag_memory::recall::Draft;
use sprag_memory::recall::bulk::{Bulk, Progress};
use sprag_memory::takeover::json::drafts;
use sprag_terminal::{Out, Problem};
use std::io::Read as _;
use std::path::Path;

pub(super) fn import(
    host: &Host,
    out: &Out,
    file: &Path,
    what: &WhatArgs,
    as_json: bool,
) -> anyhow::Result<()> {
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = sprag_base::files::read_argument_text(file).with_context(|| {
            Problem::new(format!("{} cannot be read", file.display()), "name a text file")
        })?;
    }
    let mut base = what.draft(host, out, String::new());
    if base.maker == Maker::Person {
        // The words are the file's, not the person's who names it.
        base.maker = Maker::Import;
    }
    let done = keep_all(host, out, &drafts(&text, &base))?;
    if as_json {
        out.json(&as_value(&done));
    } else {
        out.line(&in_words(&done));
    }
    Ok(())
}

/// Keeps many memories and says how far it is.
pub(crate) fn keep_all(host: &Host, out: &Out, drafts: &[Draft]) -> anyhow::Result<Bulk> {
    /// So many are kept between two lines about it.
    const STEP: usize = 1_000;
    let mut library = open(host)?;
    let (all, mut next) = (drafts.len(), STEP);
    let mut tell = |progress: Progress| {
        let (count, what) = match progress {
            Progress::Kept(count) => (count, "read"),
            Progress::Embedded(count) => (count, "searchable by meaning"),
        };
        // Counting begins again with the vectors.
        next = if count < STEP { STEP } else { next };
        if all > STEP && count >= next {
            out.note(&format!("{count} of {all} {what}"));
            next = (count / STEP + 1) * STEP;
        }
    };
    let done = library.remember_all(drafts, micros(host.clock.now()), &mut tell).map_err(said)?;
    tell_trouble(host, out, &library, "found by words until the background has made their vectors")?;
    Ok(done)
}

pub(crate) fn as_value(done: &Bulk) -> serde_json::Value {
    json!({
        "new": done.new, "known": done.known, "refused": done.refused, "quarantined": done.quarantined,
    })
}

pub(crate) fn in_words(done: &Bulk) -> String {
    let also = |count: usize, what: &str| if count > 0 { format!(", {count} {what}") } else { String::new() };
    format!(
        "{} remembered, {} known already{}{}",
        done.new,
        done.known,
        also(done.refused, "empty or too long"),
        also(
            done.quarantined,
            "wait for you: they look like instructions to a model (`sprag memory review`)"
        )
    )
}
