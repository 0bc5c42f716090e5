//! A case's world on the disk: a throw-away home with a project, a configuration and what the case puts there.

use super::base::PREFIX;
use super::git;
use super::model::{Case, Content, Step, When, World, WorldFile};
use super::places::Places;
use super::run::Options;
use super::scripted::Scripted;
use sprag_base::env::Env;
use sprag_base::paths::Paths;
use sprag_base::time::{Clock, Stamp};
use sprag_config::host::Host;
use sprag_config::resolve::script_in;
use sprag_config::trust;
use sprag_protocol::EventKind;
use sprag_protocol::agents::ENV_FILE_VARIABLE;
use sprag_runtime::hook::{Builtin, HookSpec};
use sprag_runtime::job::Handler;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

/// Why a case did not run.
#[derive(Debug, PartialEq, Eq)]
pub enum NotRun {
    /// Something is missing that is not the case's fault.
    Skipped(String),
    /// The case cannot be set up as it says.
    Broken(String),
}

impl NotRun {
    /// A file that could not be written or read.
    pub fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::Broken(format!("{}: {error}", path.display()))
    }
}

/// What every case needs of the program around it.
#[derive(Clone, Copy)]
pub struct Registry {
    /// What the hooks declare.
    pub hooks: &'static [&'static HookSpec],
    /// The hooks.
    pub builtins: &'static [Builtin],
    /// The handlers of background jobs.
    pub jobs: Handler,
}

/// The environment of a running case. Dropping it removes the home.
pub struct Scene {
    /// Removed with everything in it when the case is over.
    _root: tempfile::TempDir,
    /// Its folders.
    pub places: Places,
    /// What its hooks run in.
    pub host: Host,
    /// The agent's file of environment variables.
    pub env_file: PathBuf,
    model: Option<Scripted>,
    clock: Option<Stamp>,
    advanced: Duration,
}

/// Variables that programs need to be found and to speak as they do elsewhere.
const INHERITED: [&str; 14] = [
    "PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "SYSTEMROOT", "PYENV_ROOT", "PYENV_VERSION", "NVM_DIR",
    "VOLTA_HOME", "ASDF_DATA_DIR", "MISE_DATA_DIR", "RUSTUP_HOME", "CARGO_HOME",
];

impl Scene {
    /// Makes the world of a case; `folder` is where its file lies.
    pub fn new(case: &Case, folder: &Path, options: Options<'_>) -> Result<Self, NotRun> {
        let root = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(options.base)
            .map_err(|error| NotRun::Broken(format!("no throw-away home can be made: {error}")))?;
        // A linked temporary folder would make paths in answers differ from those in payloads.
        let real = root.path().canonicalize().unwrap_or_else(|_| root.path().to_path_buf());
        let places = Places::new(&real.join("home"));
        let env_file = real.join("agent-env");
        make_dir(&places.project())?;
        let mut env = environment(&case.world, &places, &env_file);
        let model = (!case.world.model.is_empty())
            .then(|| Scripted::start(case.world.model.iter().map(|answer| places.inward(answer)).collect()))
            .transpose()
            .map_err(|error| NotRun::Broken(format!("the scripted model: {error}")))?;
        if let (Some(model), Env::Fixed(map)) = (&model, &mut env) {
            map.extend(model.variables());
        }
        let paths = Paths::from_env(&env);
        let host = Host {
            env,
            paths,
            clock: Clock::System,
            hooks: options.registry.hooks,
            // No worker is started from a case: its work would outlive the home.
            exe: None,
        };
        let (clock, advanced) = (case.world.clock, Duration::ZERO);
        let mut scene = Self { _root: root, places, host, env_file, model, clock, advanced };
        scene.advance(Duration::ZERO);
        scene.fill(case, folder)?;
        Ok(scene)
    }

    fn fill(&self, case: &Case, folder: &Path) -> Result<(), NotRun> {
        let world = &case.world;
        if let Some(git) = &world.git {
            git::make(git, &self.places, self.host.clock.now())?;
        }
        self.config(case, folder)?;
        if !world.project_config.is_empty() {
            let document = merged(&world.project_config, &self.places)?;
            let file = self.places.project().join(".sprag/config.toml");
            write(&file, document.to_string().as_bytes())?;
        }
        self.put(&world.files, folder)?;
        self.rows(world)?;
        if world.trusted {
            trust::grant(&self.host.paths, &self.places.project(), self.host.clock.now())
                .map_err(|error| NotRun::Broken(format!("the project cannot be trusted: {error}")))?;
        }
        Ok(())
    }

