//! What sprag knows about one agent, as plain data and pure functions. Files, processes and the environment are read
//! elsewhere, by code that asks this table.

use super::AgentId;
use super::files::{AgentFiles, AgentVersion};
use super::sandbox::{Confinement, SandboxPart};
use crate::dialect::Dialect;
use crate::kind::Subject;
use crate::transcript::{Facts, Limit, Record};
use serde_json::Value;

/// Everything that is about one agent alone.
pub struct AgentSpec {
    /// Its id.
    pub id: AgentId,
    /// Its name for people: `Claude Code`.
    pub title: &'static str,
    /// The name under which its model speaks in an exported conversation: `Claude`.
    pub speaker: &'static str,
    /// Its events, payloads and answers, and by them what it cannot do.
    pub dialect: &'static Dialect,
    /// Its tools.
    pub tools: Tools,
    /// Its settings files.
    pub settings: AgentFiles,
    /// What its own sandbox is told; `None`: it has none that sprag can write.
    pub sandbox: Option<fn(&Confinement) -> Vec<SandboxPart>>,
    /// Its processes, and what it gives to those that it starts.
    pub process: Process,
    /// Its transcripts.
    pub transcript: Transcript,
    /// What texts begin with that the program itself writes under the user's name.
    pub machine_made: &'static [&'static str],
    /// Its versions.
    pub version: Version,
    /// How it is run for one answer; `None`: it is no backend of `[llm]`.
    pub headless: Option<Headless>,
    /// How it is run for a task; `None`: the dispatcher cannot start it.
    pub worker: Option<WorkerMode>,
    /// The account's limits in the payload of its status line.
    pub status_line_limits: fn(&Value) -> Vec<Limit>,
}

impl AgentSpec {
    /// True when the tests run the agent's own program; the others are written from their documentation.
    pub const fn was_run(&self) -> bool {
        !self.version.tested.is_empty()
    }
}

/// An agent's tools, beyond what its dialect reads.
pub struct Tools {
    /// Names of its tools in payloads that do not say whose they are, and the canonical names.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Its matchers.
    pub matcher: MatcherSyntax,
}

/// Which matchers an agent understands in its settings file. What it does not understand is registered for everything,
/// and sprag applies the matcher itself.
pub struct MatcherSyntax {
    /// True when it understands these canonical names, joined by `|`, as exactly these.
    pub names: fn(Subject, &[String]) -> bool,
    /// It understands JavaScript regular expressions over canonical names.
    pub regex: bool,
}

/// What an agent makes of `ask` where nobody sits at a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadlessAsk {
    /// Nothing is known: it is left to the agent.
    Unknown,
    /// Run for one prompt, or without a terminal, it waits for ever for an answer.
    Waits,
    /// Run for one prompt, it refuses the call.
    Refused,
}

/// An agent's processes, and what it gives to those that it starts.
pub struct Process {
    /// Variables that only a program started by the agent has.
    pub variables: &'static [&'static str],
    /// The variable that holds its session's id.
    pub session_variable: Option<&'static str>,
    /// The variable that holds the folder in which it was started.
    pub project_variable: Option<&'static str>,
    /// Variables that would make an agent that is started below it take itself for a part of its session.
    pub session_environment: &'static [&'static str],
    /// The names of its program or script, without folder and extension.
    pub programs: &'static [&'static str],
    /// Other programs have its name too: it alone does not show that the agent is here.
    pub common_name: bool,
    /// What the name of its program begins with, where a package names it by platform.
    pub program_prefix: Option<&'static str>,
    /// Parts of its script's path, where the script has a name like `cli.js`.
    pub packages: &'static [&'static str],
    /// What is done with `ask` where nobody sits at a terminal.
    pub headless_ask: HeadlessAsk,
    /// Flags that name somebody else who is asked then.
    pub asks_through: &'static [&'static str],
    /// The flags with which it is run for one prompt.
    pub prompt_flags: &'static [&'static str],
    /// Short flags with which it asks nobody about anything.
    pub unattended_flags: &'static [&'static str],
    /// Files of a project from which it takes variables for what it starts.
    pub project_env_files: &'static [&'static str],
}

