//! The loop: takes tasks, watches their agents, renews the leases, ends what is over.

use crate::launch::{LaunchError, Launcher, Workplace, check, environment, prompt};
use crate::pattern::{self, Step};
use crate::worktree::{Repository, Worktree, WorktreeError, after_set_up, branch_name};
use serde_json::Value;
use sprag_base::child::{Child, ChildSpec};
use sprag_base::pid::Process;
use sprag_base::{files, process};
use sprag_config::host::Host;
use sprag_coord::patterns::seats::source_of;
use sprag_coord::store::{Setup, home_id, micros};
use sprag_project::Project;
use sprag_protocol::AgentId;
use sprag_protocol::agents::spec::WorkerReport;
use sprag_protocol::transcript::Usage;
use sprag_scan::scrub::scrub;
use sprag_store::{
    AttemptEnd, AttemptRow, AttemptState, Dispatcher, Error, Listener, Opening, Spent, Store, TaskRow,
    TaskState, new_id,
};
use sprag_usage::budget::{Amount, Ledger, Level, Raised, level};
use sprag_usage::price::Prices;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often the loop looks at its agents.
const TICK: Duration = Duration::from_millis(100);
/// How often it asks the store for work when nothing happened here and nobody says what happened elsewhere.
const POLL: Duration = Duration::from_secs(2);
/// The longest that it does not ask a server which says when something happened: leases run out without a word.
const MAX_POLL: Duration = Duration::from_secs(15);
/// How long after a failure it does not try to hear from the server again.
const DEAF: Duration = Duration::from_secs(30);
/// How long an agent may tidy up after it was asked to end.
const GRACE: Duration = Duration::from_secs(10);
/// The most that is kept of an agent's output.
const MAX_LOG: u64 = 32 << 20;
/// The most characters of a result.
const MAX_RESULT: usize = 4_000;

/// What the user wants.
#[derive(Clone, Debug)]
pub struct Options {
    /// The agent program.
    pub agent: AgentId,
    /// Agents at once.
    pub parallel: usize,
    /// Where worktrees are made; `None` works in the user's checkout.
    pub worktrees: Option<PathBuf>,
    /// Commands that prepare a new worktree.
    pub setup: Vec<String>,
    /// Arguments for the agent.
    pub arguments: Vec<String>,
    /// When it ends.
    pub limits: Limits,
    /// Waits for new tasks instead of ending.
    pub watch: bool,
    /// Carries out this run of a pattern, and nothing else.
    pub pattern: Option<String>,
    /// The most that the project may use in a day; at that, agents would be refused their first prompt.
    pub day_cap: Option<Amount>,
}

/// When a dispatcher or an agent ends.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most that this run may cost, in millionths of a dollar.
    pub cost_micros: Option<i64>,
    /// The longest that this run may take.
    pub run: Option<Duration>,
    /// The longest that one agent may take.
    pub attempt: Duration,
    /// Attempts at a task.
    pub attempts: i64,
    /// How long a task is this dispatcher's without a heartbeat.
    pub lease: Duration,
}

/// Why a dispatcher cannot work.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// The agent cannot be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// There is no place to work in.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] Error),
}

/// What is told while it runs.
#[derive(Clone, Debug)]
pub enum Progress {
    /// An agent was started.
    Started(Box<TaskRow>, Box<AttemptRow>),
    /// An attempt ended, with the task as it is now.
    Ended(Box<TaskRow>, Box<AttemptRow>),
    /// Something that the user should know.
    Note(String),
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The attempts of this dispatcher.
    pub attempts: Vec<String>,
    /// Why it ended before all was done.
    pub stopped: Option<String>,
    /// The result of the pattern that it carried out.
    pub pattern: Option<Vec<String>>,
}

/// An agent at work.
struct Worker {
    task: TaskRow,
    attempt: AttemptRow,
    child: Child,
    report: Arc<Mutex<WorkerReport>>,
    complaint: Arc<Mutex<String>>,
    worktree: Option<Worktree>,
    started: Instant,
    /// Why it is being ended, how its attempt then ends, and since when.
    ending: Option<(String, AttemptState, Instant)>,
}

