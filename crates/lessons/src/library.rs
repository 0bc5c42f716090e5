//! Where compiled lessons come from: the store's, made by whoever changes them; a project's and a named manifest's,
//! made by the call that finds them changed. A call never opens the store.

use crate::artifacts::{self, Installed};
use crate::index::{Built, Config, Fault, Index, Options, Unreadable, build};
use crate::model::Lesson;
use crate::{import, news, project};
use sprag_base::files::{self, Identity};
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_config::host::Host;
use sprag_config::trust::{self, Trust};
use sprag_project::Project;
use sprag_store::{Error, Store};
use std::path::{Path, PathBuf};

/// The variable that names a manifest to use instead of everything else.
pub const MANIFEST: &str = "LESSONS_MANIFEST_PATH";
/// Where the numbers that came with an import are kept in the store.
const SPACE: &str = "lessons";
const CONFIG: &str = "config";

/// The lessons that count for a call.
#[derive(Debug, Default)]
pub struct Library {
    /// The project's first, then the user's.
    pub indexes: Vec<Index>,
    /// What is wrong, in words.
    pub troubles: Vec<String>,
    /// The store's file is damaged: it must be rebuilt.
    pub rebuild: bool,
}

/// The folder of lessons in the state folder.
pub fn folder(paths: &Paths) -> PathBuf {
    paths.state.join("lessons")
}

/// The store's lessons, compiled.
pub fn store_index(paths: &Paths) -> PathBuf {
    folder(paths).join("index")
}

fn cached(paths: &Paths, of: &Path) -> PathBuf {
    paths.cache().join(format!("{}.lessons", short_hash(of.as_os_str().as_encoded_bytes())))
}

/// Opens what counts here.
pub fn open(host: &Host, project: &Project) -> Library {
    let mut library = Library::default();
    if let Some(path) = host.env.get(MANIFEST) {
        library.add(manifest(host, Path::new(&path)));
        return library;
    }
    if let Some(sprag) = &project.sprag {
        let folder = project::folder(sprag);
        // Asked of the disk once; almost every project has none.
        if files::identity(&folder).is_some() {
            library.add(of_project(host, project, &folder));
        }
    }
    match Index::open(&store_index(&host.paths)) {
        Ok(Some(index)) => library.indexes.push(index),
        Ok(None) => {}
        Err(error) => {
            library.rebuild = matches!(error, Unreadable::Damaged);
            library.troubles.push(error.to_string());
        }
    }
    library
}

impl Library {
    fn add(&mut self, opened: Result<Index, OpenError>) {
        match opened {
            Ok(index) => self.indexes.push(index),
            Err(error) => self.troubles.push(error.to_string()),
        }
    }
}

