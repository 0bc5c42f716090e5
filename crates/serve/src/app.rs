//! What every page may ask: the journal's index, the store, the configuration.

use crate::gate::{Gate, Visitor};
use crate::index::Index;
use crate::maps::Maps;
use crate::spending::Spending;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_coord::store::{Setup, micros};
use sprag_doctor::Examined;
use sprag_project::Project;
use sprag_store::{Error, Opening, Store};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The server's state.
pub(crate) struct App {
    pub(crate) host: Host,
    pub(crate) project: Project,
    pub(crate) index: Index,
    pub(crate) gate: Gate,
    pub(crate) spending: Arc<Spending>,
    pub(crate) maps: Arc<Maps>,
    /// What the last examination found, and when it was.
    examined: Mutex<Option<(Instant, Arc<Examined>)>>,
}

/// An examination starts programs' version checks: not at every look.
const EXAMINED_FOR: Duration = Duration::from_secs(30);

impl App {
    pub(crate) fn new(host: Host, project: Project, gate: Gate) -> Self {
        let index = Index::new(host.paths.clone());
        let (spending, maps) = Default::default();
        Self { host, project, index, gate, spending, maps, examined: Mutex::new(None) }
    }

    /// What the doctor found, at most half a minute ago.
    pub(crate) fn examined(&self) -> Arc<Examined> {
        let mut known = self.examined.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((at, found)) if at.elapsed() < EXAMINED_FOR => Arc::clone(found),
            _ => {
                let found = Arc::new(sprag_doctor::examine(&self.host, &self.project));
                *known = Some((Instant::now(), Arc::clone(&found)));
                found
            }
        }
    }

    /// The next look examines again: something was changed.
    pub(crate) fn forget_examination(&self) {
        *self.examined.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Grows with whatever the background found out.
    pub(crate) fn background_version(&self) -> u64 {
        self.spending.version() + self.maps.version()
    }

    /// The store; `None` while there is none.
    pub(crate) fn store(&self) -> Result<Option<Store>, Error> {
        let setup = Setup::read(&self.host)?;
        let wait = Duration::from_millis(1_500);
        match Store::open(&setup.target, Opening { wait, connect: wait, tidy: false, ..Opening::LOOK }) {
            Ok(store) => Ok(Some(store)),
            Err(Error::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The store for a change.
    pub(crate) fn store_to_change(&self) -> Result<Store, Error> {
        let setup = Setup::read(&self.host)?;
        Store::open(&setup.target, Opening { wait: Duration::from_secs(5), ..Opening::WORKER })
    }
}

/// A question of a visitor.
pub(crate) struct Ask<'a> {
    pub(crate) app: &'a App,
    pub(crate) visitor: &'a Visitor,
    pub(crate) path: &'a str,
    /// The query, or a form.
    pub(crate) params: Vec<(String, String)>,
    pub(crate) now: Stamp,
}

impl Ask<'_> {
    /// A parameter; empty when it is not there.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Now, as the store has it.
    pub(crate) fn micros(&self) -> i64 {
        micros(self.now)
    }

    /// A folder as a person reads it.
    pub(crate) fn tilde(&self, path: &str) -> String {
        self.app.host.paths.tilde(path.as_ref())
    }
}