impl Worker {
    fn end(&mut self, why: &str, state: AttemptState) {
        if self.ending.is_none() {
            self.ending = Some((why.to_owned(), state, Instant::now()));
            self.child.end();
        }
    }
}

struct Loop<'a> {
    host: &'a Host,
    options: &'a Options,
    launcher: Launcher,
    repository: Option<Repository>,
    folder: PathBuf,
    setup: Setup,
    by: Dispatcher,
    store: Option<Store>,
    /// What a server says of changes that others make; polling is enough without it.
    listener: Option<Listener>,
    listened: Option<Instant>,
    workers: Vec<Worker>,
    summary: Summary,
    began: Instant,
    began_at: i64,
    renewed: Instant,
    asked: Option<Instant>,
    tell: &'a mut dyn FnMut(&Progress),
}

/// Runs a dispatcher until there is nothing left to do, a limit is reached, or `stop` is set.
pub fn dispatch(
    host: &Host,
    project: &Project,
    options: &Options,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Summary, DispatchError> {
    let launcher = check(host, project, options.agent)?;
    let folder = project.git_root().unwrap_or(&project.root).to_path_buf();
    let repository = match options.worktrees {
        Some(_) => Some(Repository::of(&folder, &host.env)?),
        None => None,
    };
    let setup = Setup::read(host)?;
    let store = Store::open(&setup.target, Opening::WORKER)?;
    let by = Dispatcher {
        id: new_id(),
        project: project.key(&host.machine()),
        agent: options.agent.name().to_owned(),
        home: home_id(host),
        host: host.machine(),
        lease: options.limits.lease.as_micros() as i64,
        max_attempts: options.limits.attempts,
        only: options.pattern.as_deref().map(source_of).unwrap_or_default(),
    };
    let now = Instant::now();
    let mut run = Loop {
        host,
        options,
        launcher,
        repository,
        folder,
        setup,
        by,
        store: Some(store),
        listener: None,
        listened: None,
        workers: Vec::new(),
        summary: Summary::default(),
        began: now,
        began_at: micros(host.clock.now()),
        renewed: now,
        asked: None,
        tell,
    };
    run.until_done(stop)?;
    Ok(run.summary)
}

impl Loop<'_> {
    fn until_done(&mut self, stop: &AtomicBool) -> Result<(), DispatchError> {
        loop {
            if stop.load(Ordering::Relaxed) {
                self.stop("stopped by the user");
            } else if self.options.limits.run.is_some_and(|limit| self.began.elapsed() >= limit) {
                self.stop("the time of this run is over");
            }
            self.watch_agents();
            let interval = self.options.limits.lease / 4;
            if self.renewed.elapsed() >= interval {
                self.renew();
            }
            if self.summary.stopped.is_some() {
                if self.workers.is_empty() {
                    return Ok(());
                }
            } else if self.asked.is_none_or(|at| at.elapsed() >= self.poll()) {
                self.asked = Some(Instant::now());
                if !self.take_what_is_ready() && !self.options.watch {
                    return Ok(());
                }
            }
            self.wait();
        }
    }

    /// Waits a moment, or until another dispatcher or a person changed something.
    fn wait(&mut self) {
        if self.listener.is_none() && self.listened.is_none_or(|at| at.elapsed() >= DEAF) {
            self.listened = Some(Instant::now());
            self.listener =
                Listener::open(&self.setup.target, &self.by.project, Opening::WORKER).ok().flatten();
        }
        match self.listener.as_mut().map(|listener| listener.wait(TICK)) {
            Some(Ok(true)) => self.asked = None,
            Some(Ok(false)) => {}
            Some(Err(_)) => self.listener = None,
            None => std::thread::sleep(TICK),
        }
    }

    /// How long it asks nothing by itself.
    fn poll(&self) -> Duration {
        if self.listener.is_some() { (self.options.limits.lease / 2).clamp(POLL, MAX_POLL) } else { POLL }
    }

    fn now(&self) -> i64 {
        micros(self.host.clock.now())
    }

    /// Asks the store, which is opened again after an error.
    fn ask<T>(&mut self, question: impl FnOnce(&mut Store) -> Result<T, Error>) -> Result<T, Error> {
        let mut store = match self.store.take() {
            Some(store) => store,
            None => Store::open(&self.setup.target, Opening::WORKER)?,
        };
        let answer = question(&mut store);
        if answer.is_ok() {
            self.store = Some(store);
        }
        answer
    }

    fn note(&mut self, text: String) {
        (self.tell)(&Progress::Note(text));
    }

    fn stop(&mut self, why: &str) {
        if self.summary.stopped.is_none() {
            self.summary.stopped = Some(why.to_owned());
            for worker in &mut self.workers {
                worker.end(why, AttemptState::Stopped);
            }
        }
    }

    /// Looks after the agents: those that ended, took too long, or did not end when asked.
    fn watch_agents(&mut self) {
        let mut at = 0;
        while let Some(worker) = self.workers.get_mut(at) {
            if worker.started.elapsed() >= self.options.limits.attempt {
                worker.end("it took too long", AttemptState::Failed);
            }
            if worker.ending.as_ref().is_some_and(|(_, _, since)| since.elapsed() >= GRACE) {
                worker.child.kill();
            }
            match worker.child.try_wait() {
                Ok(None) => at += 1,
                Ok(Some(status)) => {
                    let worker = self.workers.remove(at);
                    self.ended(worker, Some(status));
                }
                Err(_) => {
                    let worker = self.workers.remove(at);
                    self.ended(worker, None);
                }
            }
        }
    }

    /// Renews the leases; what is not ours any more, or whose task is over, is ended.
    fn renew(&mut self) {
        self.renewed = Instant::now();
        let (by, now) = (self.by.clone(), self.now());
        match self.ask(move |store| store.renew_attempts(&by, now)) {
            Ok(held) => {
                for worker in &mut self.workers {
                    match held.iter().find(|held| held.id == worker.attempt.id) {
                        None => worker.end("another dispatcher has the task", AttemptState::Stopped),
                        Some(held) if held.state == TaskState::Cancelled => {
                            let why = format!("the task was cancelled: {}", held.outcome);
                            worker.end(&why, AttemptState::Stopped);
                        }
                        Some(_) => worker.attempt.lease_until = now + self.by.lease,
                    }
                }
            }
            Err(error) => {
                // Nobody may work on what another dispatcher can take any moment.
                let late = now + self.by.lease / 4;
                let mut ended = 0;
                for worker in self.workers.iter_mut().filter(|worker| worker.attempt.lease_until < late) {
                    ended += usize::from(worker.ending.is_none());
                    worker.end("the store is unavailable and the lease is over", AttemptState::Stopped);
                }
                if ended > 0 {
                    self.note(format!("{error}; {ended} agents were ended before their leases were over"));
                }
            }
        }
    }

    /// Takes what can be done; false when there is nothing to do or to wait for.
    fn take_what_is_ready(&mut self) -> bool {
        match self.look_after_others() {
            Ok(()) => {}
            Err(error) => {
                self.note(error.to_string());
                return true;
            }
        }
        if let Some(goes_on) = self.advance_pattern() {
            return goes_on;
        }
        while self.workers.len() < self.options.parallel {
            if let Some(why) = self.out_of_money() {
                self.stop(&why);
                return true;
            }
            let (by, now) = (self.by.clone(), self.now());
            let name = self.free_name();
            match self.ask(move |store| store.take_task(&by, &name, now)) {
                Ok(Some((task, attempt))) => self.start(task, attempt),
                Ok(None) => break,
                Err(error) => {
                    self.note(error.to_string());
                    return true;
                }
            }
        }
        if !self.workers.is_empty() {
            return true;
        }
        // Others' agents may finish what tasks wait for, and others' tasks may come free.
        let project = self.by.project.clone();
        let running = self.ask(move |store| {
            Ok(store.attempts(&project, i64::MAX)?.iter().any(|one| one.state == AttemptState::Running))
        });
        running.unwrap_or(true)
    }

    /// Makes tasks of the seats that can start; `Some` when there is nothing to take: whether there is something to wait for.
    fn advance_pattern(&mut self) -> Option<bool> {
        let run = self.options.pattern.clone()?;
        let (project, now) = (self.by.project.clone(), self.now());
        match self.ask(move |store| pattern::advance(store, &project, &run, now)) {
            Ok(Step::Working) => None,
            Ok(Step::Complete(result)) => {
                self.summary.pattern = Some(result);
                Some(false)
            }
            Ok(Step::Stuck(why)) => {
                self.stop(&why);
                Some(true)
            }
            Err(error) => {
                self.note(error.to_string());
                Some(true)
            }
        }
    }

    /// Gives up what other dispatchers lost, and ends the agents that they left on this machine.
    fn look_after_others(&mut self) -> Result<(), Error> {
        let (by, now) = (self.by.clone(), self.now());
        let lost = self.ask(move |store| {
            let lost = store.reap_attempts(&by, now)?;
            store.finish_wholes(&by.project, now)?;
            Ok(lost)
        })?;
        for one in lost {
            self.note(format!("the dispatcher of task {} is gone; the task can be taken again", one.task));
            let process = serde_json::from_str::<Process>(&one.process).ok();
            if let Some(process) =
                process.filter(|process| one.home == self.by.home && process.is_alive() == Some(true))
            {
                process::kill_group(process.id);
            }
        }
        Ok(())
    }

    /// Why no further agent may be started.
    fn out_of_money(&mut self) -> Option<String> {
        if let Some(why) = self.cap_reached() {
            return Some(why);
        }
        let limit = self.options.limits.cost_micros?;
        let reached = self.spent().is_none_or(|spent| spent >= limit);
        reached.then(|| "the cost limit of this run is reached".to_owned())
    }

    /// What is said when the project has used what it may use today.
    fn cap_reached(&self) -> Option<String> {
        let (paths, project, now) = (&self.host.paths, &self.by.project, self.host.clock.now());
        let raised = Amount::parse(&Raised::read(paths, project, now).day);
        let cap = self.options.day_cap?.or_raised(raised);
        let spent = Ledger::read(paths, project, now).today();
        (level(cap, &spent) == Level::Reached).then(|| {
            format!(
                "what this project may use today (UTC) is used up: {} of {}. A person raises it in a terminal: `sprag limit raise --day AMOUNT`",
                cap.used(&spent).text(),
                cap.text()
            )
        })
    }

    /// What this project's attempts cost since this run began; `None` when the store does not say.
    fn spent(&mut self) -> Option<i64> {
        let (project, since) = (self.by.project.clone(), self.began_at);
        self.ask(move |store| store.attempts_cost(&project, since)).ok()
    }

    /// A name that no other agent of this dispatcher has: claude-1, claude-2 …
    fn free_name(&self) -> String {
        let agent = self.options.agent.name();
        let name = |number: usize| format!("{agent}-{number}");
        let taken = |name: &String| self.workers.iter().any(|worker| worker.attempt.name == *name);
        (1..=self.workers.len() + 1).map(name).find(|name| !taken(name)).unwrap_or_else(|| agent.to_owned())
    }

    fn start(&mut self, task: TaskRow, mut attempt: AttemptRow) {
        self.summary.attempts.push(attempt.id.clone());
        match self.launch(&task, &mut attempt) {
            Ok(worker) => {
                (self.tell)(&Progress::Started(Box::new(task), Box::new(attempt)));
                self.workers.push(worker);
            }
            Err(why) => {
                let end = AttemptEnd {
                    state: AttemptState::Failed,
                    result: why,
                    spent: Spent::default(),
                    session: String::new(),
                };
                self.record(&attempt.id, &end);
            }
        }
    }

    fn launch(&mut self, task: &TaskRow, attempt: &mut AttemptRow) -> Result<Worker, String> {
        let (before, branches) = self.before(task);
        let worktree = match (&self.repository, &self.options.worktrees) {
            (Some(repository), Some(place)) => {
                let branch = branch_name(&task.id, &task.title, attempt.number);
                Some(repository.create(place, &branch, &branches).map_err(|error| error.to_string())?)
            }
            _ => None,
        };
        let folder =
            worktree.as_ref().map_or_else(|| self.folder.clone(), |worktree| worktree.folder.clone());
        let log = self.host.paths.state.join("dispatch").join(format!("{}.log", attempt.id));
        attempt.folder = folder.display().to_string();
        attempt.branch = worktree.as_ref().map(|worktree| worktree.branch.clone()).unwrap_or_default();
        attempt.log = log.display().to_string();
        let placed = attempt.clone();
        self.ask(move |store| store.place_attempt(&placed.id, &placed.folder, &placed.branch, &placed.log))
            .map_err(|error| error.to_string())?;
        let budget = match self.options.limits.cost_micros {
            Some(limit) => self.spent().map(|spent| (limit - spent).max(0)),
            None => None,
        };
        let place = Workplace {
            branch: worktree.as_ref().map(|worktree| worktree.branch.as_str()),
            conflicts: worktree.as_ref().map_or(&[], |worktree| worktree.conflicts.as_slice()),
            before: &before,
        };
        let (report, complaint) = (Arc::<Mutex<WorkerReport>>::default(), Arc::<Mutex<String>>::default());
        let child = self.spawn(task, attempt, &place, budget, &folder, &log, (&report, &complaint))?;
        if let Some(found) =
            Process::find(child.id()).and_then(|process| serde_json::to_string(&process).ok())
        {
            let id = attempt.id.clone();
            // Without it, a dispatcher that takes over cannot end the agent; its hooks stop it then.
            let _ = self.ask(move |store| store.attempt_process(&id, &found));
        }
        Ok(Worker {
            task: task.clone(),
            attempt: attempt.clone(),
            child,
            report,
            complaint,
            worktree,
            started: Instant::now(),
            ending: None,
        })
    }

    #[expect(clippy::too_many_arguments, reason = "everything that a start is made of, used once")]
    fn spawn(
        &mut self,
        task: &TaskRow,
        attempt: &AttemptRow,
        place: &Workplace<'_>,
        budget: Option<i64>,
        folder: &Path,
        log: &Path,
        (report, complaint): (&Arc<Mutex<WorkerReport>>, &Arc<Mutex<String>>),
    ) -> Result<Child, String> {
        let setup = if place.branch.is_some() { self.options.setup.as_slice() } else { &[] };
        let told = prompt(task, place);
        let argv = after_set_up(setup, self.launcher.argv(&told, &self.options.arguments, budget));
        let (log_out, log_err) = (log.to_path_buf(), log.to_path_buf());
        let (reported, read) = (Arc::clone(report), self.launcher.mode.read);
        let complained = Arc::clone(complaint);
        let stdout = move |line: &str| {
            keep(&log_out, line);
            let value = serde_json::from_str(line).unwrap_or_else(|_| Value::from(line));
            if let Ok(mut report) = reported.lock() {
                read(&value, &mut report);
            }
        };
        let stderr = move |line: &str| {
            keep(&log_err, line);
            if let Ok(mut last) = complained.lock()
                && !line.trim().is_empty()
            {
                line.trim().clone_into(&mut last);
            }
        };
        let mut seat =
            self.ask(|store| pattern::variables(store, task)).map_err(|error| error.to_string())?;
        seat.extend(self.repository.as_ref().map(Repository::checkout_variable));
        let env = environment(self.host, task, attempt, &seat);
        let stdin = self.launcher.mode.stdin(&told).as_bytes();
        let spec = ChildSpec { argv: &argv, stdin, cwd: folder, env: &env };
        Child::start(&spec, Box::new(stdout), Box::new(stderr))
            .map_err(|error| format!("{} cannot be started: {error}", self.options.agent))
    }

    /// What the tasks before this one left: as text for the agent, and the branches that are here.
    fn before(&mut self, task: &TaskRow) -> (Vec<String>, Vec<String>) {
        let id = task.id.clone();
        let found = self.ask(move |store| {
            let mut found = Vec::new();
            for dependency in store.dependencies_of(&id)? {
                let attempts = store.attempts_of(&dependency.after)?;
                let done = attempts.into_iter().rfind(|attempt| attempt.state == AttemptState::Done);
                found.push((dependency, done));
            }
            Ok(found)
        });
        let (mut texts, mut branches) = (Vec::new(), Vec::new());
        for (dependency, done) in found.unwrap_or_default() {
            let outcome: String = dependency.outcome.chars().take(500).collect();
            let mut text = format!("Task {}, which this one builds on, is done", dependency.after);
            if !outcome.is_empty() {
                text.push_str(&format!(": {outcome}"));
            }
            if let Some(attempt) = done.filter(|attempt| !attempt.branch.is_empty()) {
                if self.repository.as_ref().is_some_and(|here| here.has_branch(&attempt.branch)) {
                    branches.push(attempt.branch);
                } else {
                    text.push_str(&format!(". Its work is on branch {} on {}", attempt.branch, attempt.host));
                }
            }
            texts.push(text);
        }
        (texts, branches)
    }

    /// An agent ended: what came out is recorded, with the task.
    fn ended(&mut self, worker: Worker, status: Option<ExitStatus>) {
        let report = worker.report.lock().map(|report| report.clone()).unwrap_or_default();
        let complaint = worker.complaint.lock().map(|text| text.clone()).unwrap_or_default();
        let id = worker.task.id.clone();
        let task = self.ask(move |store| store.task(&id)).ok().flatten();
        let left = self.settle(&worker, status);
        let (state, result) = outcome(&worker, &report, &complaint, status, task.as_ref(), &left);
        let spent = Spent {
            model: report.model.clone(),
            input_tokens: report.input as i64,
            cached_tokens: report.cached as i64,
            output_tokens: report.output as i64,
            cost_micros: report.cost_micros.or_else(|| self.priced(&report)),
        };
        if self.options.limits.cost_micros.is_some() && spent.cost_micros.is_none() {
            let (agent, model) = (self.options.agent.title(), &spent.model);
            let model = if model.is_empty() { String::new() } else { format!(" ({model})") };
            self.note(format!(
                "{agent} did not say what task {} cost{model}: --max-cost does not count it",
                worker.task.id
            ));
        }
        let result: String = scrub(&result).chars().take(MAX_RESULT).collect();
        self.record(&worker.attempt.id, &AttemptEnd { state, result, spent, session: report.session });
    }

    /// What the tokens cost, for agents that do not say it.
    fn priced(&self, report: &WorkerReport) -> Option<i64> {
        let used = Usage {
            input: report.input,
            output: report.output,
            cache_read: report.cached,
            ..Usage::default()
        };
        let (year, month, day, ..) = self.host.clock.now().civil();
        let day = format!("{year:04}-{month:02}-{day:02}");
        Prices::read(&self.host.paths).ok()?.cost_micros(&report.model, &day, &used)
    }

    /// Commits what the agent left in its worktree.
    fn settle(&mut self, worker: &Worker, status: Option<ExitStatus>) -> Left {
        let (Some(repository), Some(worktree)) = (&self.repository, &worker.worktree) else {
            return Left::default();
        };
        let mut left = Left::default();
        if status.is_some_and(|status| status.success()) && worker.ending.is_none() {
            let message = format!(
                "{}\n\nTask {}, attempt {}.",
                worker.task.title, worker.task.id, worker.attempt.number
            );
            if let Err(error) = repository.commit_rest(&worktree.folder, &message) {
                left.note =
                    Some(format!("what is in {} is not committed: {error}", worktree.folder.display()));
            }
        }
        let (commits, dirty) = repository.progress(&worktree.folder, &worktree.base).unwrap_or_default();
        left.changed = Some(commits > 0 || dirty);
        left
    }

    /// Ends an attempt in the store, however long that takes: its result would be lost otherwise.
    fn record(&mut self, id: &str, end: &AttemptEnd) {
        let max_attempts = self.by.max_attempts;
        for wait in [0, 1, 2, 4, 8] {
            std::thread::sleep(Duration::from_secs(wait));
            let now = self.now();
            let recorded = self.ask(|store| {
                let task = store.end_attempt(id, end, max_attempts, now)?;
                Ok((task, store.attempt(id)?))
            });
            match recorded {
                Ok((Some(task), Some(attempt))) => {
                    // Whatever waited for it can be taken at once.
                    self.asked = None;
                    return (self.tell)(&Progress::Ended(Box::new(task), Box::new(attempt)));
                }
                Ok(_) => return self.note(format!("attempt {id} was taken over; its result does not count")),
                Err(error) if error.is_transient() => {}
                Err(error) => return self.note(format!("attempt {id} could not be recorded: {error}")),
            }
        }
        self.note(format!("attempt {id} could not be recorded; its task is taken again after the lease"));
    }
}