    /// Rows of the store, in which `/home/dev` is the case's home.
    fn rows(&self, world: &World) -> Result<(), NotRun> {
        if world.store.is_empty() {
            return Ok(());
        }
        let broken = |error: sprag_store::Error| NotRun::Broken(format!("the store's rows: {error}"));
        let setup = sprag_coord::store::Setup::read(&self.host).map_err(broken)?;
        let mut store =
            sprag_store::Store::open(&setup.target, sprag_store::Opening::WORKER).map_err(broken)?;
        let time = |text: &str| Stamp::parse(text).map(sprag_coord::store::micros);
        for (table, rows) in &world.store {
            for row in rows {
                let row = row.iter().map(|(column, value)| {
                    let value = match value.as_str() {
                        Some(text) => self.places.inward(text).into(),
                        None => value.clone(),
                    };
                    (column.clone(), value)
                });
                store.seed(table, &row.collect(), &time).map_err(broken)?;
            }
        }
        Ok(())
    }

    /// The user's configuration: what the case says, and its chain on every event that it sends.
    fn config(&self, case: &Case, folder: &Path) -> Result<(), NotRun> {
        let mut document = merged(&case.world.config, &self.places)?;
        for name in case.hooks.iter().filter(|name| self.host.hook(name).is_none() && *name != PRESET) {
            self.external(&mut document, name, folder)?;
        }
        if case.hooks != [PRESET] {
            let mut kinds = Vec::new();
            case.steps.iter().for_each(|step| collect_kinds(step, &mut kinds));
            for kind in kinds {
                self.chain(&mut document, case, kind);
            }
        }
        write(&self.host.paths.config_file(), document.to_string().as_bytes())
    }

    /// `[hooks.<event>]` for one event, unless the case wrote it itself.
    fn chain(&self, document: &mut DocumentMut, case: &Case, kind: EventKind) {
        let known = document.get("hooks").and_then(|hooks| hooks.get(kind.config_name()));
        if known.is_some() {
            return;
        }
        // A builtin stands in the chains of the events it sees, as in a preset.
        let names = case.hooks.iter().filter(|name| {
            *name != PRESET
                && self
                    .host
                    .hook(name)
                    .is_none_or(|builtin| builtin.sees.iter().any(|sees| sees.kind == kind))
        });
        let key = if case.hooks.iter().any(|name| name == PRESET) { "append" } else { "scripts" };
        let Some(table) = sprag_config::edit::subtable(document, "hooks", kind.config_name()) else {
            return;
        };
        table.insert(key, value(names.map(String::as_str).collect::<Array>()));
    }

    /// Lets the configuration find a user's hook: a file beside the case file, or a command with such files.
    fn external(&self, document: &mut DocumentMut, name: &str, folder: &Path) -> Result<(), NotRun> {
        let hook = document.get("hook").and_then(|hooks| hooks.get(name));
        if hook.and_then(|hook| hook.get("type")).and_then(Item::as_str).is_some_and(|kind| kind != "command")
        {
            // It is a builtin by another name: there is no program to find.
            return Ok(());
        }
        let command = document
            .get_mut("hook")
            .and_then(|hooks| hooks.get_mut(name))
            .and_then(|hook| hook.get_mut("command"));
        if let Some(command) = command {
            if let Some(words) = command.as_array_mut() {
                for word in words.iter_mut() {
                    let path = word.as_str().map(|word| folder.join(word)).filter(|path| path.is_file());
                    if let Some(path) = path.and_then(|path| path.canonicalize().ok()) {
                        *word = toml_edit::Value::from(path.to_string_lossy().into_owned());
                    }
                }
            }
            return Ok(());
        }
        let folders = [folder.to_path_buf(), folder.join("../hooks")];
        let Some(file) = folders.iter().find_map(|folder| script_in(folder, name)) else {
            let known: Vec<&str> = self.host.hooks.iter().map(|builtin| builtin.name).collect();
            let hint = match sprag_config::parse::nearest(name, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "no builtin has this name, no file beside the case file, and no [hook.…] command"
                    .to_owned(),
            };
            return Err(NotRun::Broken(format!("there is no hook `{name}`; {hint}")));
        };
        let file = file.canonicalize().map_err(|error| NotRun::io(&file, &error))?;
        let hooks = self.host.paths.hooks_dir();
        make_dir(&hooks)?;
        let place = hooks.join(file.file_name().unwrap_or_default());
        link(&file, &place).map_err(|error| NotRun::io(&place, &error))
    }

    /// Puts files there.
    pub fn put(&self, files: &[WorldFile], folder: &Path) -> Result<(), NotRun> {
        for file in files {
            let path = self.places.path(&file.path);
            match &file.content {
                Content::Text(text) => write(&path, self.places.inward(text).as_bytes())?,
                Content::From(from) => {
                    let from = folder.join(from);
                    let bytes = sprag_base::files::read(&from, sprag_base::files::STATE)
                        .map_err(|error| NotRun::io(&from, &error))?;
                    match String::from_utf8(bytes) {
                        Ok(text) => write(&path, self.places.inward(&text).as_bytes())?,
                        Err(binary) => write(&path, binary.as_bytes())?,
                    }
                }
                Content::Link(target) => {
                    make_dir(path.parent().unwrap_or(&path))?;
                    let target = PathBuf::from(self.places.inward(target));
                    link(&target, &path).map_err(|error| NotRun::io(&path, &error))?;
                    continue;
                }
                Content::Dir => make_dir(&path)?,
            }
            self.finish(file, &path)?;
        }
        Ok(())
    }