impl Process {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self {
        variables: &[],
        session_variable: None,
        project_variable: None,
        session_environment: &[],
        programs: &[],
        common_name: false,
        program_prefix: None,
        packages: &[],
        headless_ask: HeadlessAsk::Unknown,
        asks_through: &[],
        prompt_flags: &[],
        unattended_flags: &[],
        project_env_files: &[],
    };

    /// True when a program or script of this name (without folder and extension) is the agent.
    pub fn is_program(&self, name: &str) -> bool {
        self.programs.contains(&name) || self.program_prefix.is_some_and(|prefix| name.starts_with(prefix))
    }

    /// True when a script's path (with slashes) is in one of the agent's packages.
    pub fn is_package(&self, path: &str) -> bool {
        self.packages.iter().any(|package| path.contains(package))
    }

    /// True when these words start the agent for one prompt.
    pub fn is_for_one_prompt(&self, words: &[&str]) -> bool {
        has_flag(words, self.prompt_flags)
    }

    /// True when an agent that was started with these words has nobody whom it could ask.
    pub fn asks_nobody(&self, words: &[&str], at_terminal: bool) -> bool {
        let alone = match self.headless_ask {
            HeadlessAsk::Unknown => false,
            HeadlessAsk::Waits => !at_terminal || self.is_for_one_prompt(words),
            HeadlessAsk::Refused => self.is_for_one_prompt(words),
        };
        alone && !has_flag(words, self.asks_through)
    }
}

/// True when one of the words is one of the flags, alone or with its value.
fn has_flag(words: &[&str], flags: &[&str]) -> bool {
    words.iter().any(|word| {
        flags.iter().any(|flag| {
            word.strip_prefix(flag)
                .is_some_and(|rest| rest.is_empty() || flag.starts_with("--") && rest.starts_with('='))
        })
    })
}

/// An agent's transcripts.
pub struct Transcript {
    /// Where they are, below the agent's folder.
    pub folder: &'static str,
    /// A part of their paths, for cases and demonstrations.
    pub sample_folder: &'static str,
    /// Their format; `None`: another agent's.
    pub format: Option<TranscriptFormat>,
    /// Where a session's is.
    pub kept: Kept,
}

/// Where an agent keeps the transcript of a session.
pub enum Kept {
    /// In a file that its payloads name.
    Named,
    /// In this file below the home directory, by the session's id.
    File(fn(&str) -> String),
    /// In a database, with those of all sessions.
    Database(TranscriptDatabase),
}

/// An SQLite database with the transcripts of all sessions.
pub struct TranscriptDatabase {
    /// Its place below the home directory.
    pub path: &'static str,
    /// The query for the ids of the sessions.
    pub sessions: &'static str,
    /// The query for one session (`?1`): a JSON object for each message, in order.
    pub lines: &'static str,
}

/// What stands between a database and the session, where a path names both.
pub const SESSION_MARK: char = '#';

impl Transcript {
    /// The transcript of a session whose payloads do not name it.
    pub fn of_session(&self, home: &str, session: &str) -> Option<String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if home.is_empty() || session.is_empty() || !session.chars().all(plain) {
            return None;
        }
        match &self.kept {
            Kept::Named => None,
            Kept::File(path) => Some(format!("{home}/{}", path(session))),
            Kept::Database(database) => Some(format!("{home}/{}{SESSION_MARK}{session}", database.path)),
        }
    }
}

/// The format of a transcript: one JSON object per line.
pub struct TranscriptFormat {
    /// Beginnings of lines that need not be parsed.
    pub skipped: &'static [&'static str],
    /// True for an object that only this format has.
    pub is_own: fn(&Value) -> bool,
    /// The records of one line's object, and what it says about the session.
    pub read: fn(&Value, &mut Facts) -> Vec<Record>,
    /// A file `*.json` in this format is one document with all messages.
    pub whole_document: bool,
}

