//! The background job that brings the store up to date: schema, what is spooled, heartbeats, the journal, retention.

use sprag_config::host::Host;
use sprag_coord::store::ingest::{self, Ingested};
use sprag_coord::store::spool::{self, Delivered};
use sprag_coord::store::{Setup, home_id, micros};
use sprag_coord::{liveness, messages};
use sprag_runtime::job::JobError;
use sprag_store::{Cas, Error, Opening, Store};

/// What one run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// What was sent.
    pub delivered: Delivered,
    /// What was ingested.
    pub ingested: Ingested,
}

/// Opens the store and brings it up to date.
pub fn run(host: &Host) -> Result<(), JobError> {
    let setup = Setup::read(host)?;
    let mut store = Store::open(&setup.target, Opening::WORKER)?;
    sync(host, &setup, &mut store)?;
    Ok(())
}

/// The store with everything in it that waits here; `None` when there is none yet.
pub fn look(host: &Host) -> Result<Option<Store>, Error> {
    match open_with(host, Opening { create: false, ..Opening::WORKER }) {
        Err(Error::Missing) => Ok(None),
        other => other.map(Some),
    }
}

/// The store with everything in it that waits here, made when there is none.
pub fn open(host: &Host) -> Result<Store, Error> {
    open_with(host, Opening::WORKER)
}

fn open_with(host: &Host, opening: Opening) -> Result<Store, Error> {
    let setup = Setup::read(host)?;
    let mut store = Store::open(&setup.target, opening)?;
    let _ = sync(host, &setup, &mut store);
    Ok(store)
}

/// Brings an open store up to date.
pub fn sync(host: &Host, setup: &Setup, store: &mut Store) -> Result<Synced, Error> {
    // Before everything else: a registration must be there when its heartbeats are counted.
    let delivered = spool::deliver(&host.paths, store)?;
    let now = host.clock.now();
    let ingested = ingest::run(&host.paths, &home_id(host), store, now)?;
    // After the heartbeats: an old one that comes late must not revive a session.
    liveness::end_gone(host, store, micros(now))?;
    if setup.target.is_remote() {
        messages::notify_all(host, store, micros(now))?;
    }
    sprag_memory::memories::ingest_used(host, store)?;
    if setup.target.is_remote() && !sprag_memory::memories::anything(host) && store.has_memories()? {
        // Another machine's: from the vectors' file this one's hooks see that there is something to recall.
        let _ = sprag_memory::memories::embed_later(host);
    }
    prune_daily(host, setup, store)?;
    Ok(Synced { delivered, ingested })
}

/// Once a day, one of all that share the store removes what is too old.
fn prune_daily(host: &Host, setup: &Setup, store: &mut Store) -> Result<(), Error> {
    let now = host.clock.now();
    let tomorrow = micros(now) + 86_400_000_000;
    if let Cas::Set(_) = store.compare_and_set("store", "pruned", None, "", Some(tomorrow), micros(now))? {
        store.prune(micros(now.before(setup.keep)), micros(now))?;
        if sprag_memory::memories::anything(host) {
            // Another machine's memories and those that were pruned: the vectors' file follows.
            let _ = sprag_memory::memories::embed_later(host);
        }
    }
    Ok(())
}
