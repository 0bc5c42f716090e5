//! The store as hooks and the worker use it: where it is, how long a hook waits for it, and what is done with a
//! change that it did not take.

mod hint;
pub mod ingest;
pub mod spool;
pub mod wait;

use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::{Sections, cache};
use sprag_store::{Error, Opening, Store, Target, new_id};
use std::time::{Duration, Instant};
use wait::{Unavailable, UnavailableMarker, ask_within};

/// What the configuration says of the store.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where it is.
    pub target: Target,
    /// The longest that a hook waits for a server.
    pub budget: Duration,
    /// How long counts and ended sessions stay.
    pub keep: Duration,
}

impl Setup {
    /// Reads the user's configuration. A project has no say in where a user's data goes.
    pub fn read(host: &Host) -> Result<Self, Error> {
        Self::read_with_url(host).map(|(setup, _)| setup)
    }

    fn read_with_url(host: &Host) -> Result<(Self, String), Error> {
        Self::of(host, &cache::sections(host))
    }

    /// What the user's configuration says: the set-up and the address as it is written.
    pub fn of(host: &Host, sections: &Sections) -> Result<(Self, String), Error> {
        let section = sections.store();
        let url = section.url.to_owned();
        let setup = Self {
            target: Target::parse(&url, &host.paths.store_file())?,
            budget: Duration::from_millis(section.budget_ms),
            keep: Duration::from_secs(section.keep_days * 86_400),
        };
        Ok((setup, url))
    }

    /// The same for an event in the middle of the work: no configuration is parsed.
    pub fn quick(host: &Host) -> Result<Self, Error> {
        hint::setup(host)
    }

    /// [`Setup::ask`] for an event that can do without an answer: a server that was unavailable a moment ago is not asked.
    pub fn ask_lightly<T: Send + 'static>(
        &self,
        host: &Host,
        question: impl FnOnce(&mut Store) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        if !self.target.is_remote() {
            return self.ask(question);
        }
        let marker = UnavailableMarker::new(host.paths.cache().join("store.unavailable"));
        if marker.is_set() {
            return Err(Error::Unreachable("it did not answer a moment ago".to_owned()));
        }
        let asked = Instant::now();
        let answer = self.ask(question);
        match &answer {
            Err(Error::Unreachable(_) | Error::Refused(_)) if asked.elapsed() >= self.budget => {
                marker.set(Unavailable::Slow);
            }
            Err(Error::Unreachable(_) | Error::Refused(_)) => marker.set(Unavailable::Unreachable),
            _ => marker.clear(),
        }
        answer
    }

    /// How a hook opens it. A file is made and brought up to date at once; a server's schema is the
    /// worker's business, because that may take longer than an agent should wait.
    pub fn opening(&self) -> Opening {
        if self.target.is_remote() {
            Opening { wait: self.budget, connect: self.budget, migrate: false, create: false, tidy: false }
        } else {
            Opening { tidy: false, ..Opening::WORKER }
        }
    }

    /// The longest that a hook waits in all.
    pub fn patience(&self) -> Duration {
        if self.target.is_remote() { self.budget } else { Opening::WORKER.wait + Duration::from_millis(500) }
    }

    /// True when SQLite's log has grown so that every hook that opens the file pays for reading it: the worker checkpoints it.
    pub fn needs_tidying(&self) -> bool {
        const MAX_LOG_BYTES: u64 = 512 << 10;
        let Target::Sqlite(path) = &self.target else { return false };
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        std::fs::metadata(log).is_ok_and(|meta| meta.len() > MAX_LOG_BYTES)
    }

    /// Opens the store for a hook and asks it something, within the budget.
    pub fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Store) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (target, opening) = (self.target.clone(), self.opening());
        let ask = move || Store::open(&target, opening).and_then(|mut store| question(&mut store));
        match ask_within(self.patience(), ask) {
            Ok(Some(answer)) => answer,
            Ok(None) => Err(Error::Unreachable(format!("no answer in {:?}", self.patience()))),
            Err(error) => Err(Error::Unreachable(error.to_string())),
        }
    }
}

/// A time as the store has it.
pub const fn micros(stamp: Stamp) -> i64 {
    stamp.0 as i64
}

/// What tells this state folder from others that share a store. Made once; where nothing can be written, it is
/// derived from the place.
pub fn home_id(host: &Host) -> String {
    let file = host.paths.state.join("home-id");
    let known =
        || sprag_base::files::read_text(&file, sprag_base::files::SMALL).ok().filter(|id| id.len() == 36);
    known().unwrap_or_else(|| {
        // Linked rather than renamed: of several that start at once, one wins and all read it.
        let scratch = sprag_base::files::scratch_name(&file);
        let made = sprag_base::files::write_atomic(&scratch, new_id().as_bytes());
        if made.is_ok() {
            let _ = std::fs::hard_link(&scratch, &file);
            let _ = sprag_base::files::remove(&scratch);
        }
        known().unwrap_or_else(|| derived(&host.machine(), &host.paths))
    })
}

fn derived(machine: &str, paths: &Paths) -> String {
    short_hash(format!("{machine}\0{}", paths.state.display()).as_bytes())
}
