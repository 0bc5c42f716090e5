//! The worker's side: takes what is wanted for a project, runs each checker once, and leaves every session what is new.

use super::ask::{News, Request, Subject, ending, owner};
use super::changes::{self, Changes};
use super::config::Config;
use super::disk::{Disk, below};
use super::place::{BEFORE, CheckFolder, EDITS, ENDED, NEWS, PROMPT, SAID};
use super::start::{ProgramLookup, Starter, reap};
use serde_json::json;
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::process::{Finished, RunError};
use sprag_config::host::Host;
use sprag_project::{Project, git};
use sprag_runtime::job::JobError;
use sprag_runtime::session::Session;
use sprag_scan::scrub::scrub;
use sprag_verify::detect::candidates;
use sprag_verify::ledger::{self, CheckerRun, Ledger};
use sprag_verify::parse::parse;
use sprag_verify::table::{Checker, Role, Scope, is_made};
use sprag_verify::{Diagnostic, Severity, report};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The most of a file that is hashed.
const MAX_HASHED: u64 = 4 << 20;

/// Does everything that is wanted for the project in a folder.
pub fn run(host: &Host, root: &str) -> Result<(), JobError> {
    Ok(project(host, &CheckFolder::of(host, root))?)
}

/// Does everything that is wanted for a project now.
pub fn project(host: &Host, place: &CheckFolder) -> io::Result<()> {
    let lock = files::open_lock(&place.lock())?;
    lock.lock()?;
    reap(place);
    let config = Config::read(host, place);
    settle(place, config.settle);
    let all = take(place);
    let round = Round::new(
        host,
        place,
        &config,
        all.iter().filter(|request| lives(host, request)).cloned().collect(),
    );
    let result = round.work();
    for request in &all {
        let _ = files::write_atomic(&place.done(&request.id), b"");
    }
    tidy(place);
    result
}

/// True while the session that asked goes on.
fn lives(host: &Host, request: &Request) -> bool {
    !Session::new(&host.paths, &request.session).has(ENDED)
        && request.agent.is_none_or(|agent| agent.is_alive() != Some(false))
}

/// Waits until no edit came for a while, so that many edits are one build. A hook that waits is kept waiting less.
fn settle(place: &CheckFolder, settle: Duration) {
    const SHORT: Duration = Duration::from_millis(40);
    const LONGEST_WAIT: Duration = Duration::from_secs(3);
    let began = Instant::now();
    while began.elapsed() < LONGEST_WAIT {
        let text = files::read_text(place.wanted(), files::STATE).unwrap_or_default();
        let quiet = match &text {
            // The end of a turn: no edit follows.
            text if text.contains("\"stop\":true") => return,
            text if text.contains("\"waits\":true") => settle.min(SHORT),
            _ => settle,
        };
        let written =
            std::fs::metadata(place.wanted()).and_then(|meta| meta.modified()).unwrap_or(UNIX_EPOCH);
        let age = SystemTime::now().duration_since(written).unwrap_or_default();
        if age >= quiet {
            return;
        }
        std::thread::sleep(quiet.saturating_sub(age).min(Duration::from_millis(20)));
    }
}