/// What an agent left in its worktree.
#[derive(Default)]
struct Left {
    /// Whether it changed something; `None` where that is not known.
    changed: Option<bool>,
    /// What the user should know of it.
    note: Option<String>,
}

/// Adds a line to a log, without secrets, up to the log's limit.
fn keep(log: &Path, line: &str) {
    let full = log.metadata().is_ok_and(|meta| meta.len() > MAX_LOG);
    if !full {
        // A log that cannot be written must not end the agent.
        let _ = log.parent().map(files::make_dir);
        let _ = files::append(log, format!("{}\n", scrub(line)).as_bytes());
    }
}

/// How an attempt ended, and with which result.
fn outcome(
    worker: &Worker,
    report: &WorkerReport,
    complaint: &str,
    status: Option<ExitStatus>,
    task: Option<&TaskRow>,
    left: &Left,
) -> (AttemptState, String) {
    let noted = |text: String| match &left.note {
        Some(note) if text.is_empty() => note.clone(),
        Some(note) => format!("{text} ({note})"),
        None => text,
    };
    match task.map(|task| (task.state, &task.outcome)) {
        Some((TaskState::Done, outcome)) => return (AttemptState::Done, noted(outcome.clone())),
        Some((TaskState::Failed, outcome)) => return (AttemptState::Failed, outcome.clone()),
        Some((TaskState::Cancelled, outcome)) => {
            return (AttemptState::Stopped, format!("the task was cancelled: {outcome}"));
        }
        Some((TaskState::Open | TaskState::Running, _)) | None => {}
    }
    if let Some((why, state, _)) = &worker.ending {
        return (*state, why.clone());
    }
    let succeeded = status.is_some_and(|status| status.success());
    if !succeeded || report.error.is_some() {
        let code = status.and_then(|status| status.code());
        let ended = code
            .map_or_else(|| "the agent was killed".to_owned(), |code| format!("the agent ended with {code}"));
        let said = report.error.as_deref().filter(|text| !text.is_empty()).unwrap_or(complaint);
        return (AttemptState::Failed, if said.is_empty() { ended } else { format!("{ended}: {said}") });
    }
    if report.refused > 0 && left.changed == Some(false) {
        let why = format!(
            "the agent's own permissions refused {} calls and nothing was changed; say what it may do in its settings, or \
             after `--`",
            report.refused
        );
        return (AttemptState::Failed, why);
    }
    (AttemptState::Done, noted(report.text.trim().to_owned()))
}
