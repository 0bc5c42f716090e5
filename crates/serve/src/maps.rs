//! Maps of projects, made in the background: an index of symbols is opened or built, its files ranked.

use sprag_code::index::{Index, SymbolId};
use sprag_code::map;
use sprag_config::host::Host;
use sprag_project::Project;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A map that was made so long ago is made again.
const FRESH: Duration = Duration::from_secs(30);
/// A page waits so long for a map.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// Projects whose maps are kept.
const KEPT: usize = 8;
/// Files that are drawn and listed.
pub(crate) const DRAWN: usize = 160;

/// A file of a map.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) language: &'static str,
    pub(crate) lines: u32,
    /// Its share of all uses.
    pub(crate) score: f64,
    pub(crate) symbols: usize,
    /// The most used: name with what encloses it, line.
    pub(crate) top: Vec<(String, u32)>,
}

/// A project's map.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn {
    /// The most used first.
    pub(crate) files: Vec<File>,
    pub(crate) file_count: usize,
    pub(crate) symbols: usize,
    pub(crate) lines: u64,
    pub(crate) languages: BTreeMap<&'static str, usize>,
    /// Files whose calls are not read yet.
    pub(crate) unread: usize,
}

/// What is known of a map.
#[derive(Clone)]
pub(crate) enum Known {
    /// It is made.
    Reading,
    /// It cannot be made.
    Failed(String),
    Ready(Arc<Drawn>),
}

struct Kept {
    at: Instant,
    running: bool,
    known: Known,
}

/// The maps.
#[derive(Default)]
pub(crate) struct Maps {
    kept: Mutex<HashMap<PathBuf, Kept>>,
    changed: Condvar,
    version: AtomicU64,
}

impl Maps {
    /// Grows with every map that is made.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// The map of a project. An old one is shown while a new one is made.
    pub(crate) fn of(self: &Arc<Self>, host: &Host, project: &Project) -> Known {
        let root = project.root.clone();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let due = kept.get(&root).is_none_or(|one| !one.running && one.at.elapsed() > FRESH);
        if due {
            if kept.len() >= KEPT && !kept.contains_key(&root) {
                let oldest = kept.iter().filter(|(_, one)| !one.running).min_by_key(|(_, one)| one.at);
                if let Some(oldest) = oldest.map(|(root, _)| root.clone()) {
                    kept.remove(&oldest);
                }
            }
            let new = Kept { at: Instant::now(), running: true, known: Known::Reading };
            kept.entry(root.clone()).or_insert(new).running = true;
            let (own, host, project) = (Arc::clone(self), host.clone(), project.clone());
            std::thread::spawn(move || own.make(&host, &project));
        }
        let waits = |kept: &mut HashMap<PathBuf, Kept>| {
            kept.get(&root).is_some_and(|one| matches!(one.known, Known::Reading))
        };
        let waited = self.changed.wait_timeout_while(kept, PATIENCE, waits);
        let (kept, _) = waited.unwrap_or_else(PoisonError::into_inner);
        kept.get(&root).map_or(Known::Reading, |one| one.known.clone())
    }

    fn make(&self, host: &Host, project: &Project) {
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| draw(host, project)));
        let known = match made {
            Ok(Ok(Some(drawn))) => Known::Ready(Arc::new(drawn)),
            Ok(Ok(None)) => Known::Failed("there is nothing that could be read".to_owned()),
            Ok(Err(error)) => Known::Failed(error.to_string()),
            Err(_) => Known::Failed("reading it failed".to_owned()),
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(project.root.clone(), Kept { at: Instant::now(), running: false, known });
        drop(kept);
        self.version.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

fn draw(host: &Host, project: &Project) -> std::io::Result<Option<Drawn>> {
    const TOP: usize = 6;
    let Some(index) = sprag_worker::open_index(host, project)? else { return Ok(None) };
    let ranked = map::rank(&index, &[]);
    let files = ranked.files.iter().take(DRAWN).filter_map(|ranked| {
        let facts = index.facts_once(ranked.file)?;
        let top = ranked
            .symbols
            .iter()
            .take(TOP)
            .filter_map(|(symbol, _)| Some((facts.path(*symbol), facts.symbol(*symbol)?.line)));
        Some(File {
            path: index.path(ranked.file).to_owned(),
            language: index.language(ranked.file).map_or("", |language| language.name()),
            lines: facts.lines,
            score: ranked.score,
            symbols: facts.symbols.len(),
            top: top.collect(),
        })
    });
    let files = files.collect();
    Ok(Some(Drawn {
        files,
        file_count: ranked.files.len(),
        symbols: ranked.symbols,
        lines: ranked.lines,
        languages: ranked.languages,
        unread: ranked.unread,
    }))
}

/// Where a symbol is, so that it is found again: its file and its name with what encloses it.
pub(crate) fn address(index: &Index, id: SymbolId) -> Option<(String, String, u32)> {
    let facts = index.facts(id.file)?;
    let line = facts.symbol(id.symbol)?.line;
    Some((index.path(id.file).to_owned(), facts.path(id.symbol), line))
}