/// An agent's versions.
pub struct Version {
    /// The arguments with which its program prints its version.
    pub arguments: &'static [&'static str],
    /// The version with which the tests ran last; empty: it was never run.
    pub tested: &'static str,
    /// The first version that has the hooks which sprag registers.
    pub oldest: AgentVersion,
}

/// How an agent is run for one answer: the question on its standard input, the answer on its standard output,
/// without its tools, hooks and session files.
pub struct Headless {
    /// The arguments before the model.
    pub before_model: &'static [&'static str],
    /// The arguments after it.
    pub after_model: &'static [&'static str],
    /// The model that is asked unless the user names another; `None`: the agent's own choice.
    pub default_model: Option<&'static str>,
}

impl Headless {
    /// The arguments for this model; `None` is the agent's own choice.
    pub fn arguments<'a>(&self, model: Option<&'a str>) -> Vec<&'a str> {
        let model = model.map(|model| ["--model", model]);
        self.before_model
            .iter()
            .copied()
            .chain(model.into_iter().flatten())
            .chain(self.after_model.iter().copied())
            .collect()
    }
}

/// How an agent is given its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskInput {
    /// On its standard input.
    Stdin,
    /// As its last argument.
    Argument,
}

/// How an agent is run for a task: one line after another on its standard output, with its tools, hooks and session files, and
/// with the permissions that the user gave it.
pub struct WorkerMode {
    /// Its program.
    pub program: &'static str,
    /// The arguments before those of the user.
    pub first: &'static [&'static str],
    /// The arguments after those of the user.
    pub last: &'static [&'static str],
    /// How it is given the task.
    pub task: TaskInput,
    /// The option that takes the most that a run may cost, in dollars.
    pub budget_option: Option<&'static str>,
    /// What a line says about the run. A line that is not JSON is given as a text.
    pub read: fn(&Value, &mut WorkerReport),
}

impl WorkerMode {
    /// What is written to its standard input.
    pub const fn stdin<'a>(&self, task: &'a str) -> &'a str {
        match self.task {
            TaskInput::Stdin => task,
            TaskInput::Argument => "",
        }
    }

    /// The arguments of a run: with what the user adds, and the most that it may cost in millionths of a dollar.
    pub fn arguments(&self, task: &str, own: &[String], budget_micros: Option<i64>) -> Vec<String> {
        let budget = self.budget_option.zip(budget_micros).map(|(option, micros)| {
            let dollars = micros.max(0) as u64;
            [option.to_owned(), format!("{}.{:06}", dollars / 1_000_000, dollars % 1_000_000)]
        });
        let fixed = |words: &'static [&'static str]| words.iter().map(|word| (*word).to_owned());
        fixed(self.first)
            .chain(budget.into_iter().flatten())
            .chain(own.iter().cloned())
            .chain(fixed(self.last))
            .chain((self.task == TaskInput::Argument).then(|| task.to_owned()))
            .collect()
    }
}

/// What an agent reported of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkerReport {
    /// Its session.
    pub session: String,
    /// The model.
    pub model: String,
    /// Its last words.
    pub text: String,
    /// Why it failed.
    pub error: Option<String>,
    /// Calls that the agent's own permissions refused.
    pub refused: u64,
    /// Tokens that the model read, without those from its cache.
    pub input: u64,
    /// Tokens that the model read from its cache.
    pub cached: u64,
    /// Tokens that the model wrote.
    pub output: u64,
    /// The cost in millionths of a dollar, where the agent says it.
    pub cost_micros: Option<i64>,
}

impl WorkerReport {
    /// Adds what one answer cost. Agents print nothing, or a zero, for a model whose price they do not know.
    pub(crate) fn add_dollars(&mut self, dollars: Option<f64>) {
        if let Some(dollars) = dollars.filter(|dollars| *dollars > 0.0) {
            self.cost_micros = Some(self.cost_micros.unwrap_or(0) + (dollars * 1e6).round() as i64);
        }
    }
}
