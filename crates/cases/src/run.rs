//! Runs one case as one agent: makes its world, sends its events, checks each answer.

use super::check::{self, Got, Mismatch};
use super::model::{Action, Case, CaseFile, Expect, Step};
use super::payload::{Conversation, PayloadError, first_agent};
use super::snapshot::{self, Compared};
use super::world::{NotRun, Registry, Scene};
use sprag_base::files;
use sprag_protocol::{AgentId, EventKind};
use sprag_runtime::dispatch::{Answer, dispatch};
use sprag_runtime::panics;
use sprag_runtime::queue::{self, JobState, Until};
use std::path::Path;
use std::time::{Duration, Instant};

/// How cases are run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Hooks and job handlers.
    pub registry: Registry,
    /// Where throw-away homes are made.
    pub base: &'a Path,
    /// Snapshots are written instead of compared.
    pub update: bool,
}

/// A failed expectation and the event it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The line of the step.
    pub line: usize,
    /// `step 2, round 8 of 15`; empty when the case has one event.
    pub step: String,
    /// What differs from what was expected.
    pub mismatches: Vec<Mismatch>,
    /// What the hooks did, as the journal has it.
    pub journal: Vec<String>,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything was as expected.
    Passed,
    /// Something was not.
    Failed(Vec<Failure>),
    /// It could not run here, and why.
    Skipped(String),
}

/// A case that was run.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The name of the case.
    pub name: String,
    /// Its line in the file.
    pub line: usize,
    /// The agent it ran as.
    pub agent: AgentId,
    /// How it ended.
    pub status: Status,
    /// How long it took.
    pub took: Duration,
}

/// The agents that a case is run as when nobody asks for another one.
pub fn own_agents(case: &Case) -> Vec<AgentId> {
    if case.agents.is_empty() {
        vec![first_agent(&case.steps).unwrap_or(AgentId::CANONICAL)]
    } else {
        case.agents.clone()
    }
}

/// Runs a case. A panic is a failure of the case.
pub fn run(file: &CaseFile, case: &Case, agent: AgentId, options: Options<'_>) -> Finished {
    let started = Instant::now();
    let status = panics::caught(|| inner(file, case, agent, options)).unwrap_or_else(|panic| {
        let mismatch = Mismatch::new("the case panicked", vec![panic.to_string()]);
        Status::Failed(vec![whole(case, mismatch)])
    });
    Finished { name: case.name.clone(), line: case.line, agent, status, took: started.elapsed() }
}

fn whole(case: &Case, mismatch: Mismatch) -> Failure {
    Failure { line: case.line, step: String::new(), mismatches: vec![mismatch], journal: Vec::new() }
}

fn inner(file: &CaseFile, case: &Case, agent: AgentId, options: Options<'_>) -> Status {
    let scene = match Scene::new(case, file.folder(), options) {
        Ok(scene) => scene,
        Err(NotRun::Skipped(why)) => return Status::Skipped(why),
        Err(NotRun::Broken(why)) => {
            return Status::Failed(vec![whole(case, Mismatch::new("the world cannot be made", vec![why]))]);
        }
    };
    let own = own_agents(case);
    let mut runner = Runner {
        registry: options.registry,
        file,
        case,
        scene,
        agent,
        first: own.first() == Some(&agent),
        asked: own.contains(&agent),
        update: options.update,
        talk: Conversation::new(agent),
        last: Got::default(),
        failures: Vec::new(),
    };
    let single = case.steps.len() == 1;
    match runner.steps(&case.steps, &Round { label: String::new(), last: true, number: None }, single) {
        Ok(()) if runner.failures.is_empty() => Status::Passed,
        Ok(()) => Status::Failed(runner.failures),
        // What failed before the agent could not go on has still failed.
        Err(NotRun::Skipped(why)) if runner.failures.is_empty() => Status::Skipped(why),
        Err(NotRun::Skipped(_)) => Status::Failed(runner.failures),
        Err(NotRun::Broken(why)) => {
            Status::Failed(vec![whole(case, Mismatch::new("the case cannot be run", vec![why]))])
        }
    }
}

/// Where in the repetitions a step is.
#[derive(Clone)]
struct Round {
    label: String,
    /// True in the last round of every repetition around it.
    last: bool,
    /// The round's number and how many there are, in the innermost repetition.
    number: Option<(usize, usize)>,
}

