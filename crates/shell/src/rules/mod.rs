//! The rules: what is stopped, why, and what to do instead. Static data and functions over an [`Analysis`].

mod commands;
mod effects;
mod ops;
pub mod protect;

use std::fmt;

use crate::model::{Analysis, Context};

/// What is decided about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verdict {
    /// Nothing to say.
    #[default]
    Allow,
    /// It runs; the agent is told.
    Warn,
    /// A person decides.
    Ask,
    /// It does not run.
    Deny,
}

impl Verdict {
    /// The word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Warn => "warn",
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A rule. Its id starts with its pack: `filesystem:rm-recursive-outside`.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The id.
    pub id: &'static str,
    /// What happens when it applies.
    pub verdict: Verdict,
    /// One sentence: what and why.
    pub reason: &'static str,
    /// One sentence: the safer way.
    pub safer: &'static str,
}

impl Rule {
    /// The pack it belongs to.
    pub fn pack(&self) -> &'static str {
        self.id.split(':').next().unwrap_or(self.id)
    }
}

/// The packs that can be switched off by name. `self-protection` is always on.
pub static PACKS: &[&str] = &[
    "filesystem", "git", "database", "containers", "kubernetes", "cloud", "iac", "packages", "system",
    "remote-execution", "exfiltration", "process", "self-protection", "limits",
];

/// A rule that applies, and to what.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The rule.
    pub rule: &'static Rule,
    /// Index into [`Analysis::commands`].
    pub cmd: usize,
    /// The path, ref, statement or word it is about.
    pub what: String,
}

/// Every rule that applies to the analysis.
pub(crate) fn hits(analysis: &Analysis, ctx: &Context) -> Vec<Hit> {
    let mut out = Vec::new();
    for effect in &analysis.effects {
        effects::check(analysis, effect, ctx, &mut out);
        protect::check_effect(effect, ctx, &mut out);
    }
    for (i, cmd) in analysis.commands.iter().enumerate() {
        protect::check_command(i, cmd, &mut out);
        if !cmd.inert {
            commands::check(i, cmd, &mut out);
        }
    }
    protect::check_kill(analysis, ctx, &mut out);
    for note in &analysis.notes {
        effects::check_note(*note, &mut out);
    }
    out
}

/// Every rule there is, for listings.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    effects::RULES.iter().copied().chain(commands::rules()).chain(protect::RULES.iter().copied())
}
