//! Numbers from before the journal's files: the store has them, by the hour.

use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_coord::store::{Setup, home_id, micros};
use sprag_runtime::journal;
use sprag_runtime::summary::{Numbers, Summary};
use sprag_store::{Counts, Error, Opening, Store, micros_of};
use sprag_worker::sync;

/// The numbers since a time, when the files do not reach back to it and the store does.
pub(super) fn read(host: &Host, since: Stamp) -> Result<Option<Summary>, Error> {
    let begin = files_begin(host);
    if begin.is_some_and(|begin| begin <= since) {
        return Ok(None);
    }
    let setup = Setup::read(host)?;
    let mut store = match Store::open(&setup.target, Opening { create: false, ..Opening::WORKER }) {
        Ok(store) => store,
        Err(Error::Missing) => return Ok(None),
        Err(error) => return Err(error),
    };
    let home = home_id(host);
    // Only when the store knows more than the files: theirs are exact to the run, its to the hour.
    let older = |hour: i64| begin.is_none_or(|begin| hour + 3_600_000_000 <= micros(begin));
    if !store.oldest_hour(&home)?.is_some_and(older) {
        return Ok(None);
    }
    sync::sync(host, &setup, &mut store)?;
    let totals = store.totals(&home, micros(since))?;
    let all = |by: std::collections::BTreeMap<String, Counts>| {
        by.into_iter().map(|(name, counts)| (name, numbers(&counts))).collect()
    };
    let entries = totals.events.values().map(|counts| counts.fires as u64).sum();
    let summary =
        Summary { entries, hooks: all(totals.hooks), events: all(totals.events), ..Summary::default() };
    Ok(Some(summary))
}

/// The time of the oldest entry in the files.
fn files_begin(host: &Host) -> Option<Stamp> {
    use std::io::BufRead as _;
    journal::all_files(&host.paths).iter().find_map(|path| {
        let mut line = String::new();
        std::io::BufReader::new(sprag_base::files::open(path).ok()?.0).read_line(&mut line).ok()?;
        let entry: journal::Entry = serde_json::from_str(&line).ok()?;
        Stamp::parse(&entry.t)
    })
}

fn numbers(counts: &Counts) -> Numbers {
    let mut numbers = Numbers::default();
    numbers.fires = counts.fires as u64;
    numbers.deny = counts.deny as u64;
    numbers.block = counts.block as u64;
    numbers.ask = counts.ask as u64;
    numbers.chars = counts.chars as u64;
    numbers.errors = counts.errors as u64;
    numbers.skips = counts.skips as u64;
    numbers.shadow = counts.shadow as u64;
    numbers.last = (counts.last > 0).then_some(Stamp(counts.last as u64));
    numbers.last_verdict.clone_from(&counts.last_verdict);
    numbers.last_error.clone_from(&counts.last_error);
    for (slot, count) in &counts.times {
        numbers.took_often(micros_of(*slot), *count as u64);
    }
    numbers
}
