//! What a hook is: a name, the events it sees, and a function from event and context to reply.
//! A hook never prints, never exits, and never knows which agent called.

use crate::job::Job;
use crate::session::Session;
use serde_json::Value;
use sprag_config::host::Host;
use sprag_config::settings::Settings;
use sprag_project::Project;
use sprag_protocol::{Decision, Event};
use sprag_shell::AnalysisMemo;
use std::time::Duration;

pub use sprag_config::spec::{Bundle, Family, HookSpec, Preset, Presets, Sees};

/// A builtin hook: what it declares, and what it does.
#[derive(Debug)]
pub struct Builtin {
    /// Name, events, presets, settings.
    pub spec: HookSpec,
    /// The behaviour.
    pub run: fn(&Event, &Cx<'_>) -> HookResult,
}

/// What a hook's function gives.
pub type HookResult = Result<Reply, HookError>;

/// Why a hook could not do its work. It is skipped and journaled; the chain goes on.
pub use crate::error::TaskError as HookError;

/// How often a note may be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Once per session and agent, until the conversation is compacted or cleared.
    Once,
    /// Every time: the hook has its own throttle.
    Always,
}

/// A piece of text for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is about; the same key with the same text is said once.
    pub key: String,
    /// Higher comes first and is dropped last.
    pub priority: u8,
    /// The text.
    pub text: String,
    /// How often.
    pub repeat: Repeat,
}

/// Priorities of notes.
pub mod priority {
    /// A warning about what is being done right now.
    pub const WARNING: u8 = 90;
    /// What the session needs to know about where it is.
    pub const FACTS: u8 = 70;
    /// The project's rules.
    pub const RULES: u8 = 60;
    /// A user's own hook.
    pub const OWN: u8 = 50;
    /// A reminder.
    pub const REMINDER: u8 = 30;
}

/// What a stop rests on, as data. The words are put together in [`crate::message`], after the merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grounds {
    /// The rule that decided; without one the hook's name stands for it.
    pub rule: Option<String>,
    /// What to do instead, for the model.
    pub instead: Option<String>,
    /// The part of the call that the rule is about: a path, a command, a type.
    pub matched: Option<String>,
    /// What would be lost.
    pub loss: Option<String>,
    /// No approval lifts it: the guards guard themselves.
    pub firm: bool,
    /// The reason is an answer to the call and no refusal.
    pub answers: bool,
}

/// What a hook says.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The decision.
    pub decision: Decision,
    /// Why: one or two sentences, without sprag's name, the rule or what to do instead.
    pub reason: Option<String>,
    /// What a stop rests on.
    pub grounds: Grounds,
    /// Text for the model.
    pub notes: Vec<Note>,
    /// The tool input to use instead, whole.
    pub rewrite: Option<Value>,
    /// The tool output to show instead.
    pub output: Option<Value>,
    /// A message for the user.
    pub message: Option<String>,
    /// The whole agent shall stop.
    pub stop: Option<String>,
    /// Environment variables for the agent's shell.
    pub env: Vec<(String, String)>,
    /// Work for the background.
    pub jobs: Vec<Job>,
    /// Further fields of the event's own.
    pub fields: serde_json::Map<String, Value>,
    /// Tokens that the model is spared; below zero when what was counted as spared is spent after all.
    pub saved: i64,
    /// A part of the line that the user sees when a session starts: `3 lessons to review`.
    pub status: Option<String>,
}

impl Reply {
    /// Pass: others decide.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The action must not happen.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Deny, reason: Some(reason.into()), ..Self::default() }
    }

    /// The event must not take its course.
    pub fn block(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Block, reason: Some(reason.into()), ..Self::default() }
    }

    /// The user shall decide.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Ask, reason: Some(reason.into()), ..Self::default() }
    }

    /// The call is answered instead of made.
    pub fn answer(text: impl Into<String>) -> Self {
        let grounds = Grounds { answers: true, ..Grounds::default() };
        Self { grounds, ..Self::deny(text) }
    }

    /// The same, by this rule.
    #[must_use]
    pub fn rule(mut self, rule: impl Into<String>) -> Self {
        self.grounds.rule = Some(rule.into());
        self
    }

    /// The same, with what to do instead.
    #[must_use]
    pub fn instead(mut self, instead: impl Into<String>) -> Self {
        self.grounds.instead = Some(instead.into()).filter(|text| !text.is_empty());
        self
    }

    /// The same, about this part of the call.
    #[must_use]
    pub fn about(mut self, matched: impl Into<String>) -> Self {
        self.grounds.matched = Some(matched.into());
        self
    }

    /// One note.
    pub fn note(key: impl Into<String>, priority: u8, text: impl Into<String>) -> Self {
        Self::pass().with_note(key, priority, text)
    }

    /// A warning beside what happens; said every time.
    pub fn warn(key: impl Into<String>, text: impl Into<String>) -> Self {
        let note =
            Note { key: key.into(), priority: priority::WARNING, text: text.into(), repeat: Repeat::Always };
        Self { notes: vec![note], ..Self::default() }
    }

    /// The same with one more note.
    #[must_use]
    pub fn with_note(mut self, key: impl Into<String>, priority: u8, text: impl Into<String>) -> Self {
        self.notes.push(Note { key: key.into(), priority, text: text.into(), repeat: Repeat::Once });
        self
    }

    /// The same with a message for the user.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// The same with work for the background.
    #[must_use]
    pub fn with_job(mut self, job: Job) -> Self {
        self.jobs.push(job);
        self
    }
}

/// What a hook may use.
pub struct Cx<'a> {
    /// The name that the hook runs under: the builtin's, or that of an own hook which is the builtin by another name.
    pub name: &'a str,
    /// Paths, clock, environment.
    pub host: &'a Host,
    /// The session's own state.
    pub session: &'a Session,
    /// The project that the event is about.
    pub project: &'a Project,
    /// What the configuration says about the hook: `cx.settings.read()` is its settings struct.
    pub settings: &'a Settings,
    /// The preset: for a default that differs between them. What the user sets counts first.
    pub preset: Preset,
    /// The longest that it may take now. Only what waits for somebody else needs to look.
    pub time: Duration,
    /// True when the guards run once more on a rewritten input: look, do not count again.
    pub recheck: bool,
    /// The analysis of the event's shell command, shared by the hooks of the chain.
    pub shell: &'a AnalysisMemo,
}
