//! One record of a transcript, whichever agent wrote it.

use crate::agents::AgentId;
use crate::dialects;
use crate::kind::EventKind;
use crate::tool::ToolCall;
use serde_json::{Map, Value};
use sprag_time::Stamp;

/// Who speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person, or whoever started the agent; tool results come under this name too.
    #[default]
    User,
    /// The model.
    Assistant,
    /// The agent program.
    System,
}

/// What a record is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// Said, called or answered in the conversation.
    #[default]
    Message,
    /// Put into the conversation by the agent program: reminders, echoes of its own commands, instructions.
    Meta,
    /// The summary that stands for what was compacted.
    CompactSummary,
    /// Here the conversation was compacted.
    CompactBoundary,
    /// An error of the model's service in the place of an answer.
    Failure,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What its result refers to.
    pub id: String,
    /// The call in canonical names: kind, paths, command.
    pub tool: ToolCall,
    /// The input, in canonical spelling where that is known.
    pub input: Value,
}

impl Call {
    /// A call as an agent spells it.
    pub(crate) fn new(agent: AgentId, id: &str, name: &str, input: Value) -> Self {
        let mut raw = Map::new();
        raw.insert("tool_name".to_owned(), Value::from(name));
        raw.insert("tool_input".to_owned(), input);
        (dialects::of(agent).to_canonical)(EventKind::PreToolUse, &mut raw);
        let input = raw.remove("tool_input").unwrap_or_default();
        let canonical = raw.get("tool_name").and_then(Value::as_str).unwrap_or(name);
        Self { id: id.to_owned(), tool: ToolCall::new(canonical, name, &input), input }
    }
}

/// What a tool call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// The call's id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The tool failed, or its command did not end with 0.
    pub error: bool,
    /// It did not run: the user, a rule or a hook refused it.
    pub refused: bool,
}

/// True for a result that is sprag's own refusal, however the agent introduces it.
pub fn stopped_by_sprag(said: &str) -> bool {
    const IN_FRONT: usize = 200;
    said.find("sprag blocked this (").is_some_and(|at| at < IN_FRONT)
}

/// Tokens of one answer of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The answer they belong to. Several records of one answer repeat its usage.
    pub answer: String,
    /// Tokens read, not from the cache.
    pub input: u64,
    /// Tokens written by the model.
    pub output: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Tokens put into the cache.
    pub cache_write: u64,
    /// The size of the model's window, where the agent says it.
    pub window: Option<u64>,
}

impl Usage {
    /// How full the window was with this request.
    pub const fn context(&self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }
}

/// One record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// What it is.
    pub kind: RecordKind,
    /// Who speaks.
    pub role: Role,
    /// The text; empty for a record of calls or results only.
    pub text: String,
    /// Tool calls.
    pub calls: Vec<Call>,
    /// Results of tool calls.
    pub results: Vec<CallResult>,
    /// Tokens.
    pub usage: Option<Usage>,
    /// It belongs to a subagent or a side conversation.
    pub sidechain: bool,
    /// When.
    pub time: Option<Stamp>,
    /// The record's own id; empty when it has none.
    pub uuid: String,
    /// Where its line begins, in bytes.
    pub offset: u64,
}

impl Record {
    /// True for a text of the person or the model in the main conversation.
    pub fn is_said(&self) -> bool {
        self.kind == RecordKind::Message
            && !self.sidechain
            && self.role != Role::System
            && !self.text.trim().is_empty()
    }

    /// True when nothing of it is left to tell.
    pub fn is_empty(&self) -> bool {
        self.kind != RecordKind::CompactBoundary
            && self.text.trim().is_empty()
            && self.calls.is_empty()
            && self.results.is_empty()
            && self.usage.is_none()
    }
}

/// A limit of the account's usage, as an agent tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Its name for people: `5-hour`.
    pub name: String,
    /// How much of it is used, in whole percent.
    pub percent: u64,
    /// When it restarts.
    pub resets: Option<Stamp>,
}

impl Limit {
    /// A limit from a number of percent and a time in seconds or as text; `None` without a sensible number.
    pub fn read(name: String, used: &Value, resets: Option<&Value>) -> Option<Self> {
        let used = used.as_f64().filter(|used| (0.0..=1_000.0).contains(used))?;
        let resets = resets.and_then(|at| match at {
            Value::String(text) => Stamp::parse(text),
            at => at.as_u64().and_then(|seconds| seconds.checked_mul(1_000_000)).map(Stamp),
        });
        Some(Self { name, percent: used.floor() as u64, resets })
    }
}

/// What the records say about the session as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whose transcript it is.
    pub agent: Option<AgentId>,
    /// The session's id.
    pub session_id: String,
    /// Where the session began.
    pub cwd: String,
    /// The branch that was last seen.
    pub branch: String,
    /// The agent's version.
    pub version: String,
    /// The model that answered last.
    pub model: String,
    /// Ran without a person (`-p`, exec); `None` when the transcript does not say.
    pub headless: Option<bool>,
    /// The first time that is written down.
    pub started: Option<Stamp>,
    /// The last one.
    pub last: Option<Stamp>,
    /// The account's limits that were told last.
    pub limits: Vec<Limit>,
}

impl Facts {
    /// Keeps the first value of a field that does not change.
    pub(crate) fn first(field: &mut String, value: Option<&str>) {
        if let Some(value) = value.filter(|_| field.is_empty()) {
            value.clone_into(field);
        }
    }

    /// Keeps the last value of a field that may change.
    pub(crate) fn latest(field: &mut String, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.is_empty() && *value != field) {
            value.clone_into(field);
        }
    }

    pub(crate) fn see_time(&mut self, time: Option<Stamp>) {
        if let Some(time) = time {
            self.started.get_or_insert(time);
            self.last = self.last.max(Some(time));
        }
    }
}

/// A text field.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// The time of a record.
pub(crate) fn time(value: &Value) -> Option<Stamp> {
    text(value, "timestamp").and_then(Stamp::parse)
}

/// A count of tokens.
pub(crate) fn count(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// The text of a content: a string, or blocks of which those with text are joined by blank lines.
pub(crate) fn joined(content: &Value, is_text: impl Fn(&Value) -> bool) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let mut out = String::new();
            for block in blocks.iter().filter(|block| is_text(block)) {
                if let Some(text) = text(block, "text").or_else(|| block.as_str()) {
                    if !out.is_empty() {
                        out.push_str("\n\n");
                    }
                    out.push_str(text);
                }
            }
            out
        }
        _ => String::new(),
    }
}
