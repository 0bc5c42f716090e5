//! What the agents' transcripts cost, read in the background and read again only where a file changed.

use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_usage::price::Prices;
use sprag_usage::spent::{Ledger, Sum};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What was read so long ago is looked at again.
const FRESH: Duration = Duration::from_secs(15);
/// A page waits so long for what is read; then it shows what there is.
const PATIENCE: Duration = Duration::from_millis(500);

/// The transcripts' tokens.
#[derive(Default)]
pub(crate) struct Spending {
    state: Mutex<State>,
    changed: Condvar,
    version: AtomicU64,
}

#[derive(Default)]
struct State {
    ledger: Ledger,
    /// When the last reading ended.
    at: Option<Instant>,
    running: bool,
    /// Files that are read, and all.
    read: (usize, usize),
}

/// Under which names the sums are kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorkingCopy {
    /// Where the agent was.
    pub(crate) cwd: String,
    pub(crate) branch: String,
}

/// Tokens and money, by what people ask for.
#[derive(Default)]
pub(crate) struct Spent {
    pub(crate) all: Sum,
    pub(crate) by_place: BTreeMap<WorkingCopy, Sum>,
    pub(crate) by_model: BTreeMap<String, Sum>,
    /// The day as `2026-11-18`, and the agent.
    pub(crate) by_day: BTreeMap<(String, String), Sum>,
    /// Files that are read, and all, while they are not all read.
    pub(crate) reading: Option<(usize, usize)>,
    /// What is wrong with the user's list of prices.
    pub(crate) trouble: Option<String>,
}

impl Spending {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Grows when more is known.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// What is known of the time since `since`; what changed is read in the background, and shortly waited for.
    pub(crate) fn since(self: &Arc<Self>, host: &Host, since: Stamp) -> Spent {
        let mut state = self.lock();
        if !state.running && state.at.is_none_or(|at| at.elapsed() > FRESH) {
            state.running = true;
            let (own, host) = (Arc::clone(self), host.clone());
            std::thread::spawn(move || own.read(&host, since));
        }
        let waited = self.changed.wait_timeout_while(state, PATIENCE, |state| state.running);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let (prices, trouble) = match Prices::read(&host.paths) {
            Ok(prices) => (prices, None),
            Err(trouble) => (Prices::default(), Some(trouble)),
        };
        let reading = state.running.then_some(state.read);
        let mut spent = Spent { reading, trouble, ..Spent::default() };
        for answers in state.ledger.all() {
            let place = WorkingCopy { cwd: answers.cwd.clone(), branch: answers.branch.clone() };
            for ((day, model), used) in &answers.by_day {
                let day_of_agent = (day.clone(), answers.agent.clone());
                for sum in [
                    &mut spent.all,
                    spent.by_place.entry(place.clone()).or_default(),
                    spent.by_model.entry(model.clone()).or_default(),
                    spent.by_day.entry(day_of_agent).or_default(),
                ] {
                    sum.add(&prices, &answers.session, (day, model), used);
                }
            }
        }
        spent
    }

    fn read(&self, host: &Host, since: Stamp) {
        let paths = sprag_lessons::scan::transcripts(&sprag_lessons::scan::folders(host));
        for (at, path) in paths.iter().enumerate() {
            let mut state = self.lock();
            state.read = (at, paths.len());
            state.ledger.refresh(path, since);
        }
        let mut state = self.lock();
        (state.running, state.at) = (false, Some(Instant::now()));
        drop(state);
        self.version.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_all();
    }
}
