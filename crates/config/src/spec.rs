//! What the builtins declare: name, family, events, presets, settings. Pure data; the functions are elsewhere.

use crate::settings::Setting;
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

/// A named choice of hooks, from the fewest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// One line.
    pub summary: &'static str,
    /// The events it sees.
    pub sees: &'static [Sees],
    /// The presets that turn it on.
    pub presets: Presets,
    /// Its own settings.
    pub settings: &'static [Setting],
    /// The longest it may take, for the deadline that deploy registers.
    pub timeout_ms: u32,
}
