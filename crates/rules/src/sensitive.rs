//! The secrets that a command would read.

use crate::{Rule, Verdict};
use sprag_sensitive::SensitiveKind;
use sprag_shell::{Analysis, EffectKind, PathRef};

/// An environment file that is there, and is deleted or written over: whoever can look at the disk decides that it applies.
pub static ENV_FILE_LOST: Rule = Rule {
    id: "filesystem:env-file",
    verdict: Verdict::Ask,
    reason: "This deletes or replaces an environment file, which no repository has: its values are lost.",
    safer: "Add the lines that are missing, or move the file aside first (`mv .env .env.old`).",
};

/// The whole environment with a token in it: whoever knows the environment decides that it applies.
pub static ENVIRONMENT_SHOWN: Rule = Rule {
    id: "secrets:environment",
    verdict: Verdict::Ask,
    reason: "This shows the whole environment, and a token is in it.",
    safer: "Show the names alone (`env | cut -d= -f1`), or the one variable that you need.",
};

/// All rules of this file.
pub(crate) static RULES: &[&Rule] = &[&ENV_FILE_LOST, &ENVIRONMENT_SHOWN];

/// A sensitive path that a command reads, sends or stages.
#[derive(Debug, Clone)]
pub struct SensitiveRead {
    /// The command, as an index into [`Analysis::commands`].
    pub cmd: usize,
    /// The path.
    pub path: PathRef,
    /// What it holds.
    pub kind: SensitiveKind,
    /// Only put under version control, not shown: for a person to decide.
    pub staged: bool,
}

/// The sensitive paths whose content a command would show, copy or send. Creating, deleting and `chmod` are not
/// among them.
pub fn sensitive_reads(analysis: &Analysis) -> Vec<SensitiveRead> {
    let mut out = Vec::new();
    for e in &analysis.effects {
        let (path, staged) = match &e.kind {
            EffectKind::Read(p) => (p, false),
            EffectKind::Stage(p) => (p, true),
            _ => continue,
        };
        if let Some(kind) = path.sensitive() {
            out.push(SensitiveRead { cmd: e.cmd, path: path.clone(), kind, staged });
        }
    }
    out
}