/// The requests that wait; whoever takes them has them alone.
fn take(place: &CheckFolder) -> Vec<Request> {
    let text = files::take_text(&place.wanted()).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Marks of requests whose hook did not wait to the end, and what is known of projects that nobody edits any more.
fn tidy(place: &CheckFolder) {
    const OLD: Duration = Duration::from_secs(600);
    const FORGOTTEN: Duration = Duration::from_secs(90 * 86_400);
    for entry in
        place.dir().parent().and_then(|dir| std::fs::read_dir(dir).ok()).into_iter().flatten().flatten()
    {
        let last = std::fs::metadata(entry.path().join("runs.jsonl")).and_then(|meta| meta.modified());
        if last.ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > FORGOTTEN) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    for entry in std::fs::read_dir(place.done("")).into_iter().flatten().flatten() {
        let old = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
        if old.is_some_and(|age| age > OLD) {
            let _ = files::remove(entry.path());
        }
    }
}

/// True when the request is about what the checker says.
fn wants(request: &Request, checker: &Checker) -> bool {
    const LOOP: [&str; 4] = ["python", "typescript", "go", "rust"];
    let language = checker.language.as_str();
    if checker.only_at_stop && !request.stop {
        return false;
    }
    match request.subject {
        Subject::Build => checker.role == Role::Build,
        Subject::TypeScript => language == "typescript",
        Subject::Compile if request.stop => {
            checker.role == Role::Syntax
                || checker.role == Role::Build && (LOOP.contains(&language) || checker.own)
        }
        Subject::Compile => {
            checker.role == Role::Syntax
                || LOOP.contains(&language) && (checker.role == Role::Build || language == "python")
        }
        Subject::Lint => checker.role == Role::Lint,
    }
}

/// One checker to run in one folder.
struct Task<'a> {
    checker: &'a Checker,
    program: PathBuf,
    folder: String,
    files: BTreeSet<String>,
    /// Places of the requests that want it.
    requests: BTreeSet<usize>,
}

/// Everything that is done at one go.
struct Round<'a> {
    host: &'a Host,
    place: &'a CheckFolder,
    config: &'a Config,
    requests: Vec<Request>,
    env: BTreeMap<String, String>,
    changes: OnceCell<Option<Changes>>,
}

impl<'a> Round<'a> {
    fn new(host: &'a Host, place: &'a CheckFolder, config: &'a Config, requests: Vec<Request>) -> Self {
        let env = requests.last().map(|request| request.env.clone()).unwrap_or_default();
        Self { host, place, config, requests, env, changes: OnceCell::new() }
    }

    fn changes(&self) -> Option<&Changes> {
        let (root, env) = (&self.place.root, Env::Fixed(self.env.clone()));
        let ask = || {
            let project = Project::find(&root.to_string_lossy(), &env, &self.host.paths.home);
            if git::is_large(&project) {
                changes::of_files(root, &env, &self.edited())
            } else {
                changes::since_commit(root, &env)
            }
        };
        self.changes.get_or_init(ask).as_ref()
    }

    /// The files that the requests and their sessions name.
    fn edited(&self) -> BTreeSet<String> {
        let root = &self.place.root;
        let sessions = self.requests.iter().map(|request| Session::new(&self.host.paths, &request.session));
        let edits: Vec<String> = sessions.map(|session| session.read(EDITS)).collect();
        let named = self.requests.iter().flat_map(|request| request.files.iter().map(String::as_str));
        let all = named.chain(edits.iter().flat_map(|edits| edits.lines()));
        all.filter_map(|file| below(root, Path::new(file))).collect()
    }

    fn work(&self) -> io::Result<()> {
        if self.requests.is_empty() {
            return Ok(());
        }
        let mut ledger: Ledger = files::read_whole(&self.place.ledger(), 16 << 20)
            .ok()
            .flatten()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        ledger.forget_files(&|file| file.starts_with('/') || self.place.root.join(file).exists());
        let over = || !self.requests.iter().any(|request| lives(self.host, request));
        let starter = Starter {
            place: self.place,
            env: &self.env,
            may_run_code: self.config.may_run_code(self.place, &self.requests),
            deadline: self.config.deadline,
            stop: &over,
        };
        let tasks = self.plan(&starter);
        let mut took = vec![0_u64; self.requests.len()];
        let mut open: Vec<usize> = self.requests.iter().map(|_| 0).collect();
        for task in &tasks {
            task.requests.iter().for_each(|at| open.get_mut(*at).into_iter().for_each(|count| *count += 1));
        }
        for task in tasks {
            if over() {
                break;
            }
            let ms = self.one(&task, &starter, &mut ledger);
            files::write_atomic(&self.place.ledger(), &serde_json::to_vec(&ledger)?)?;
            for at in &task.requests {
                took.get_mut(*at).into_iter().for_each(|sum| *sum += ms);
                let Some(left) = open.get_mut(*at) else { continue };
                *left -= 1;
                if let Some(request) = self.requests.get(*at).filter(|_| *left == 0) {
                    let _ = files::write_atomic(&self.place.done(&request.id), b"");
                }
            }
        }
        self.learn(&took)
    }

