//! The examinations: program, state, configuration, trust, agents, journal, queue, store, crashes.

use crate::abilities::lacking;
use crate::{Checked, Finding, Level, check, probe};
use sprag_base::text::size;
use sprag_base::time::Stamp;
use sprag_base::{disk, files};
use sprag_config::cache::{self, Freshness};
use sprag_config::host::Host;
use sprag_config::trust::Trust;
use sprag_coord::store::{Setup, spool};
use sprag_deploy::{Entry, RegisteredFile, Scope, agent_env, installed, registered};
use sprag_project::Project;
use sprag_protocol::{AgentId, EventKind, dialects};
use sprag_runtime::failures;
use sprag_runtime::queue::{self, JobState};
use sprag_runtime::seal;
use sprag_runtime::summary::{self, Summary};
use sprag_store::{Error, Opening, Store, Target};
use sprag_terminal::when;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Everything that was found.
#[derive(Debug)]
pub struct Examined {
    /// One by one.
    pub findings: Vec<Finding>,
    /// What is known of each agent that has anything to do with sprag.
    pub agents: Vec<AgentReport>,
}

/// One agent.
#[derive(Debug)]
pub struct AgentReport {
    /// Which.
    pub agent: AgentId,
    /// Its program, when it is on the PATH.
    pub program: Option<PathBuf>,
    /// Its version, when it says one.
    pub version: Option<String>,
    /// Its settings folder, when it is there.
    pub folder: Option<PathBuf>,
    /// The files that register sprag.
    pub registered: Vec<RegisteredFile>,
    /// Its events that have hooks, are registered or were seen.
    pub events: Vec<EventRow>,
    /// What it cannot do with an answer.
    pub cannot: Vec<String>,
    /// Event, what, how often.
    pub lost: Vec<(String, String, u64)>,
}

/// One event of an agent.
#[derive(Debug)]
pub struct EventRow {
    /// Which.
    pub kind: EventKind,
    /// How many hooks wait for it.
    pub hooks: usize,
    /// Whether it is registered.
    pub registered: bool,
    /// How often it came.
    pub count: u64,
    /// When it came last.
    pub last: Option<Stamp>,
}

impl AgentReport {
    /// True when the agent has anything to do with sprag yet.
    pub fn seen_or_registered(&self) -> bool {
        !self.registered.is_empty() || self.events.iter().any(|row| row.count > 0)
    }
}

struct Examiner<'a> {
    host: &'a Host,
    project: &'a Project,
    findings: Vec<Finding>,
}

/// Looks at everything. Nothing is changed.
pub fn examine(host: &Host, project: &Project) -> Examined {
    let mut examiner = Examiner { host, project, findings: Vec::new() };
    examiner.program();
    examiner.state();
    examiner.disk();
    let checked = examiner.config();
    let summary = examiner.journal();
    let agents = examiner.agents(&checked, &summary);
    examiner.queue();
    examiner.findings.extend(crate::model::examine(host));
    examiner.store();
    examiner.crashes();
    examiner.cache();
    Examined { findings: examiner.findings, agents }
}

/// The events that every session with a prompt has, whatever it does.
const CERTAIN: [EventKind; 3] = [EventKind::SessionStart, EventKind::UserPromptSubmit, EventKind::Stop];

/// Why the state folder cannot be written; nothing while there is none, because it is made with the first event.
pub fn state_fault(host: &Host) -> Option<std::io::Error> {
    let state = &host.paths.state;
    if !state.exists() {
        return None;
    }
    let probe = state.join(".doctor");
    // A full disk takes an empty file, so this one has contents.
    let written = files::write_atomic(&probe, &vec![0; 64 << 10]);
    let _ = files::remove(&probe);
    written.err()
}

/// A job that waits longer than this past its time has no worker.
const OVERDUE: Duration = Duration::from_secs(600);

/// What an agent could not do with a verdict. What sprag then does instead is no fault.
fn lost(agent: &str, event: &str, what: &str, count: u64) -> (Level, String, &'static str) {
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    match what {
        "ask" => {
            (Level::Ok, format!("{agent} cannot ask on {event}: a question became a denial {times}"), "")
        }
        "context waits" => {
            (Level::Ok, format!("{agent} takes no text on {event}: it waited for the next event {times}"), "")
        }
        what => (
            // Nothing can be done about it, so nobody is sent to look for it.
            Level::Ok,
            format!("{agent} has no way to take `{what}` from a hook on {event}: it was left out {times}"),
            "",
        ),
    }
}

