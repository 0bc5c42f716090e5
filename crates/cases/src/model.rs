//! What a case file says, read: cases, their worlds, their steps and what is expected of each.

use serde_json::{Map, Value};
use sprag_base::time::Stamp;
use sprag_pattern::Pattern;
use sprag_protocol::{AgentId, Decision, EventKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A fault in a case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub file: PathBuf,
    pub line: usize,
    pub what: String,
    pub hint: String,
}

/// A case file.
#[derive(Debug, Default)]
pub struct CaseFile {
    pub path: PathBuf,
    pub cases: Vec<Case>,
}

impl CaseFile {
    /// The folder that external hooks, copied files and snapshots are looked for in.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

/// One case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub name: String,
    pub line: usize,
    /// The chain; `preset` stands for the preset's own.
    pub hooks: Vec<String>,
    /// Empty: the agent of its recording, else Claude Code.
    pub agents: Vec<AgentId>,
    pub world: World,
    pub steps: Vec<Step>,
}

/// What is there before the first event.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub files: Vec<WorldFile>,
    pub git: Option<Git>,
    pub env: Vec<(String, String)>,
    pub clock: Option<Stamp>,
    /// TOML texts, later ones over earlier ones.
    pub config: Vec<String>,
    pub project_config: Vec<String>,
    pub trusted: bool,
    /// The model's answers; without any there is no model.
    pub model: Vec<String>,
    /// Rows of the store, by table.
    pub store: Vec<(String, Vec<serde_json::Map<String, serde_json::Value>>)>,
}

/// A file of the world.
#[derive(Clone, Debug)]
pub struct WorldFile {
    pub path: String,
    pub content: Content,
    pub mode: Option<u32>,
    pub modified: Option<When>,
}

/// What a file of the world is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Text(String),
    From(PathBuf),
    Link(String),
    Dir,
}

/// A time, by itself or before the case's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    At(Stamp),
    Before(Duration),
}

/// The project's git state.
#[derive(Clone, Debug, Default)]
pub struct Git {
    pub branch: Option<String>,
    pub remote: Option<String>,
    pub commits: Vec<Commit>,
    pub dirty: Vec<(String, String)>,
}

/// A commit.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    pub message: String,
    pub branch: Option<String>,
    pub files: Vec<(String, String)>,
}

/// One event, or a group of events.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub line: usize,
    pub action: Action,
    pub result: Option<Value>,
    pub repeat: usize,
    pub advance: Duration,
    pub files: Vec<WorldFile>,
    pub env: Vec<(String, String)>,
    pub work: bool,
    pub expect: Option<Expect>,
    pub expect_each: Option<Expect>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
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
pub struct Expect {
    pub line: usize,
    pub verdict: Option<Decision>,
    pub reason: Vec<String>,
    pub reason_matches: Option<(String, Pattern)>,
    pub context: Vec<String>,
    pub context_not: Vec<String>,
    pub no_context: Option<bool>,
    pub message: Vec<String>,
    pub message_not: Vec<String>,
    pub silent: Option<bool>,
    pub output: Option<Value>,
    pub snapshot: Option<String>,
    pub rewrite: Option<Value>,
    pub max_ms: Option<u64>,
    pub max_chars: Option<u64>,
    pub files: Vec<FileExpect>,
    pub env: Vec<(String, String)>,
    pub jobs: Option<Vec<String>>,
    pub journal: Vec<String>,
    pub journal_not: Vec<String>,
    pub lost: Option<Vec<String>>,
    pub asked: Vec<String>,
    pub asked_not: Vec<String>,
    pub asks: Option<u64>,
    pub shadow: Option<Decision>,
    pub on: Vec<(AgentId, Expect)>,
}

impl Expect {
    /// The expectation for one agent: its own words over the general ones.
    pub fn on(&self, agent: AgentId) -> Self {
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
pub struct FileExpect {
    pub path: String,
    pub contains: Vec<String>,
    pub contains_not: Vec<String>,
    pub equals: Option<String>,
    pub absent: bool,
    pub mode: Option<u32>,
    pub link: Option<String>,
}
