//! What the builtins declare: name, family, bundle, events, presets, settings. Pure data; the functions are elsewhere.

use crate::setting_choice;
use crate::settings::{Choice as _, Setting};
use serde::{Deserialize, Serialize};
use sprag_protocol::EventKind;

/// Families are folders of builtins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Knowing what runs.
    Session,
    /// What the model is told.
    Context,
    /// What may not happen.
    Guard,
    /// Is it right.
    Verify,
    /// The outline instead of the text.
    Code,
    /// What is kept.
    Memory,
    /// Many agents.
    Team,
}

impl Family {
    /// The folder's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Context => "context",
            Self::Guard => "guard",
            Self::Verify => "verify",
            Self::Code => "code",
            Self::Memory => "memory",
            Self::Team => "team",
        }
    }
}

setting_choice! {
    /// What people switch: the hooks of one purpose.
    pub enum Bundle {
        /// What may not happen.
        Guards = "guards",
        /// Is it right.
        Checks = "checks",
        /// What is kept.
        Memory = "memory",
        /// Mistakes that are not repeated.
        Lessons = "lessons",
        /// The outline instead of the text.
        Code = "code",
        /// Many agents.
        Team = "team",
        /// What the model is told.
        Context = "context",
        /// Reminders and opinions.
        Advice = "advice",
    }
}

/// What a person wants to know before they switch a bundle on.
pub struct BundleFacts {
    /// What it does.
    pub about: &'static str,
    /// What it keeps, and where.
    pub stores: &'static str,
    /// Milliseconds that it adds to a usual tool call (before and after it together).
    pub ms_per_call: f64,
    /// Tokens that it puts before the model in a usual session.
    pub tokens_per_session: u32,
}

impl Bundle {
    /// All of them, in the order in which people read them.
    pub const ALL: [Self; 8] = [
        Self::Guards,
        Self::Checks,
        Self::Memory,
        Self::Lessons,
        Self::Code,
        Self::Context,
        Self::Team,
        Self::Advice,
    ];

    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        self.word()
    }

    /// The bundle with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::from_word(name)
    }

    /// What it does, costs and stores. The costs are typical for a session of 30 calls in which there is something to recall.
    pub const fn facts(self) -> BundleFacts {
        let (about, stores, ms_per_call, tokens_per_session) = match self {
            Self::Guards => (
                "stops commands that destroy or leak, secrets, prompt injections and loops",
                "counters of the session",
                0.2,
                0,
            ),
            Self::Checks => (
                "builds, types, imports and lints after edits; holds a turn that ends with new errors",
                "results of the last run",
                0.3,
                0,
            ),
            Self::Memory => (
                "exports sessions, hands off to the next one, recalls what was learned",
                "sessions, handoffs, memories",
                0.1,
                300,
            ),
            Self::Lessons => (
                "shows a lesson beside the call that it is about; #lesson keeps one",
                "lessons, what was shown",
                0.1,
                250,
            ),
            Self::Code => (
                "answers large reads with an outline, searches with definition and callers",
                "symbol index",
                0.1,
                0,
            ),
            Self::Context => (
                "tells the model branch, rules, plan, last session and how full its context is",
                "facts of the session, backup before a compaction",
                0.1,
                100,
            ),
            Self::Team => (
                "several agents on one project: claims, messages, roles",
                "claims, tasks, agents (database)",
                0.2,
                0,
            ),
            Self::Advice => {
                ("reminders and opinions: premortem, naming, docs, plans, saving tokens", "nothing", 0.1, 100)
            }
        };
        BundleFacts { about, stores, ms_per_call, tokens_per_session }
    }
}

/// A set of bundles, from the fewest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preset {
    /// Only what protects.
    Minimal,
    /// What most people want.
    #[default]
    Standard,
    /// Guards that also get in the way.
    Strict,
    /// For many agents at work together.
    Swarm,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Minimal, Self::Standard, Self::Strict, Self::Swarm];
    /// Their names.
    pub const NAMES: [&str; 4] = ["minimal", "standard", "strict", "swarm"];

    /// The name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Standard => "standard",
            Self::Strict => "strict",
            Self::Swarm => "swarm",
        }
    }

    /// The preset with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The bundles that are on. Of another bundle a preset has at most single hooks that are marked for it.
    pub const fn bundles(self) -> &'static [Bundle] {
        use Bundle::{Checks, Code, Context, Guards, Lessons, Memory, Team};
        match self {
            Self::Minimal => &[Guards, Context],
            Self::Standard | Self::Strict => &[Guards, Checks, Memory, Lessons, Code, Context],
            Self::Swarm => &[Guards, Checks, Memory, Lessons, Code, Context, Team],
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl std::fmt::Display for Preset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The presets that turn a builtin on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presets(u8);

impl Presets {
    /// Every preset.
    pub const ALL: Self = Self::of(&Preset::ALL);
    /// No preset: the hook is on where the configuration names it.
    pub const NONE: Self = Self::of(&[]);

    /// These presets.
    pub const fn of(presets: &[Preset]) -> Self {
        let mut bits = 0;
        let mut rest = presets;
        while let [first, others @ ..] = rest {
            bits |= first.bit();
            rest = others;
        }
        Self(bits)
    }

    /// True when the preset has the hook on.
    pub const fn has(self, preset: Preset) -> bool {
        self.0 & preset.bit() != 0
    }

    /// The presets in order.
    pub fn iter(self) -> impl Iterator<Item = Preset> {
        Preset::ALL.into_iter().filter(move |preset| self.has(*preset))
    }
}

/// An event that a builtin sees, with its matcher there (`""` = every occurrence).
#[derive(Clone, Copy, Debug)]
pub struct Sees {
    /// The event.
    pub kind: EventKind,
    /// The matcher, in Claude Code's grammar.
    pub matcher: &'static str,
}

/// What a builtin hook declares of itself. What it does is in the runtime's `HookSpec`.
#[derive(Debug)]
pub struct HookSpec {
    /// Its name, as in configuration and journal.
    pub name: &'static str,
    /// Its folder.
    pub family: Family,
    /// What switches it.
    pub bundle: Bundle,
    /// One line.
    pub summary: &'static str,
    /// The events it sees.
    pub sees: &'static [Sees],
    /// The presets that turn it on; for advice, which no preset has, only that it is in the bundle.
    pub presets: Presets,
    /// Its own settings.
    pub settings: &'static [Setting],
    /// The longest it may take, for the deadline that deploy registers.
    pub timeout_ms: u32,
}

impl HookSpec {
    /// True when the preset has the hook on.
    pub fn is_in(&self, preset: Preset) -> bool {
        self.presets.has(preset) && self.bundle != Bundle::Advice
    }

    /// True when switching its bundle on switches it on; the others are switched on by name.
    pub fn comes_with_bundle(&self) -> bool {
        self.presets.has(Preset::Standard)
    }
}
