//! How one agent spells events, tools and answers: a table of what each event can do, and one encoder.

use crate::agents::AgentId;
use crate::event::Event;
use crate::kind::EventKind;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value};

/// How an event is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopWay {
    /// It cannot be stopped.
    Never,
    /// `hookSpecificOutput.permissionDecision`: allow, ask or deny.
    Permission,
    /// `hookSpecificOutput.decision.behavior`: allow or deny.
    Behavior,
    /// Top-level `decision: "block"` with a reason.
    Decision,
    /// Top-level `decision: "deny" | "ask" | "allow"` with a reason.
    Verb,
    /// Only `continue: false` with a stop reason.
    Continue,
    /// `hookSpecificOutput.action: "decline"`.
    Action,
    /// Exit code 2 with the reason on standard error: the agent reads no answer.
    ExitCode,
}

/// How text reaches the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextWay {
    /// It cannot.
    Never,
    /// `hookSpecificOutput.additionalContext`.
    Specific,
    /// The plain text on standard output.
    Plain,
}

/// What an agent does with the answer to one event. The one place that says what an event can do.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The event.
    pub kind: EventKind,
    /// The agent's own name of it.
    pub native: &'static str,
    /// How it is stopped.
    pub stop: StopWay,
    /// How text reaches the model.
    pub context: ContextWay,
    /// A message to the user is shown.
    pub message: bool,
    /// The tool input can be replaced.
    pub rewrite: bool,
    /// The tool output can be replaced.
    pub output: bool,
    /// `continue: false` stops the agent.
    pub halt: bool,
    /// Environment variables can be set for the agent's shell.
    pub env_file: bool,
    /// Text that cannot reach the model now waits for the next event that can carry it, at the latest this one.
    pub waits_for: Option<EventKind>,
    /// Further fields that the event reads.
    pub fields: &'static [&'static str],
    /// The longest that the agent waits unless a hook has its own timeout, in seconds.
    pub patience_s: u32,
}

impl Row {
    /// An event that the agent only reports.
    pub const fn observe(kind: EventKind, native: &'static str) -> Self {
        Self {
            kind,
            native,
            stop: StopWay::Never,
            context: ContextWay::Never,
            message: false,
            rewrite: false,
            output: false,
            halt: false,
            env_file: false,
            waits_for: None,
            fields: &[],
            patience_s: 600,
        }
    }

    /// The event can be stopped this way.
    pub const fn stop(mut self, stop: StopWay) -> Self {
        self.stop = stop;
        self
    }

    /// Text reaches the model.
    pub const fn context(mut self) -> Self {
        self.context = ContextWay::Specific;
        self
    }

    /// Plain text on standard output reaches the model.
    pub const fn plain_context(mut self) -> Self {
        self.context = ContextWay::Plain;
        self
    }

    /// A message is shown to the user.
    pub const fn message(mut self) -> Self {
        self.message = true;
        self
    }

    /// `continue: false` stops the agent.
    pub const fn halt(mut self) -> Self {
        self.halt = true;
        self
    }

    /// The tool input can be replaced.
    pub const fn rewrite(mut self) -> Self {
        self.rewrite = true;
        self
    }

    /// The tool output can be replaced.
    pub const fn output(mut self) -> Self {
        self.output = true;
        self
    }

    /// Environment variables can be set.
    pub const fn env_file(mut self) -> Self {
        self.env_file = true;
        self
    }

    /// Text that the event cannot carry waits for one that can, such as this.
    pub const fn waits_for(mut self, carrier: EventKind) -> Self {
        self.waits_for = Some(carrier);
        self
    }

    /// Further fields that the event reads.
    pub const fn fields(mut self, fields: &'static [&'static str]) -> Self {
        self.fields = fields;
        self
    }

    /// The agent's own time limit for the event.
    pub const fn patience(mut self, seconds: u32) -> Self {
        self.patience_s = seconds;
        self
    }
}

/// What to do with `ask` when the agent cannot prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskFallback {
    /// Deny, with the reason: what needs a person's word does not happen without it.
    #[default]
    Deny,
    /// Pass: the agent's own rules decide.
    Pass,
}

impl AskFallback {
    /// What `ask` becomes.
    pub const fn decision(self) -> Decision {
        match self {
            Self::Deny => Decision::Deny,
            Self::Pass => Decision::Pass,
        }
    }
}

/// Something of a verdict that an agent cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It has no word for allowing.
    Allow,
    /// Nobody can be asked.
    Ask,
    /// The event cannot be blocked.
    Block,
    /// The event takes no text for the model.
    Context,
    /// The same, but a later event will take the text.
    ContextWaits,
    /// It takes no variables for its shell.
    Env,
    /// The event shows no message to the user.
    Message,
    /// The tool's output cannot be replaced.
    Output,
    /// The tool's input cannot be replaced.
    Rewrite,
    /// The tool's input can be replaced, but no field removed.
    RewriteRemoves,
    /// The event cannot stop the agent.
    Stop,
}