    /// What to run: of each group the first that is there, each once however many want it, quick ones first.
    fn plan(&self, starter: &Starter<'_>) -> Vec<Task<'a>> {
        let tree = Disk { root: &self.place.root };
        let mut tasks: BTreeMap<String, Task<'a>> = BTreeMap::new();
        for (at, request) in self.requests.iter().enumerate() {
            for file in self.files_of(request) {
                let mut settled: BTreeSet<&str> = BTreeSet::new();
                for found in candidates(&file, &self.config.own, &tree) {
                    let group = found.checker.group.as_str();
                    let alone = if group.is_empty() { found.checker.name.as_str() } else { group };
                    if settled.contains(alone) {
                        continue;
                    }
                    let program = match starter.find(found.checker, &found.folder) {
                        ProgramLookup::Program(program) => program,
                        other => {
                            if wants(request, found.checker) {
                                self.not_there(request, found.checker, &other);
                            }
                            continue;
                        }
                    };
                    settled.insert(alone);
                    if !wants(request, found.checker) {
                        continue;
                    }
                    let key = ledger::key(&found.checker.name, &found.folder);
                    let task = tasks.entry(key).or_insert_with(|| Task {
                        checker: found.checker,
                        program,
                        folder: found.folder.clone(),
                        files: BTreeSet::new(),
                        requests: BTreeSet::new(),
                    });
                    task.files.insert(file.clone());
                    task.requests.insert(at);
                }
            }
        }
        let mut tasks: Vec<Task<'a>> = tasks.into_values().collect();
        tasks.sort_by_key(|task| task.checker.scope == Scope::Project);
        tasks
    }

    /// The files of a request that are there, below the root; at the end of a turn all that the session changed.
    fn files_of(&self, request: &Request) -> BTreeSet<String> {
        let root = &self.place.root;
        let mut found: BTreeSet<String> =
            request.files.iter().filter_map(|file| below(root, Path::new(file))).collect();
        if request.stop {
            let session = Session::new(&self.host.paths, &request.session);
            let edits = session.read(EDITS);
            found.extend(edits.lines().filter_map(|file| below(root, Path::new(file))));
            let began = began(&session);
            let young = |file: &&str| written(&root.join(file)).is_some_and(|at| at >= began);
            let changed = self.changes().into_iter().flat_map(|changes| changes.changed.files());
            found.extend(changed.filter(young).map(str::to_owned));
        }
        found.retain(|file| !is_made(file) && root.join(file).is_file());
        found
    }

    /// Runs one checker, unless it has looked already. Gives the milliseconds it took.
    fn one(&self, task: &Task<'_>, starter: &Starter<'_>, ledger: &mut Ledger) -> u64 {
        let key = ledger::key(&task.checker.name, &task.folder);
        let files: Vec<String> = task.files.iter().cloned().collect();
        let stamped: Vec<(String, u64)> = files
            .iter()
            .map(|file| (file.clone(), written(&self.place.root.join(file)).unwrap_or(u64::MAX)))
            .collect();
        let per_file = task.checker.scope != Scope::Project;
        let now = now();
        let rests = ledger.checkers.get(&key).is_some_and(|held| held.rests_until > now);
        if rests || ledger.is_fresh(&key, &stamped, per_file) {
            return 0;
        }
        let first = !ledger.checkers.contains_key(&key);
        let contents = self.contents(&files);
        let began = Instant::now();
        let result = starter.run(task.checker, &task.program, &task.folder, &files);
        let ms = began.elapsed().as_millis() as u64;
        let requests: Vec<&Request> = task.requests.iter().filter_map(|at| self.requests.get(*at)).collect();
        let mut sessions: Vec<String> = requests.iter().map(|request| owner(&request.session)).collect();
        sessions.sort();
        sessions.dedup();
        let unsure: Vec<String> = requests
            .iter()
            .filter(|request| self.is_unsure(request, &key, ledger, &stamped, &contents, per_file))
            .map(|request| owner(&request.session))
            .collect();
        let ran = CheckerRun {
            key: &key,
            role: task.checker.role,
            files: per_file.then_some(files.as_slice()),
            started: now,
            sessions: &sessions,
            unsure: &unsure,
            contents: &contents,
        };
        let name = task.checker.name.as_str();
        match result {
            Ok(finished) => {
                let mut found = parse(task.checker.format, &finished.stdout, &finished.stderr);
                found.iter_mut().for_each(|found| self.settle_path(found, &task.folder));
                self.log(&key, ms, finished.code, found.len());
                // A file in another dialect of the language (modules, JSX) is no syntax error.
                if found.is_empty() && finished.code != 0 && task.checker.role != Role::Syntax {
                    let why = why(&finished.stderr, &finished.stdout);
                    if let Some(broken) = self.manifest(task, &why).or_else(|| self.script(task, &finished)) {
                        found.push(broken);
                    } else {
                        let said = format!(
                            "sprag: {name} failed, so nothing was checked (exit code {}): {why}",
                            finished.code
                        );
                        requests
                            .iter()
                            .for_each(|request| self.say(request, &format!("{key} failed"), &said));
                        // What was found before stands; nobody needs to try again before the next edit.
                        if let Some(held) = ledger.checkers.get_mut(&key) {
                            held.started = now;
                        }
                        return ms;
                    }
                }
                let gone = ledger.update(ran, found, &|found| self.counts(task.checker, &task.files, found));
                self.tell(&key, &requests, gone, first, ledger);
            }
            Err(RunError::Stopped) => self.log(&key, ms, -1, 0),
            Err(error) => {
                let rest = Duration::from_secs(600);
                let held = ledger.checkers.entry(key.clone()).or_default();
                held.rests_until = now + rest.as_micros() as u64;
                self.log(&key, ms, -1, 0);
                let said = format!(
                    "sprag: {name} {error}; it is left alone for {} minutes ([verify] deadline_s, or a shorter command under \
                     [[verify.checkers]]).",
                    rest.as_secs() / 60
                );
                requests.iter().for_each(|request| self.say(request, &format!("{key} {error:.12}"), &said));
            }
        }
        ms
    }

    /// The files with a hash of what they hold.
    fn contents(&self, files: &[String]) -> Vec<(String, String)> {
        let hash = |file: &String| {
            let bytes = files::read_limited(&self.place.root.join(file), MAX_HASHED).ok().flatten()?;
            Some((file.clone(), short_hash(&bytes)))
        };
        files.iter().filter_map(hash).collect()
    }

    /// True when nobody knows whether what the checker found last was still there before the session's edits: a file
    /// that the session edited had been written after the checker's look, or holds again what the checker saw then.
    fn is_unsure(
        &self,
        request: &Request,
        key: &str,
        ledger: &Ledger,
        stamped: &[(String, u64)],
        contents: &[(String, String)],
        per_file: bool,
    ) -> bool {
        let session = Session::new(&self.host.paths, &request.session);
        let (edits, before) = (session.read(EDITS), session.read(BEFORE));
        stamped.iter().any(|(file, written)| {
            let path = self.place.root.join(file);
            let name = path.to_string_lossy();
            let is_own = request.files.iter().map(String::as_str).chain(edits.lines()).any(|own| own == name);
            let older_than = |at: u64| !ledger.is_fresh(key, &[(file.clone(), at)], per_file);
            let noted = before.lines().rev().filter_map(|line| line.split_once(' '));
            let noted = noted.filter(|(_, file)| *file == name).find_map(|(at, _)| at.parse::<u64>().ok());
            let is_same = || {
                let hash = contents.iter().find(|(name, _)| name == file).map(|(_, hash)| hash);
                older_than(*written) && hash.is_some() && ledger.content(key, file) == hash
            };
            is_own && noted.map_or_else(is_same, older_than)
        })
    }

    /// A path as the ledger has it: below the root, with slashes. Secrets in messages go.
    fn settle_path(&self, found: &mut Diagnostic, folder: &str) {
        let name = found.file.replace('\\', "/");
        let path = sprag_protocol::edits::absolute(&name, &self.place.root.join(folder));
        let real =
            || path.canonicalize().ok().and_then(|path| below(&self.place.root.canonicalize().ok()?, &path));
        found.file = below(&self.place.root, &path)
            .or_else(real)
            .unwrap_or_else(|| path.to_string_lossy().into_owned());
        found.message = scrub(&found.message).into_owned();
    }

    /// True when a new finding is the session's business: what does not compile always, the rest where it was at work.
    fn counts(&self, checker: &Checker, files: &BTreeSet<String>, found: &Diagnostic) -> bool {
        let breaks = found.severity == Severity::Error
            && (checker.role != Role::Lint || checker.language == "python" || found.code.is_empty());
        breaks
            || match self.changes() {
                Some(changes) => changes.changed.touches(&found.file, found.line),
                None => files.contains(&found.file),
            }
    }

    /// Leaves what is new with every session that asked. At the end of a turn the hook looks for itself.
    fn tell(&self, key: &str, requests: &[&Request], gone: usize, first: bool, ledger: &mut Ledger) {
        for request in requests.iter().filter(|request| !request.stop) {
            let news = ledger.news(key, &owner(&request.session), false);
            if !news.is_empty() {
                let text = report::news(ledger::checker_of(key), &news, gone, first, self.config.most);
                self.leave(request, false, key, &text);
            }
        }
    }

    fn leave(&self, request: &Request, user: bool, key: &str, text: &str) {
        let news = News { user, key: key.to_owned(), text: text.to_owned() };
        if let Ok(line) = serde_json::to_string(&news) {
            let _ = Session::new(&self.host.paths, &request.session).append(NEWS, &line);
        }
    }

    /// Tells the user something once in a session.
    fn say(&self, request: &Request, what: &str, text: &str) {
        let session = Session::new(&self.host.paths, &request.session);
        if !session.read(SAID).lines().any(|line| line == what) {
            let _ = session.append(SAID, what);
            self.leave(request, true, what, &scrub(text));
        }
    }

    /// A checker that the project calls for and that cannot be run.
    fn not_there(&self, request: &Request, checker: &Checker, found: &ProgramLookup) {
        let name = checker.name.as_str();
        match found {
            ProgramLookup::NotAllowed => self.say(
                request,
                &format!("{name} not allowed"),
                &format!(
                    "sprag: {name} is not run here yet, because it runs code of this project. It is from the moment the agent \
                     builds or tests the project itself, or you trust the project: `sprag trust`."
                ),
            ),
            ProgramLookup::Missing if !checker.markers.is_empty() && checker.group.is_empty() => self.say(
                request,
                &format!("{name} missing"),
                &format!(
                    "sprag: {name} is not installed ({} not found), so its checks are left out.",
                    checker.command.first().map_or("", String::as_str)
                ),
            ),
            _ => {}
        }
    }

    /// A script of the project that fails has failed, whatever it prints: the model is told the end of it. Not when it
    /// could not be started, or could not get at something that this machine has not.
    fn script(&self, task: &Task<'_>, finished: &Finished) -> Option<Diagnostic> {
        const NOISE: [&str; 4] = ["npm error", "npm ERR!", " ELIFECYCLE", "error Command failed"];
        let said = format!("{}\n{}", finished.stdout, finished.stderr);
        let unusable = NETWORK.iter().any(|word| said.contains(word)) || said.contains("Missing script");
        if !task.checker.is_script() || !(1..126).contains(&finished.code) || unusable {
            return None;
        }
        let lines: Vec<&str> =
            said.lines().filter(|line| !NOISE.iter().any(|noise| line.starts_with(noise))).collect();
        let named = task.checker.markers.iter().filter_map(|marker| marker.split('#').next());
        let in_folder = |name: &str| Path::new(&task.folder).join(name).to_string_lossy().into_owned();
        let marker = named.map(in_folder).find(|file| self.place.root.join(file).is_file());
        let file = marker.filter(|_| task.checker.scope == Scope::Project).or(task.files.first().cloned())?;
        let command = task.checker.command.join(" ").replace("{manager}", &program_name(&task.program));
        let message = format!("`{command}` failed with exit code {}; its output ends with:", finished.code);
        Some(Diagnostic::failed(&file, &message, &scrub(&lines.join("\n"))))
    }

    /// A build that fails without a finding, after its manifest was edited, is about the manifest.
    fn manifest(&self, task: &Task<'_>, why: &str) -> Option<Diagnostic> {
        let edited = task.files.iter().find(|file| {
            let name = file.rsplit('/').next().unwrap_or(file);
            task.checker.markers.iter().any(|marker| marker.split('#').next() == Some(name))
        })?;
        let network = NETWORK.iter().any(|word| why.contains(word));
        (task.checker.role == Role::Build && !network && !task.checker.is_script())
            .then(|| Diagnostic::new(edited, 0, 0, "", &scrub(why), Severity::Error))
    }

    fn log(&self, key: &str, ms: u64, code: i32, found: usize) {
        let by: Vec<&str> = self.requests.iter().map(|request| request.hook.as_str()).collect();
        let line = json!({"t": self.host.clock.now().to_string(), "checker": key, "ms": ms, "code": code,
            "found": found, "requests": by.len()});
        let path = self.place.runs();
        if std::fs::metadata(&path).is_ok_and(|meta| meta.len() > 256 << 10) {
            let _ = files::rename(&path, path.with_extension("jsonl.1"));
        }
        let _ = files::append(&path, format!("{line}\n").as_bytes());
    }

    /// Keeps how long the checkers of each hook took for files like these.
    fn learn(&self, took: &[u64]) -> std::io::Result<()> {
        let old = files::read_text(self.place.learned(), files::STATE).unwrap_or_default();
        let mut lines: Vec<String> = old.lines().map(str::to_owned).collect();
        for (request, ms) in self.requests.iter().zip(took).filter(|(request, ms)| !request.stop && **ms > 0)
        {
            for file in &request.files {
                let start = format!("{} {} ", request.hook, ending(Path::new(file)));
                lines.retain(|line| !line.starts_with(&start));
                lines.push(format!("{start}{ms}"));
            }
        }
        let text = lines.iter().rev().take(100).rev().map(|line| format!("{line}\n")).collect::<String>();
        if text == old { Ok(()) } else { files::write_atomic(&self.place.learned(), text.as_bytes()) }
    }
}

/// What a checker says that needs the network, which it has not.
const NETWORK: [&str; 7] =
    ["offline", "network", "GOPROXY", "download", "resolve host", "registry", "lookup disabled"];

fn program_name(program: &Path) -> String {
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The first words of why a checker failed.
fn why(stderr: &str, stdout: &str) -> String {
    let said = |text: &str| {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.take(40).collect();
        lines.iter().find(|line| line.starts_with("error")).or(lines.first()).map(|line| (*line).to_owned())
    };
    let line = said(stderr).or_else(|| said(stdout)).unwrap_or_else(|| "it said nothing".to_owned());
    line.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// The real time: files have no other.
pub fn now() -> u64 {
    micros(SystemTime::now())
}

fn micros(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64)
}

/// True for a file that was written since the session's first request.
pub fn is_young(file: &Path, session: &Session) -> bool {
    written(file).is_some_and(|at| at >= began(session))
}

/// When a file was written, in microseconds.
pub(crate) fn written(path: &Path) -> Option<u64> {
    std::fs::metadata(path).and_then(|meta| meta.modified()).ok().map(micros)
}

/// When the session's first request came, in microseconds: what was changed before is not its own. A second of margin,
/// because file systems keep time more coarsely than clocks do.
fn began(session: &Session) -> u64 {
    let text = session.read(PROMPT);
    let at: Option<u64> = text.lines().next().and_then(|line| line.parse().ok());
    at.map_or(u64::MAX, |at| at.saturating_sub(1_000_000))
}
