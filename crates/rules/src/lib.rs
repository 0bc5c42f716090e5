//! What is stopped, why, and what to do instead.
//!
//! [`judge`] compares what a command would do ([`sprag_shell::analyse`]) with the rules; [`sensitive_reads`] lists the
//! secrets that it would read; [`explain`] shows all of it. Rules are static data and functions over an [`Analysis`]: no
//! regular expression, nothing is built at start, the same input gives the same answer on every machine, at every load.
#![expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "names are compared as written or lower-cased before; a path is text here"
)]

mod address;
mod commands;
mod development;
mod effects;
mod explain;
mod judge;
mod more_ops;
mod of_project;
mod ops;
mod own;
mod packages;
mod persist;
mod possible;
pub mod protect;
mod remote;
mod sensitive;
mod services;

pub use address::{AUTO_RUN, SECRET_IN_TOOL, SECRET_IN_URL, TOOL_DESTROYS, leaves_machine};
pub use commands::is_local_cluster;
pub use explain::{Explanation, explain};
pub use judge::{Allow, AllowEntry, GuardConfig, Judgement, judge};
pub use own::{made, may_be_own, may_have_been_there, may_make};
pub use persist::{is_workflow, persistent_path};
pub use sensitive::{ENV_FILE_LOST, ENVIRONMENT_SHOWN, SensitiveRead, sensitive_reads};

use std::fmt;

use sprag_shell::{Analysis, Context, sensitive_path};

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
    "remote-execution", "exfiltration", "secrets", "persistence", "version-control", "fleet", "process",
    "self-protection", "limits",
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

/// Every rule that applies to the analysis, with what may be a command of it.
fn hits(analysis: &Analysis, ctx: &Context) -> Vec<Hit> {
    let mut out = certain_hits(analysis, ctx);
    if !out.iter().any(|hit| hit.rule.verdict >= Verdict::Ask) {
        possible::check(analysis, ctx, &mut out);
    }
    out
}

/// Every rule that applies to what is known to run.
fn certain_hits(analysis: &Analysis, ctx: &Context) -> Vec<Hit> {
    let mut out = Vec::new();
    // First: among equals it decides, and no approval lifts it.
    protect::check(analysis, ctx, &mut out);
    for effect in &analysis.effects {
        effects::check(analysis, effect, ctx, &mut out);
        persist::check_effect(analysis, effect, ctx, &mut out);
    }
    for (i, cmd) in analysis.commands.iter().enumerate() {
        if !cmd.inert || cmd.wrapper {
            commands::check(i, cmd, &mut out);
        }
    }
    services::runs_fetched(analysis, &mut out);
    for note in &analysis.notes {
        effects::check_note(*note, &mut out);
    }
    out.retain(|hit| !remote::is_administration(hit, analysis) && !development::is_local(hit, analysis));
    out
}

/// Every rule there is, for listings.
pub fn all_rules() -> impl Iterator<Item = &'static Rule> {
    effects::RULES
        .iter()
        .chain(persist::RULES)
        .chain(packages::RULES)
        .chain(possible::RULES)
        .chain(services::RULES)
        .copied()
        .chain(commands::rules())
        .chain(protect::RULES.iter().copied())
        .chain(address::RULES.iter().copied())
        .chain(sensitive::RULES.iter().copied())
}

/// One input of a fuzzer: analysed, judged and explained; must neither panic nor hang.
pub fn fuzz_one(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let ctx = Context {
        cwd: "/home/dev/project".into(),
        home: "/home/dev".into(),
        project_root: "/home/dev/project".into(),
    };
    let explained = explain(&text, &ctx, &GuardConfig::default());
    let _ = explained.to_string();
    let _ = sensitive_path(&text, &ctx);
}