impl Lost {
    /// The words in the journal.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Block => "block",
            Self::Context => "context",
            Self::ContextWaits => "context waits",
            Self::Env => "env",
            Self::Message => "message",
            Self::Output => "output",
            Self::Rewrite => "rewrite",
            Self::RewriteRemoves => "rewrite removes a field",
            Self::Stop => "stop",
        }
    }
}

/// An answer in an agent's spelling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// What goes to standard output; `None` is silence.
    pub stdout: Option<String>,
    /// What goes to standard error with exit code 2, for an agent that knows no other denial.
    pub refusal: Option<String>,
    /// What the agent cannot do with this verdict, for the journal and for `doctor`.
    pub lost: Vec<Lost>,
}

/// How one agent speaks.
pub struct Dialect {
    /// The agent.
    pub agent: AgentId,
    /// Its events.
    pub rows: &'static [Row],
    /// The most text, in UTF-16 units, that reaches the model whole from one answer.
    pub context_limit: usize,
    /// When a payload does not say whose it is, dialects are tried in this order: the most telling signs first.
    pub detection_order: u8,
    /// Further names of events in its payloads.
    pub event_aliases: &'static [(&'static str, EventKind)],
    /// False when the agent sends an event under a name that promises more than happened.
    pub is_event: fn(EventKind, &Map<String, Value>) -> bool,
    /// Makes a payload canonical: tool names, input and output fields.
    pub to_canonical: fn(EventKind, &mut Map<String, Value>),
    /// The inverse, for cases that are written in canonical spelling.
    pub from_canonical: fn(EventKind, &mut Map<String, Value>) -> Result<(), NoSuchTool>,
    /// It can ask its user before a tool call.
    pub can_ask: bool,
    /// Spells a verdict.
    pub encode: fn(&Row, &Event, &Verdict) -> Encoded,
    /// True when a payload or its environment can only come from this agent.
    pub is_host: fn(&Map<String, Value>, crate::decode::Env<'_>) -> bool,
}

impl Dialect {
    /// The row of an event, when the agent has it.
    pub fn row(&self, kind: EventKind) -> Option<&'static Row> {
        self.rows.iter().find(|row| row.kind == kind)
    }

    /// The event that the agent calls `native`. Canonical names are understood in every dialect.
    pub fn kind_of(&self, native: &str) -> EventKind {
        self.rows
            .iter()
            .find(|row| row.native == native)
            .map(|row| row.kind)
            .or_else(|| self.event_aliases.iter().find(|(name, _)| *name == native).map(|(_, kind)| *kind))
            .or_else(|| EventKind::from_name(native))
            .unwrap_or(EventKind::Unknown)
    }

    /// Spells a verdict on an event; an event that the agent does not have is answered with silence.
    pub fn answer(&self, event: &Event, verdict: &Verdict) -> Encoded {
        match self.row(event.kind) {
            Some(row) => (self.encode)(row, event, verdict),
            None => Encoded::default(),
        }
    }
}

/// The parts of an answer object, put together in a fixed order so that the text is stable.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) top: Map<String, Value>,
    pub(crate) specific: Map<String, Value>,
    pub(crate) lost: Vec<Lost>,
}

impl Answer {
    /// A top-level field.
    pub(crate) fn top(&mut self, key: &str, value: impl Into<Value>) {
        self.top.insert(key.to_owned(), value.into());
    }

    /// A field of `hookSpecificOutput`.
    pub(crate) fn specific(&mut self, key: &str, value: impl Into<Value>) {
        self.specific.insert(key.to_owned(), value.into());
    }

    /// The message to the user and `continue: false`, which every agent spells alike.
    pub(crate) fn universal(&mut self, row: &Row, verdict: &Verdict) {
        if let Some(stop) = &verdict.stop {
            if row.halt {
                self.top("continue", false);
                self.top("stopReason", stop.as_str());
            } else {
                self.lost.push(Lost::Stop);
            }
        }
        if let Some(message) = &verdict.message {
            if row.message {
                self.top("systemMessage", message.as_str());
            } else {
                self.lost.push(Lost::Message);
            }
        }
    }

    /// The finished text: one object, or silence.
    pub(crate) fn finish(mut self, event_name: &str) -> Encoded {
        if !self.specific.is_empty() {
            let mut specific = Map::new();
            specific.insert("hookEventName".to_owned(), Value::from(event_name));
            specific.append(&mut self.specific);
            self.top.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
        }
        let stdout = (!self.top.is_empty()).then(|| Value::Object(self.top).to_string());
        Encoded { stdout, refusal: None, lost: self.lost }
    }
}

/// The reason of a verdict; a stop without one would not stop on some agents.
pub(crate) fn reason(verdict: &Verdict) -> &str {
    match verdict.reason.as_deref() {
        Some(reason) if !reason.trim().is_empty() => reason,
        _ => "blocked by a sprag hook that gave no reason",
    }
}
