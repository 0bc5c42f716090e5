//! The secrets that a command would read.

use sprag_sensitive::SensitiveKind;
use sprag_shell::{Analysis, EffectKind, PathRef};

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
