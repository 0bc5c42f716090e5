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

/// The presets that turn a builtin on: minimal, standard, strict, swarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presets(pub &'static str);

impl Presets {
    /// True when the preset (by its name) has the hook on. The letters are those of the specification.
    pub fn has(self, preset: &str) -> bool {
        let letter = match preset {
            "minimal" => 'm',
            "standard" => 's',
            "strict" => 'x',
            "swarm" => 'w',
            _ => return false,
        };
        self.0.contains(letter)
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