impl Examiner<'_> {
    fn add(&mut self, level: Level, area: &'static str, what: impl Into<String>, todo: impl Into<String>) {
        self.findings.push(Finding { level, area, what: what.into(), todo: todo.into() });
    }

    fn tilde(&self, path: &Path) -> String {
        self.host.paths.tilde(path)
    }

    fn program(&mut self) {
        let exe = self.host.exe.as_deref().map_or_else(|| "unknown".to_owned(), |exe| self.tilde(exe));
        self.add(Level::Ok, "program", format!("sprag {} at {exe}", env!("CARGO_PKG_VERSION")), "");
    }

    fn state(&mut self) {
        let state = self.host.paths.state.clone();
        let name = self.tilde(&state);
        if !state.exists() {
            self.add(Level::Ok, "state", format!("{name} is made with the first event"), "");
            return;
        }
        match state_fault(self.host) {
            None => {
                if is_open_to_others(&state) {
                    let todo = format!("chmod 700 {name}");
                    self.add(Level::Warn, "state", format!("{name} can be read by others"), todo);
                } else {
                    self.add(Level::Ok, "state", format!("{name} can be written"), "");
                }
                let (bytes, budget) =
                    (sprag_runtime::disk::size(&state), sprag_runtime::disk::budget(self.host));
                if bytes > budget {
                    let what = format!("{name} takes {}, its budget is {}", size(bytes), size(budget));
                    let todo = "`sprag data show` says what takes it; `[disk] budget_mb` is the budget";
                    self.add(Level::Warn, "state", what, todo);
                }
            }
            Some(error) => self.add(
                Level::Fail,
                "state",
                format!("{name} cannot be written ({error}): no journal, no queue, no counters"),
                "give it back to yourself (chown, chmod 700), free the disk, or set SPRAG_STATE_DIR",
            ),
        }
    }

    /// Locks and the database need a disk of this machine, or a server that keeps them.
    fn disk(&mut self) {
        let state = self.host.paths.state.clone();
        let name = self.tilde(&state);
        let todo = "set SPRAG_STATE_DIR to a folder on a local disk; `[store] url` can name a PostgreSQL server for several machines";
        match disk::locks_work(&state) {
            Ok(true) => {}
            Ok(false) => {
                self.add(
                    Level::Fail,
                    "state",
                    format!("{name}: locks have no effect there, so changes may be lost"),
                    todo,
                );
                return;
            }
            // That it cannot be written is said already.
            Err(_) => return,
        }
        if let Some(system) = disk::network_file_system(&state) {
            let what = format!(
                "{name} is on {system}: locks work from here, but not surely between machines, and SQLite is slow there"
            );
            self.add(Level::Warn, "state", what, todo);
        }
    }

    fn config(&mut self) -> Checked {
        let checked = check(self.host, self.project);
        let file = self.tilde(&self.host.paths.config_file());
        for error in &checked.errors {
            let place = format!("{}:{}: {}", self.tilde(&error.file), error.line, error.what);
            self.add(Level::Fail, "config", place, error.hint.clone());
        }
        for note in &checked.notes {
            self.add(
                Level::Warn,
                "config",
                note.clone(),
                "choose a backend in [llm], or `sprag hooks disable NAME`",
            );
        }
        if checked.errors.is_empty() {
            let preset = &checked.loaded.resolved.preset;
            let there = self.host.paths.config_file().is_file();
            let what = if there {
                format!("{file}, preset {preset}")
            } else {
                format!("no {file}; the defaults apply, preset {preset} (`sprag init` writes one)")
            };
            self.add(Level::Ok, "config", what, "");
        }
        let root = self.tilde(&self.project.root);
        match &checked.loaded.trust {
            Trust::Nothing => {}
            Trust::Trusted => self.add(Level::Ok, "project", format!("{root} is trusted"), ""),
            Trust::Untrusted if checked.loaded.ignored.is_empty() => {
                self.add(
                    Level::Ok,
                    "project",
                    format!("{root} is not trusted, and wants nothing that needs it"),
                    "",
                );
            }
            Trust::Untrusted => {
                let what = format!(
                    "{root} is not trusted: {} of its wishes do not count",
                    checked.loaded.ignored.len()
                );
                self.add(Level::Warn, "project", what, "`sprag trust` shows them and asks you");
            }
            Trust::Changed(files) => {
                let what = format!("{root} changed since it was trusted: {}", files.join(", "));
                self.add(Level::Warn, "project", what, "`sprag trust` shows it and asks you again");
            }
        }
        checked
    }

    fn journal(&mut self) -> Summary {
        match summary::summarise(&self.host.paths, Stamp(0)) {
            Ok(summary) => {
                let what = match summary.seen.values().filter_map(|seen| seen.last).max() {
                    Some(last) => {
                        format!(
                            "{} events, the last {}",
                            summary.entries,
                            when::ago(self.host.clock.now(), last)
                        )
                    }
                    None => "empty: no event has come yet".to_owned(),
                };
                self.add(Level::Ok, "journal", what, "");
                if summary.broken > 0 {
                    let what = format!("{} lines cannot be read (a full disk?)", summary.broken);
                    self.add(Level::Warn, "journal", what, "check the free space; the lines are passed over");
                }
                let head = seal::head_file(self.host);
                match seal::verify(&self.host.paths, head.as_deref()) {
                    Ok(found) if found.faults.is_empty() => {}
                    Ok(_) => {
                        let what = "the journal does not hold what was sealed of it";
                        self.add(Level::Warn, "journal", what, "`sprag logs --verify` says which part");
                    }
                    // A folder that cannot be written is no sign that anybody changed a line.
                    Err(error) => {
                        let what = format!("the seals cannot be compared: {error}");
                        self.add(
                            Level::Warn,
                            "journal",
                            what,
                            "check the owner and mode of the state folder",
                        );
                    }
                }
                summary
            }
            Err(error) => {
                let file = self.tilde(&self.host.paths.journal());
                self.add(Level::Fail, "journal", format!("{file}: {error}"), "check its owner and mode");
                Summary::default()
            }
        }
    }

    fn agents(&mut self, checked: &Checked, summary: &Summary) -> Vec<AgentReport> {
        let mut entries = registered(self.host, self.project);
        let installed = installed::find(self.host);
        if installed.is_empty() {
            let todo = format!(
                "install one, or set PATH; `sprag deploy --agent {}` works without",
                AgentId::CANONICAL
            );
            self.add(Level::Warn, "agents", "none found on the PATH or by its settings folder", todo);
        }
        let mut reports = Vec::new();
        for agent in AgentId::ALL {
            let found = installed.iter().find(|found| found.agent == agent);
            let (own, rest): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.agent == agent);
            entries = rest;
            let seen = summary.seen.keys().any(|(name, _)| name == agent.name());
            if found.is_none() && own.is_empty() && !seen {
                continue;
            }
            let program = found.and_then(|found| found.program.clone());
            let version =
                program.as_deref().and_then(|program| installed::version(self.host, agent, program));
            let events = rows(agent, checked, summary, &own);
            let kinds: Vec<EventKind> =
                checked.loaded.resolved.chains.iter().map(|(kind, _)| *kind).collect();
            let lost = summary
                .lost
                .iter()
                .filter(|((name, _, _), _)| name == agent.name())
                .map(|((_, event, what), count)| (event.clone(), what.clone(), *count))
                .collect();
            let report = AgentReport {
                agent,
                program,
                version,
                folder: found.and_then(|found| found.folder.clone()),
                registered: own,
                events,
                cannot: lacking(agent, &kinds),
                lost,
            };
            self.agent(&report);
            reports.push(report);
        }
        reports
    }

    fn agent(&mut self, report: &AgentReport) {
        let name = report.agent.name();
        let place = match (&report.program, &report.folder) {
            (Some(program), _) => {
                let version = report.version.as_deref().unwrap_or("of unknown version");
                let newer = installed::newer_than(report.agent, version).map_or_else(String::new, |tested| {
                    format!(" (newer than {tested}, with which sprag was tested)")
                });
                format!("{name} {version} at {}{newer}", self.tilde(program))
            }
            (None, Some(folder)) => format!("{name} is not on the PATH, but {} is there", self.tilde(folder)),
            (None, None) => format!("{name} is gone, but has left traces"),
        };
        let old = report.version.as_deref().and_then(|version| installed::too_old(report.agent, version));
        match old {
            Some(why) => self.add(Level::Warn, "agents", why, "update it, then sprag deploy"),
            None => self.add(Level::Ok, "agents", place, ""),
        }
        if !report.agent.spec().was_run() {
            let what = format!(
                "{} was never run with sprag: its part is written from the agent's documentation",
                report.agent.title()
            );
            self.add(Level::Ok, "agents", what, "");
        }
        for found in &report.registered {
            self.registration(report, found);
        }
        let plugins = plugins_of(self.host, report.agent);
        if let [_, _, ..] = plugins.as_slice() {
            let what = format!(
                "{} has {} plugins of sprag: one of them answers each event, at the price of one more process each",
                report.agent.title(),
                plugins.len()
            );
            self.add(Level::Warn, "events", what, format!("keep one of: {}", plugins.join(", ")));
        }
        let plugin = plugins.into_iter().next();
        let any = report.registered.iter().any(|found| found.fault.is_none());
        if let Some(plugin) = &plugin {
            let title = report.agent.title();
            if any {
                let what = format!(
                    "{title} calls sprag by its plugin and by its settings: the plugin leaves these events to the settings, at the price \
                     of one more process each"
                );
                self.add(
                    Level::Warn,
                    "events",
                    what,
                    format!("keep one: sprag undeploy --agent {name}, or remove the plugin {plugin}"),
                );
            } else {
                self.add(Level::Ok, "events", format!("{title} calls sprag by its plugin {plugin}"), "");
                return;
            }
        }
        if !any && !report.registered.is_empty() {
            // What to do is said; to register is refused until it is done.
            return;
        }
        if !any {
            let todo = format!("sprag deploy --agent {name}");
            self.add(
                Level::Warn,
                "events",
                format!("{name} does not call sprag: nothing is registered"),
                todo,
            );
            return;
        }
        let missing: Vec<&str> = report
            .events
            .iter()
            .filter(|row| row.hooks > 0 && !row.registered)
            .map(|row| row.kind.name())
            .collect();
        if !missing.is_empty() {
            let what =
                format!("{name}: hooks wait for events that are not registered: {}", missing.join(", "));
            self.add(Level::Warn, "events", what, format!("sprag deploy --agent {name}"));
        }
        self.never_fired(report);
        for (event, what, count) in &report.lost {
            let (level, what, todo) = lost(name, event, what, *count);
            self.add(level, "events", what, todo);
        }
    }

    fn registration(&mut self, report: &AgentReport, found: &RegisteredFile) {
        let file = self.tilde(&found.file);
        if let Some(fault) = &found.fault {
            // The fault may name the file itself; nothing of the agent's settings counts until it is right.
            let fault =
                fault.replace(&*found.file.to_string_lossy(), "").trim_start_matches(':').trim().to_owned();
            let todo = "fix the file: until then the agent reads nothing of it, and sprag cannot be registered there";
            self.add(Level::Fail, "events", format!("{file} {fault}"), todo);
            return;
        }
        let name = report.agent.name();
        self.add(
            Level::Ok,
            "events",
            format!(
                "{file} registers {} event{}",
                found.events.len(),
                if found.events.len() == 1 { "" } else { "s" }
            ),
            "",
        );
        let Some(entry) = &found.entry else { return };
        let exe = &entry.exe;
        if !exe.is_absolute() {
            return self.searched(report, found, entry);
        }
        let deploy = format!("sprag deploy --agent {name}");
        if !exe.exists() {
            let what = format!("{file} starts {}, which is not there: no hook of {name} runs", exe.display());
            return self.add(Level::Fail, "events", what, deploy);
        }
        match probe::answers(self.host, report.agent, entry, probe::DESKTOP_PATH) {
            Ok(time) => {
                let time = when::micros(time.as_micros() as u64);
                self.add(Level::Ok, "events", format!("{} answers {name} in {time}", self.tilde(exe)), "");
            }
            Err(why) => {
                let what = format!("{} does not answer {name}: {why}", exe.display());
                self.add(Level::Fail, "events", what, "install sprag again, then sprag deploy");
            }
        }
        if !same_file(exe, self.host.exe.as_deref()) {
            let what = format!("{file} starts another sprag than this one: {}", exe.display());
            self.add(
                Level::Warn,
                "events",
                what,
                format!("{deploy} registers this one, if it is the one you want"),
            );
        }
    }

    /// A program without a path is found, or not, by the search path that the agent was started with.
    fn searched(&mut self, report: &AgentReport, found: &RegisteredFile, entry: &Entry) {
        let (name, file) = (report.agent.name(), self.tilde(&found.file));
        let fixed =
            |other: &RegisteredFile| other.exe.as_ref().is_some_and(|exe| exe.is_absolute() && exe.exists());
        if report.registered.iter().any(fixed) {
            let what = format!("{file} is shared; on this machine your own registration answers {name}");
            return self.add(Level::Ok, "events", what, "");
        }
        let own = self.host.env.get("PATH").unwrap_or_default();
        let deploy = format!("sprag deploy --agent {name} registers the full path for you");
        let answers = |path: &str| probe::answers(self.host, report.agent, entry, path).is_ok();
        if !answers(&own) {
            let what =
                format!("{file} starts sprag, which is not on the PATH: {name} silently runs without it");
            self.add(Level::Fail, "events", what, deploy);
        } else if !answers(probe::DESKTOP_PATH) {
            let what = format!(
                "{file} starts sprag by the PATH: {name} started from a desktop or an editor ({}) would silently run \
                 without it",
                probe::DESKTOP_PATH
            );
            self.add(Level::Warn, "events", what, format!("{deploy}, or link sprag into /usr/local/bin"));
        } else {
            self.add(Level::Ok, "events", format!("sprag is found by the PATH and answers {name}"), "");
        }
    }

    /// An event that every session has and that never came is lost on the way.
    fn never_fired(&mut self, report: &AgentReport) {
        let name = report.agent.name();
        if report.events.iter().all(|row| row.count == 0) {
            let what = format!("{name}: registered, but no event has ever come");
            let todo = "start a session; if it stays so: is the folder trusted by the agent, are hooks switched \
                        off there (disableAllHooks), was it restarted since deploy?";
            self.add(Level::Warn, "events", what, todo);
            return;
        }
        let absent: Vec<&str> = report
            .events
            .iter()
            .filter(|row| row.registered && row.count == 0 && CERTAIN.contains(&row.kind))
            .map(|row| row.kind.name())
            .collect();
        // The first turn of the first session may not have ended yet.
        let certain = report.events.iter().filter(|row| CERTAIN.contains(&row.kind));
        let often = certain.map(|row| row.count).max().unwrap_or(0) >= 3;
        let many = report.events.iter().map(|row| row.count).sum::<u64>() >= 50;
        if !absent.is_empty() && (often || many) {
            let what = format!("{name}: events came, but never {}", absent.join(", "));
            let todo = "every session has these: restart the agent, look at its own list of hooks (/hooks)";
            self.add(Level::Warn, "events", what, todo);
        }
    }

    fn queue(&mut self) {
        let now = self.host.clock.now();
        let waiting = queue::list(&self.host.paths, JobState::Waiting);
        let dead = queue::list(&self.host.paths, JobState::Dead);
        let overdue = waiting.iter().filter(|(_, job)| Stamp(job.due).after(OVERDUE) < now).count();
        if !dead.is_empty() {
            let what = format!("{} jobs were given up after {} tries", dead.len(), queue::MAX_ATTEMPTS);
            self.add(Level::Warn, "queue", what, "`sprag status queue` says why");
        }
        if overdue > 0 && !queue::worker_runs(&self.host.paths) {
            let what = format!("{overdue} jobs are overdue and no worker runs");
            self.add(Level::Warn, "queue", what, "sprag worker --once (is SPRAG_WORKER=off set?)");
        }
        if dead.is_empty() && overdue == 0 {
            self.add(Level::Ok, "queue", format!("{} waiting", waiting.len()), "");
        }
    }

    fn store(&mut self) {
        let waiting = spool::waiting(&self.host.paths).len();
        let dead = spool::dead(&self.host.paths);
        let setup = Setup::read(self.host);
        let place = setup.as_ref().map_or_else(
            |_| String::new(),
            |setup| match &setup.target {
                Target::Sqlite(path) => self.host.paths.tilde(path),
                Target::Postgres(_) => setup.target.shown(),
            },
        );
        let looked = setup.and_then(|setup| {
            let mut store = Store::open(&setup.target, Opening::LOOK)?;
            store.verify()?;
            store.facts()
        });
        match looked {
            Ok(facts) => {
                let what = format!("{place}: {}, schema {}", facts.server, facts.schema);
                self.add(Level::Ok, "store", what, "");
            }
            Err(Error::Missing) => {
                self.add(Level::Ok, "store", format!("{place} is made with the first session"), "");
            }
            Err(error @ (Error::Busy(_) | Error::Outdated { .. })) => {
                self.add(Level::Warn, "store", format!("{place}: {error}"), error.hint());
            }
            Err(error) => self.add(Level::Fail, "store", format!("{place}: {error}"), error.hint()),
        }
        if waiting > 0 {
            let what = format!("{waiting} changes wait to be sent");
            self.add(
                Level::Warn,
                "store",
                what,
                "they are sent when the store is back; now: sprag worker --once",
            );
        }
        if dead > 0 {
            let what = format!("{dead} changes were refused for good");
            let folder = self.tilde(&self.host.paths.spool().join("dead"));
            self.add(Level::Warn, "store", what, format!("they are in {folder}"));
        }
    }

    fn crashes(&mut self) {
        let pending = failures::pending(&self.host.paths);
        for failed in &pending {
            let error = failed.error.lines().next().unwrap_or_default();
            let times = if failed.count == 1 { "once".to_owned() } else { format!("{} times", failed.count) };
            let what = format!("{} failed {times} since the last session: {error}", failed.hook);
            self.add(Level::Warn, "crashes", what, format!("sprag logs --errors --hook {}", failed.hook));
        }
        if pending.is_empty() {
            self.add(Level::Ok, "crashes", "none since the last session", "");
        }
    }

    fn cache(&mut self) {
        let what = match cache::freshness(self.host, self.project) {
            Freshness::Fresh => "the compiled configuration of this project is up to date",
            Freshness::Stale => {
                "the compiled configuration of this project is outdated; the next event rebuilds it"
            }
            Freshness::Missing => "no compiled configuration of this project yet; the next event makes it",
        };
        self.add(Level::Ok, "cache", what, "");
    }
}