struct Runner<'a> {
    registry: Registry,
    file: &'a CaseFile,
    case: &'a Case,
    scene: Scene,
    agent: AgentId,
    /// The agent whose snapshots have no suffix.
    first: bool,
    /// The case names the agent itself; else the command line does.
    asked: bool,
    update: bool,
    talk: Conversation,
    last: Got,
    failures: Vec<Failure>,
}

impl Runner<'_> {
    fn steps(&mut self, steps: &[Step], round: &Round, single: bool) -> Result<(), NotRun> {
        for (at, step) in steps.iter().enumerate() {
            let mut round = round.clone();
            if is_end(step) && round.label.is_empty() {
                END.clone_into(&mut round.label);
            } else if !single {
                let number = if round.label.is_empty() {
                    format!("step {}", at + 1)
                } else {
                    format!("{}.{}", round.label, at + 1)
                };
                round.label = number;
            }
            self.repeat(step, &round)?;
        }
        Ok(())
    }

    fn repeat(&mut self, step: &Step, outer: &Round) -> Result<(), NotRun> {
        let before = self.failures.len();
        for number in 1..=step.repeat {
            let mut round = outer.clone();
            round.last = outer.last && number == step.repeat;
            if step.repeat > 1 {
                round.number = Some((number, step.repeat));
            }
            self.scene.advance(step.advance);
            self.scene.put(&step.files, self.file.folder())?;
            self.scene.set_env(&step.env);
            match &step.action {
                Action::Group(steps) => {
                    self.steps(steps, &round, false)?;
                    if step.work {
                        self.work()?;
                    }
                    self.check(step, &round, steps.is_empty());
                }
                action => self.send(step, action, &round)?,
            }
            // Of fifteen failures of the same step, the first one says it all.
            if self.failures.len() > before {
                break;
            }
        }
        Ok(())
    }

    fn send(&mut self, step: &Step, action: &Action, round: &Round) -> Result<(), NotRun> {
        let ready = self
            .talk
            .payload(action, round.number.map(|(number, _)| number), &self.scene.places)
            .map_err(cannot)?;
        self.dispatch(&ready.bytes);
        if step.work {
            self.work()?;
        }
        self.check(step, round, false);
        if ready.kind == EventKind::PreToolUse
            && let Some(result) = &step.result
            && !self.last.verdict.decision.stops()
        {
            let verdict = std::mem::take(&mut self.last);
            let ready = self
                .talk
                .result(&ready.canonical, result, round.number.map(|(number, _)| number), &self.scene.places)
                .map_err(cannot)?;
            self.dispatch(&ready.bytes);
            let mismatches = check::unexpected(&self.last);
            self.note(step, round, mismatches);
            // The call is what the step is about, also for an expectation of the whole case.
            self.last = verdict;
        }
        Ok(())
    }

    fn dispatch(&mut self, bytes: &[u8]) {
        let _ = files::remove(&self.scene.env_file);
        let host = &self.scene.host;
        let before = waiting(host);
        let answer: Answer = dispatch(host, self.registry.builtins, bytes, Some(self.agent));
        let jobs = queue::list(&host.paths, JobState::Waiting)
            .into_iter()
            .filter(|(path, _)| !before.contains(&(path.clone(), files::identity(path))))
            .map(|(_, stored)| stored.job.work.kind().to_owned())
            .collect();
        let env = files::read_text(&self.scene.env_file, files::STATE).unwrap_or_default();
        self.last = Got::new(answer, &self.scene.places, exports(&env), jobs);
    }

    /// Processes the background jobs, as the worker would later.
    fn work(&mut self) -> Result<(), NotRun> {
        let done = queue::work(&self.scene.host, self.registry.jobs, Until::Once)
            .map_err(|error| NotRun::Broken(format!("the background queue: {error}")))?;
        if done.failed > 0 {
            let failed = queue::list(&self.scene.host.paths, JobState::Waiting);
            for (_, stored) in failed {
                let error = stored.last_error.unwrap_or_default();
                let kind = stored.job.work.kind();
                self.last.errors.push(format!("job {kind}: {error}"));
                self.last.journal.push(format!("job {kind}; error: {error}"));
            }
        }
        Ok(())
    }

    fn check(&mut self, step: &Step, round: &Round, after: bool) {
        self.last.asked.extend(self.scene.asked());
        let expects: Vec<Expect> = [step.expect.as_ref().filter(|_| round.last), step.expect_each.as_ref()]
            .into_iter()
            .flatten()
            .map(|expect| self.expected(expect))
            .collect();
        let mut mismatches = Vec::new();
        if expects.is_empty() && !after && !matches!(step.action, Action::Raw(_) | Action::Group(_)) {
            mismatches = check::unexpected(&self.last);
        }
        let raw = matches!(step.action, Action::Raw(_));
        for expect in &expects {
            let mut found = check::check(expect, &self.last, &self.scene.places);
            // Bytes that are no payload are meant to be complained about.
            found.retain(|mismatch| !(raw && mismatch.what == "a hook failed"));
            mismatches.extend(found);
            if let Some(name) = &expect.snapshot {
                mismatches.extend(self.snapshot(name, round));
            }
        }
        mismatches.dedup();
        self.note(step, round, mismatches);
        // Said once; an expectation at the end is about the answer, not about its errors.
        self.last.errors.clear();
    }

    fn note(&mut self, step: &Step, round: &Round, mismatches: Vec<Mismatch>) {
        if mismatches.is_empty() {
            return;
        }
        let mut label = round.label.clone();
        if let Some((number, all)) = round.number {
            let of = format!("round {number} of {all}");
            label = if label.is_empty() { of } else { format!("{label}, {of}") };
        }
        let expect = step.expect.as_ref().or(step.expect_each.as_ref());
        let line = expect.map_or(step.line, |expect| expect.line);
        let journal = self.last.journal.clone();
        self.failures.push(Failure { line, step: label, mismatches, journal });
    }

    /// The expectation for the agent that the case is run as, with the case's paths as they come back.
    fn expected(&self, expect: &Expect) -> Expect {
        let own = expect.on.iter().find(|(agent, _)| *agent == self.agent).map(|(_, own)| own);
        let mut all = expect.on(self.agent);
        if !self.first && own.is_none_or(|own| own.output.is_none()) {
            // The spelling is the first agent's; another one has its own.
            all.output = None;
        }
        if !self.asked && own.is_none() {
            // What the agent cannot do is not an error of a hook whose case does not name that agent.
            all.lost = None;
            all.env.clear();
            all.silent = all.silent.filter(|silent| *silent);
        }
        all
    }

    fn snapshot(&self, name: &str, round: &Round) -> Option<Mismatch> {
        let mut slug = if name.is_empty() { snapshot::slug(&self.case.name) } else { name.to_owned() };
        if name.is_empty() && !round.label.is_empty() && round.label != END {
            slug = format!("{slug}.{}", snapshot::slug(&round.label));
        }
        if !self.first {
            slug = format!("{slug}.{}", self.agent);
        }
        let place = snapshot::place(&self.file.path, &slug);
        let shown = place.strip_prefix(self.file.folder()).unwrap_or(&place).display().to_string();
        match snapshot::compare(&place, &self.last.output, self.update) {
            Ok(Compared::Same) => None,
            Ok(Compared::Missing) if !self.asked => None,
            Ok(Compared::Missing) => Some(Mismatch::new(
                format!("snapshot {shown} is not there"),
                vec!["look at the answer, then run `sprag test --update`".to_owned()]
                    .into_iter()
                    .chain(snapshot::text(&self.last.output).lines().map(|line| format!("  | {line}")))
                    .collect(),
            )),
            Ok(Compared::Differs(lines)) => Some(Mismatch::new(format!("snapshot {shown}"), lines)),
            Err(error) => Some(Mismatch::new(format!("snapshot {shown}"), vec![error.to_string()])),
        }
    }
}

/// How the expectation of a case with steps is called.
const END: &str = "at the end";

/// The expectation of a case with steps is a step without events.
fn is_end(step: &Step) -> bool {
    matches!(&step.action, Action::Group(steps) if steps.is_empty())
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn cannot(why: PayloadError) -> NotRun {
    NotRun::Skipped(format!("the agent cannot: {why}"))
}

type Known = Vec<(std::path::PathBuf, Option<files::Identity>)>;

/// The jobs that wait already, so that new ones are told from them.
fn waiting(host: &sprag_config::host::Host) -> Known {
    let folder = host.paths.queue().join("waiting");
    let found = files::list(&folder, "", "").into_iter();
    found.map(|path| (path.clone(), files::identity(&path))).collect()
}

/// `export NAME='value'` lines.
fn exports(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("export ")?.split_once('='))
        .map(|(name, value)| {
            let inner = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')).unwrap_or(value);
            (name.to_owned(), inner.replace("'\\''", "'"))
        })
        .collect()
}
