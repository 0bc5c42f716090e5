//! The memories as hooks, commands and the worker open them: where they are, how long a hook waits, and the marks that
//! hooks leave in files for the worker to ingest.

use crate::recall::vectors::VectorFile;
use crate::recall::{Embedder, Endpoint, Error, Library, Only, Question, RecalledMemory};
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_config::host::Host;
use sprag_coord::store::wait::{Unavailable, UnavailableMarker, ask_within};
use sprag_coord::store::{Setup, micros};
use sprag_project::Project;
use sprag_runtime::job::{Job, JobError, Work};
use sprag_runtime::queue;
use sprag_store::{Opening, Reach, Store};
use std::path::PathBuf;
use std::time::Duration;

/// True when there may be something to recall: one look at the file system.
pub fn anything(host: &Host) -> bool {
    VectorFile::new(&host.paths.state).exists()
}

/// Whose memories a session sees.
pub fn reach(host: &Host, project: &Project, agent: &str) -> Reach {
    Reach { all: false, project: project.key(&host.machine()), agent: agent.to_owned() }
}

/// What the user's configuration says of the store and of what makes vectors. A project has no say in where a user's
/// memories and prompts go.
fn read(host: &Host) -> Result<(Setup, Embedder), Error> {
    let sections = sprag_config::cache::sections(host);
    let (setup, _) = Setup::of(host, &sections)?;
    let endpoint = Endpoint::of(&sections.recall(), |name| host.env.get(name))?;
    Ok((setup, endpoint.map_or_else(Embedder::local, Embedder::Endpoint)))
}

/// Opens the memories.
pub fn open(host: &Host, opening: Opening) -> Result<Library, Error> {
    let (setup, embedder) = read(host)?;
    let store = Store::open(&setup.target, opening)?;
    Ok(Library::new(store, &host.paths.state, embedder))
}

/// Opens the memories for a look; `None` when there are none.
pub fn look(host: &Host) -> Result<Option<Library>, Error> {
    match open(host, Opening { create: false, ..Opening::WORKER }) {
        Err(Error::Store(sprag_store::Error::Missing)) => Ok(None),
        other => other.map(Some),
    }
}

/// Asks the memories for a hook, within the store's budget and what the encoder needs. A store that is unavailable,
/// locked or not created yet has nothing to say: that is not worth a word to the user at every prompt. While the embedding
/// endpoint is unavailable, words alone are looked up, and it is left alone for a while.
pub fn ask(host: &Host, mut question: Question) -> Result<Vec<RecalledMemory>, Error> {
    let (setup, embedder) = read(host)?;
    let (state, now) = (host.paths.state.clone(), micros(host.clock.now()));
    let patience = setup.patience() + embedder.patience() + Duration::from_millis(400);
    let opening = Opening { create: false, ..setup.opening() };
    let outside = matches!(embedder, Embedder::Endpoint(_));
    let marker = UnavailableMarker::new(host.paths.state.join("memory").join("endpoint-unavailable"));
    if outside && marker.is_set() {
        question.only = Some(Only::Words);
    }
    let answer = ask_within(patience, move || {
        let mut library = Library::new(Store::open(&setup.target, opening)?, &state, embedder);
        let found = library.recall(&question, now)?;
        Ok::<_, Error>((found, library.trouble().is_some(), library.is_behind()))
    })?;
    match answer {
        None => Ok(Vec::new()),
        Some(Err(Error::Store(error))) if error.is_transient() => Ok(Vec::new()),
        Some(Err(error)) => Err(error),
        Some(Ok((found, trouble, behind))) => {
            if trouble && outside {
                marker.set(Unavailable::Unreachable);
            }
            if behind {
                embed_soon(host);
            }
            Ok(found)
        }
    }
}

/// Which memories were shown, until the worker has counted them.
fn used_file(paths: &Paths) -> PathBuf {
    paths.state.join("memory").join("used")
}

/// Remembers that memories were shown. A line in a file: no database is written while an agent waits.
pub fn mark_used(host: &Host, ids: &[String]) {
    let at = micros(host.clock.now());
    let lines: String = ids.iter().map(|id| format!("{at} {id}\n")).collect();
    let _ = files::append(&used_file(&host.paths), lines.as_bytes());
}

/// Counts what was shown since the last time.
pub fn ingest_used(host: &Host, store: &mut Store) -> Result<(), sprag_store::Error> {
    let path = used_file(&host.paths);
    let taken = path.with_extension("counting");
    // A run that died in the middle left its file; it is counted first.
    if !taken.exists() && files::rename(&path, &taken).is_err() {
        return Ok(());
    }
    let text = files::read_text(&taken, files::STATE).unwrap_or_default();
    for line in text.lines() {
        if let Some((at, id)) = line.split_once(' ')
            && let Ok(at) = at.parse()
        {
            store.use_memories(&[id.to_owned()], at)?;
        }
    }
    let _ = files::remove(&taken);
    Ok(())
}

/// The background job that makes missing vectors and tidies the vectors' file. An endpoint is unavailable for as long
/// as it is unavailable.
fn embed_job() -> Job {
    Job::new(Work::MemoryEmbed).keyed("memory-embed").patient()
}

/// Queues the job that makes missing vectors: after an import, after another model was chosen, once a day.
pub fn embed_later(host: &Host) -> std::io::Result<()> {
    queue::push(&host.paths, &embed_job(), host.clock.now())
}

/// The same for a hook that saw that vectors are missing, and at once: but one that waits for its time is left to it.
fn embed_soon(host: &Host) {
    if queue::waiting_like(&host.paths, &embed_job()).is_none() && embed_later(host).is_ok() {
        queue::wake(host);
    }
}

/// Makes missing vectors: a bounded number of them, and the rest as the next job.
pub fn embed(host: &Host) -> Result<(), JobError> {
    const MAX_VECTORS: usize = 2_000;
    let mut library = open(host, Opening::WORKER)?;
    let made = library.embed_missing(MAX_VECTORS, &mut |_| ())?;
    if made >= MAX_VECTORS {
        embed_later(host)?;
    }
    Ok(())
}