/// The events that an agent has and that have hooks, are registered or were seen.
fn rows(agent: AgentId, checked: &Checked, summary: &Summary, own: &[RegisteredFile]) -> Vec<EventRow> {
    let dialect = dialects::of(agent);
    EventKind::ALL
        .iter()
        .filter(|kind| dialect.row(**kind).is_some())
        .map(|kind| {
            let sighting = summary.seen.get(&(agent.name().to_owned(), kind.name().to_owned()));
            EventRow {
                kind: *kind,
                hooks: checked.loaded.resolved.chain(*kind).count(),
                registered: own.iter().any(|found| found.events.contains(&kind.name())),
                count: sighting.map_or(0, |sighting| sighting.count),
                last: sighting.and_then(|sighting| sighting.last),
            }
        })
        .filter(|row| row.hooks > 0 || row.count > 0)
        .collect()
}

/// sprag's plugins in an agent, by their names there, where the agent's list of plugins is known and has them.
fn plugins_of(host: &Host, agent: AgentId) -> Vec<String> {
    let known = &agent.spec().settings;
    let env = agent_env(host, &Project::default(), Scope::User);
    let listed = || -> Option<serde_json::Value> {
        let folder = known.path(Scope::User, &env).ok()?.parent()?.to_path_buf();
        let text = files::read_text(folder.join(known.plugins_file?), files::STATE).ok()?;
        serde_json::from_str(&text).ok()
    };
    let listed = listed().unwrap_or_default();
    let plugins = listed.get("plugins").and_then(serde_json::Value::as_object).into_iter().flatten();
    let ours = |name: &&String| name.split('@').next() == Some(sprag_protocol::agents::plugin::NAME);
    plugins.map(|(name, _)| name).filter(ours).cloned().collect()
}

fn same_file(one: &Path, other: Option<&Path>) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    other.is_some_and(|other| real(one) == real(other))
}

#[cfg(unix)]
fn is_open_to_others(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    folder.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_folder: &Path) -> bool {
    false
}
