//! What runs on an event: the chain as data, ready to be stored in the compiled cache.

use crate::schema::ExternalHookSettings;
use crate::settings::{Choice, Settings};
use crate::spec::Preset;
use crate::trial::Trial;
use serde::{Deserialize, Serialize};
use sprag_pattern::Matcher;
use sprag_protocol::{AgentId, EventKind};
use std::time::Duration;

/// Whether a hook's word counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// It counts.
    #[default]
    Enforce,
    /// It is journaled and changes nothing.
    Shadow,
    /// The hook does not run.
    Off,
}

impl Mode {
    /// The word in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Shadow => "shadow",
            Self::Off => "off",
        }
    }
}

impl Choice for Mode {
    const DEFAULT: Self = Self::Enforce;
    const WORDS: &'static [&'static str] = &["enforce", "shadow", "off"];

    fn from_word(word: &str) -> Option<Self> {
        [Self::Enforce, Self::Shadow, Self::Off].into_iter().find(|mode| mode.name() == word)
    }

    fn word(self) -> &'static str {
        self.name()
    }
}

/// What happens when a hook fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnError {
    /// It is skipped.
    #[default]
    Open,
    /// It is a gate: its failure denies.
    Closed,
}

impl Choice for OnError {
    const DEFAULT: Self = Self::Open;
    const WORDS: &'static [&'static str] = &["open", "closed"];

    fn from_word(word: &str) -> Option<Self> {
        [Self::Open, Self::Closed].into_iter().find(|on_error| on_error.word() == word)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// How a hook is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Runner {
    /// The builtin with the hook's name.
    Builtin,
    /// Another builtin under the hook's own name, with its own settings.
    As {
        /// The builtin.
        builtin: String,
    },
    /// A program.
    External {
        /// The program and its arguments.
        argv: Vec<String>,
        /// Variables for it.
        env: Vec<(String, String)>,
        /// In the background queue.
        background: bool,
    },
}

/// One hook of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedHook {
    /// Its name.
    pub name: String,
    /// How it is run.
    pub runner: Runner,
    /// Which occurrences of the event it sees.
    pub matcher: Matcher,
    /// Whether its word counts.
    pub mode: Mode,
    /// What its failure means.
    pub on_error: OnError,
    /// The longest it may take.
    pub timeout_ms: u32,
    /// Its settings.
    pub settings: Settings,
    /// A managed policy requires it: a variable does not switch it off.
    pub required: bool,
    /// The calls that it does not stop.
    pub except: Vec<String>,
}

impl PlannedHook {
    /// True when it runs for this agent: an own hook may name those that it is for.
    pub fn is_for(&self, agent: AgentId) -> bool {
        let Runner::External { .. } = self.runner else { return true };
        let agents = self.settings.read::<ExternalHookSettings<'_>>().agents;
        agents.is_empty() || agents.iter().any(|name| name == agent.name())
    }
}

/// The chain of one event, and what applies to its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventPlan {
    /// The hooks, in order.
    pub hooks: Vec<PlannedHook>,
    /// The preset, where a hook's default depends on it.
    pub preset: Preset,
    /// The most characters that the answer adds.
    pub budget_chars: u32,
    /// `ask` passes when the agent cannot prompt.
    pub ask_passes: bool,
    /// How long a question waits for an answer from elsewhere; 0: not at all.
    pub approvals_wait_s: u32,
    /// A question that nobody answered is the agent's.
    pub unanswered_asks: bool,
    /// What a person is told elsewhere: a set of `NoticeKind::bit`s; 0: nothing.
    pub notify: u8,
    /// Seconds that events are collected for telemetry; 0: there is none.
    pub telemetry_s: u32,
    /// The trial that goes on or is over.
    pub trial: Option<Trial>,
    /// Rotation of the journal.
    pub journal_max_bytes: u64,
    /// Rotated journals to keep.
    pub journal_keep: u32,
    /// How many hooks are on, of all events.
    pub hooks_on: u32,
    /// How many bundles are on.
    pub bundles_on: u32,
    /// There are guards, and none of them can stop anything.
    pub guards_off: bool,
    /// The configuration that it was made from has errors.
    pub faulty: bool,
    /// The user sees a line when a session starts.
    pub start_line: bool,
}

/// The longest that a chain may take.
pub const LONGEST_CHAIN: Duration = Duration::from_secs(60);
/// The agents end a session's hooks after a second or two.
const SESSION_END: Duration = Duration::from_secs(1);
/// Even a chain of builtins alone gets this much, for a loaded machine.
const LEAST: Duration = Duration::from_secs(5);

/// The deadline of an event's chain: the sum of its timeouts within bounds.
pub fn deadline(kind: EventKind, hooks: &[PlannedHook]) -> Duration {
    if kind == EventKind::SessionEnd {
        return SESSION_END;
    }
    let sum: u64 = hooks
        .iter()
        .filter(|hook| !matches!(hook.runner, Runner::External { background: true, .. }))
        .map(|hook| u64::from(hook.timeout_ms))
        .sum();
    Duration::from_millis(sum).clamp(LEAST, LONGEST_CHAIN)
}

/// What deploy registers: the deadline and a margin in which sprag still answers.
pub fn registered_timeout(kind: EventKind, hooks: &[PlannedHook]) -> Duration {
    let margin = if kind == EventKind::SessionEnd { 2 } else { 5 };
    deadline(kind, hooks) + Duration::from_secs(margin)
}
