//! What a case file says, read: cases, their worlds, their steps and what is expected of each.

use serde_json::{Map, Value};
use sprag_engine::pattern::Pattern;
use sprag_engine::time::Stamp;
use sprag_protocol::{AgentId, Decision, EventKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A fault in a case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) what: String,
    pub(crate) hint: String,
}

/// A case file.
#[derive(Debug, Default)]
pub(crate) struct CaseFile {
    pub(crate) path: PathBuf,
    pub(crate) cases: Vec<Case>,
}

impl CaseFile {
    /// The folder that external hooks, copied files and snapshots are looked for in.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

/// One case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// The chain; `preset` stands for the preset's own.
    pub(crate) hooks: Vec<String>,
    /// Empty: the agent of its recording, else Claude Code.
    pub(crate) agents: Vec<AgentId>,
    pub(crate) world: World,
    pub(crate) steps: Vec<Step>,
}

/// What is there before the first event.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) files: Vec<WorldFile>,
    pub(crate) git: Option<Git>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) clock: Option<Stamp>,
    /// TOML texts, later ones over earlier ones.
    pub(crate) config: Vec<String>,
    pub(crate) project_config: Vec<String>,
    pub(crate) trusted: bool,
    /// The model's answers; without any there is no model.
    pub(crate) model: Vec<String>,
    /// Rows of the store, by table.
    pub(crate) store: Vec<(String, Vec<serde_json::Map<String, serde_json::Value>>)>,
}

/// A file of the world.
#[derive(Clone, Debug)]
pub(crate) struct WorldFile {
    pub(crate) path: String,
    pub(crate) content: Content,
    pub(crate) mode: Option<u32>,
    pub(crate) modified: Option<When>,
}

/// What a file of the world is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Text(String),
    From(PathBuf),
    Link(String),
    Dir,
}

/// A time, by itself or before the case's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    At(Stamp),
    Before(Duration),
}

/// The project's git state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Git {
    pub(crate) branch: Option<String>,
    pub(crate) remote: Option<String>,
    pub(crate) commits: Vec<Commit>,
    pub(crate) dirty: Vec<(String, String)>,
}

/// A commit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commit {
    pub(crate) message: String,
    pub(crate) branch: Option<String>,
    pub(crate) files: Vec<(String, String)>,
}

/// One event, or a group of events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    pub(crate) line: usize,
    pub(crate) action: Action,
    pub(crate) result: Option<Value>,
    pub(crate) repeat: usize,
    pub(crate) advance: Duration,
    pub(crate) files: Vec<WorldFile>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) work: bool,
    pub(crate) expect: Option<Expect>,
    pub(crate) expect_each: Option<Expect>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// An event with fields over the defaults.
    Inline { kind: EventKind, payload: Map<String, Value>, remove: Vec<String> },
    /// A recording with fields over it.
    Recorded { name: String, text: &'static str, over: Map<String, Value>, remove: Vec<String> },
    /// Bytes.
    Raw(String),
    /// Steps.
    Group(Vec<Step>),
}

impl Default for Action {
    fn default() -> Self {
        Self::Group(Vec::new())
    }
}

/// What must be true of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expect {
    pub(crate) line: usize,
    pub(crate) verdict: Option<Decision>,
    pub(crate) reason: Vec<String>,
    pub(crate) reason_matches: Option<(String, Pattern)>,
    pub(crate) context: Vec<String>,
    pub(crate) context_not: Vec<String>,
    pub(crate) no_context: Option<bool>,
    pub(crate) message: Vec<String>,
    pub(crate) message_not: Vec<String>,
    pub(crate) silent: Option<bool>,
    pub(crate) output: Option<Value>,
    pub(crate) snapshot: Option<String>,
    pub(crate) rewrite: Option<Value>,
    pub(crate) max_ms: Option<u64>,
    pub(crate) max_chars: Option<u64>,
    pub(crate) files: Vec<FileExpect>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) jobs: Option<Vec<String>>,
    pub(crate) journal: Vec<String>,
    pub(crate) journal_not: Vec<String>,
    pub(crate) lost: Option<Vec<String>>,
    pub(crate) asked: Vec<String>,
    pub(crate) asked_not: Vec<String>,
    pub(crate) asks: Option<u64>,
    pub(crate) shadow: Option<Decision>,
    pub(crate) on: Vec<(AgentId, Expect)>,
}

impl Expect {
    /// The expectation for one agent: its own words over the general ones.
    pub(crate) fn on(&self, agent: AgentId) -> Self {
        let mut all = self.clone();
        let own = std::mem::take(&mut all.on).into_iter().find(|(name, _)| *name == agent);
        let Some((_, own)) = own else { return all };
        one(&mut all.verdict, own.verdict);
        list(&mut all.reason, own.reason);
        one(&mut all.reason_matches, own.reason_matches);
        list(&mut all.context, own.context);
        list(&mut all.context_not, own.context_not);
        one(&mut all.no_context, own.no_context);
        list(&mut all.message, own.message);
        list(&mut all.message_not, own.message_not);
        one(&mut all.silent, own.silent);
        one(&mut all.output, own.output);
        one(&mut all.snapshot, own.snapshot);
        one(&mut all.rewrite, own.rewrite);
        one(&mut all.max_ms, own.max_ms);
        one(&mut all.max_chars, own.max_chars);
        list(&mut all.files, own.files);
        list(&mut all.env, own.env);
        one(&mut all.jobs, own.jobs);
        list(&mut all.journal, own.journal);
        list(&mut all.journal_not, own.journal_not);
        one(&mut all.lost, own.lost);
        list(&mut all.asked, own.asked);
        list(&mut all.asked_not, own.asked_not);
        one(&mut all.asks, own.asks);
        one(&mut all.shadow, own.shadow);
        all
    }
}

fn list<T>(all: &mut Vec<T>, own: Vec<T>) {
    if !own.is_empty() {
        *all = own;
    }
}

fn one<T>(all: &mut Option<T>, own: Option<T>) {
    if own.is_some() {
        *all = own;
    }
}

/// What must be true of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileExpect {
    pub(crate) path: String,
    pub(crate) contains: Vec<String>,
    pub(crate) contains_not: Vec<String>,
    pub(crate) equals: Option<String>,
    pub(crate) absent: bool,
    pub(crate) mode: Option<u32>,
    pub(crate) link: Option<String>,
}
