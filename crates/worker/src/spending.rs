//! Counts what a transcript used. Machines that share a server tell each other what a project used today, so that its cap holds for all of
//! them together.

use sprag_base::id::short_hash;
use sprag_config::host::Host;
use sprag_coord::store::{Setup, home_id, micros};
use sprag_runtime::job::JobError;
use sprag_runtime::work::TokenCount;
use sprag_store::{Cas, Error, Opening, Store};
use sprag_usage::budget::{self, Ledger, Spent};

/// How long what a machine used is kept: until nobody has the same day any more.
const KEPT_MICROS: i64 = 2 * 86_400_000_000;
/// How often a value is set that another process of this home changes meanwhile.
const MAX_ROUNDS: usize = 5;

/// Counts a transcript into its project's ledger, and asks what the other machines used.
pub(crate) fn count(host: &Host, wanted: &TokenCount) -> Result<(), JobError> {
    budget::count(host, wanted)?;
    let setup = Setup::read(host)?;
    if !setup.target.is_remote() {
        return Ok(());
    }
    let ledger = Ledger::read(&host.paths, &wanted.project, host.clock.now());
    let told = Store::open(&setup.target, Opening { create: false, ..Opening::WORKER })
        .and_then(|mut store| exchange(host, &mut store, &wanted.project, &ledger));
    match told {
        Ok(others) => Ok(ledger.keep_others(&host.paths, &wanted.project, others)?),
        // The next turn asks again.
        Err(error) if error.is_transient() => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Says what this machine used today; returns what the others did.
fn exchange(host: &Host, store: &mut Store, project: &str, ledger: &Ledger) -> Result<Spent, Error> {
    let (home, now) = (home_id(host), micros(host.clock.now()));
    let space = format!("usage {} {}", ledger.day(), short_hash(project.as_bytes()));
    let own = ledger.here().to_text();
    for _ in 0..MAX_ROUNDS {
        let seen = store.get(&space, &home, now)?;
        if seen.as_ref().is_some_and(|seen| seen.value == own) {
            break;
        }
        let version = seen.map(|seen| seen.version);
        if let Cas::Set(_) =
            store.compare_and_set(&space, &home, version, &own, Some(now + KEPT_MICROS), now)?
        {
            break;
        }
    }
    let mut others = Spent::default();
    for entry in store.list(&space, now)?.iter().filter(|entry| entry.name != home) {
        others.add(Spent::from_text(&entry.value).unwrap_or_default());
    }
    Ok(others)
}