/// Why the lessons of a manifest or of a project do not count.
#[derive(Debug, thiserror::Error)]
enum OpenError {
    #[error("{}: {error}", .file.display())]
    Manifest { file: PathBuf, error: import::ImportError },
    #[error(transparent)]
    Index(#[from] Unreadable),
}

/// A compiled file that was made from exactly these inputs.
fn fresh(file: &Path) -> Option<Index> {
    let index = Index::open(file).ok()??;
    let same = index.header.inputs.iter().all(|(path, known)| &files::identity(Path::new(path)) == known);
    same.then_some(index)
}

fn keep(file: &Path, built: Built) -> Result<Index, OpenError> {
    // A cache that cannot be written costs time, not correctness.
    let _ = files::write_atomic(file, &built.bytes);
    Ok(Index::from_bytes(built.bytes)?)
}

fn input(path: &Path) -> (String, Option<Identity>) {
    (path.to_string_lossy().into_owned(), files::identity(path))
}

fn manifest(host: &Host, path: &Path) -> Result<Index, OpenError> {
    let file = cached(&host.paths, path);
    if let Some(index) = fresh(&file) {
        return Ok(index);
    }
    let inputs = vec![input(path)];
    let imported = import::read(path, &host.paths.cache())
        .map_err(|error| OpenError::Manifest { file: path.to_owned(), error })?;
    let lessons: Vec<Lesson> =
        imported.lessons.into_iter().map(|lesson| lesson.settled(String::new)).collect();
    let options = Options { stamp: "manifest".into(), inputs, config: imported.config };
    keep(&file, build(&lessons, options))
}

fn of_project(host: &Host, project: &Project, folder: &Path) -> Result<Index, OpenError> {
    let file = cached(&host.paths, folder);
    if let Some(index) = fresh(&file) {
        return Ok(index);
    }
    let trusted = trust::state(&host.paths, &project.root) == Trust::Trusted;
    let read = project::read(folder, trusted);
    let mut inputs = read.inputs;
    inputs.push(input(&host.paths.trust_file()));
    let built = build(&read.lessons, Options { stamp: "project".into(), inputs, config: Config::default() });
    keep(&file, built)
}

/// What became of making the store's file.
#[derive(Debug, Default)]
pub struct Rebuilt {
    /// Active lessons.
    pub lessons: usize,
    /// Lessons that wait for an artifact or are made needless by one, by their slugs.
    pub left_out: Vec<String>,
    /// Patterns that do not count.
    pub faults: Vec<Fault>,
    /// It was up to date.
    pub unchanged: bool,
}

/// Every lesson of the store; a row that cannot be read is passed over.
pub fn lessons(store: &mut Store) -> Result<Vec<Lesson>, Error> {
    Ok(store.lessons()?.iter().filter_map(Lesson::from_row).collect())
}

/// Remembers the numbers that came with an import.
pub fn keep_config(store: &mut Store, config: Config, now: i64) -> Result<(), Error> {
    let value = serde_json::to_string(&config).unwrap_or_default();
    let op = sprag_store::Op::new(
        now,
        sprag_store::OpKind::Put { space: SPACE.into(), name: CONFIG.into(), value },
    );
    store.apply(&op).map(|_| ())
}

fn config(store: &mut Store, now: i64) -> Result<Config, Error> {
    let entry = store.get(SPACE, CONFIG, now)?;
    Ok(entry.and_then(|entry| serde_json::from_str(&entry.value).ok()).unwrap_or_default())
}

/// Makes the store's compiled lessons, unless they are up to date and `force` is not asked for.
pub fn rebuild(host: &Host, store: &mut Store, force: bool) -> Result<Rebuilt, Error> {
    let now = host.clock.now().0 as i64;
    let installed: Vec<String> = artifacts::files(&host.paths.home)
        .iter()
        .map(|path| format!("{:?}", files::identity(path)))
        .collect();
    let config = config(store, now)?;
    let stamp =
        short_hash(format!("{}\n{config:?}\n{}", store.lessons_stamp()?, installed.join("\n")).as_bytes());
    let file = store_index(&host.paths);
    let known = Index::open(&file).ok().flatten();
    if !force && known.is_some_and(|index| index.header.stamp == stamp) {
        return Ok(Rebuilt { unchanged: true, ..Rebuilt::default() });
    }
    let here = Installed::read(&host.paths.home);
    let all = lessons(store)?;
    // Only the status line reads it.
    let _ = news::write(&host.paths, &all);
    let (wanted, left): (Vec<Lesson>, Vec<Lesson>) = all
        .into_iter()
        .partition(|lesson| here.wants(lesson.requires.as_ref(), lesson.duplicated_by.as_ref()));
    let built = build(&wanted, Options { stamp, inputs: Vec::new(), config });
    files::write_durable(&file, &built.bytes)
        .map_err(|error| Error::ReadOnly(format!("{}: {error}", file.display())))?;
    Ok(Rebuilt {
        lessons: built.lessons,
        left_out: left.into_iter().map(|lesson| lesson.slug).collect(),
        faults: built.faults,
        unchanged: false,
    })
}