    /// A file's permissions and time. With a clock of its own, a world is as old as that clock says.
    fn finish(&self, file: &WorldFile, path: &Path) -> Result<(), NotRun> {
        let now = self.host.clock.now();
        let modified = match file.modified {
            Some(When::At(stamp)) => Some(stamp),
            Some(When::Before(ago)) => Some(now.before(ago)),
            None => self.clock.map(|_| now),
        };
        if let Some(stamp) = modified {
            let time: SystemTime = UNIX_EPOCH + Duration::from_micros(stamp.0);
            sprag_base::files::set_modified(path, time).map_err(|error| NotRun::io(path, &error))?;
        }
        #[cfg(unix)]
        if let Some(mode) = file.mode {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
                .map_err(|error| NotRun::io(path, &error))?;
        }
        Ok(())
    }

    /// What the model was asked since the last time.
    pub fn asked(&self) -> Vec<String> {
        let asked = self.model.iter().flat_map(Scripted::take);
        asked.map(|question| self.places.outward(&question)).collect()
    }

    /// Moves the clock. A case without one has the machine's time, moved by what its steps say.
    pub fn advance(&mut self, by: Duration) {
        self.advanced += by;
        self.host.clock = match self.clock {
            Some(stamp) => Clock::Fixed(stamp.after(self.advanced)),
            None if self.advanced.is_zero() => Clock::System,
            None => Clock::Fixed(Clock::System.now().after(self.advanced)),
        };
        // An external hook has no other way to know.
        if let (Clock::Fixed(now), Env::Fixed(map)) = (self.host.clock, &mut self.host.env) {
            map.insert("SPRAG_NOW".to_owned(), now.to_string());
        }
    }

    /// Sets variables for the steps from here on.
    pub fn set_env(&mut self, vars: &[(String, String)]) {
        if let Env::Fixed(map) = &mut self.host.env {
            for (name, value) in vars {
                map.insert(name.clone(), self.places.inward(value));
            }
        }
    }
}

/// The name that stands for the preset's own chain.
const PRESET: &str = "preset";

fn environment(world: &World, places: &Places, env_file: &Path) -> Env {
    let mut map: BTreeMap<String, String> =
        INHERITED.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect();
    map.insert("HOME".to_owned(), places.home().to_string_lossy().into_owned());
    map.insert(ENV_FILE_VARIABLE.to_owned(), env_file.to_string_lossy().into_owned());
    // The line about sprag itself is no hook's; a case about it switches it on.
    map.insert("SPRAG_CONTEXT_START_LINE".to_owned(), "0".to_owned());
    map.insert("TZ".to_owned(), "UTC".to_owned());
    for (name, value) in &world.env {
        map.insert(name.clone(), places.inward(value));
    }
    Env::Fixed(map)
}

/// The events that a step sends.
fn collect_kinds(step: &Step, kinds: &mut Vec<EventKind>) {
    for kind in super::payload::kinds(step) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
}

/// Texts of a configuration as one, later ones over earlier ones.
fn merged(texts: &[String], places: &Places) -> Result<DocumentMut, NotRun> {
    let mut all = DocumentMut::new();
    for text in texts {
        let document: DocumentMut = places
            .inward(text)
            .parse()
            .map_err(|error: toml_edit::TomlError| NotRun::Broken(format!("the configuration: {error}")))?;
        over(all.as_table_mut(), document.as_table());
    }
    Ok(all)
}

fn over(all: &mut dyn TableLike, own: &dyn TableLike) {
    for (key, item) in own.iter() {
        match (all.get_mut(key).and_then(Item::as_table_like_mut), item.as_table_like()) {
            (Some(old), Some(new)) => over(old, new),
            (None, Some(new)) => {
                // Whole tables, also for those written inline: chains are added to them later.
                let mut table = Table::new();
                over(&mut table, new);
                all.insert(key, Item::Table(table));
            }
            _ => {
                all.insert(key, item.clone());
            }
        }
    }
}

/// Makes a folder of the case.
pub fn make_dir(path: &Path) -> Result<(), NotRun> {
    fs::create_dir_all(path).map_err(|error| NotRun::io(path, &error))
}

/// Writes a file of the case.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), NotRun> {
    if let Err(first) = sprag_base::files::write_plain(path, bytes) {
        if first.kind() != std::io::ErrorKind::NotFound {
            return Err(NotRun::io(path, &first));
        }
        make_dir(path.parent().unwrap_or(path))?;
        sprag_base::files::write_plain(path, bytes).map_err(|error| NotRun::io(path, &error))?;
    }
    Ok(())
}

#[cfg(unix)]
fn link(target: &Path, place: &Path) -> std::io::Result<()> {
    let _ = sprag_base::files::remove(place);
    std::os::unix::fs::symlink(target, place)
}

#[cfg(not(unix))]
fn link(target: &Path, place: &Path) -> std::io::Result<()> {
    sprag_base::files::copy(target, place, sprag_base::files::STATE)
}
