//! What was found and why, for a person to read.

use std::fmt;

use crate::judge::{GuardConfig, Judgement, judge};
use crate::model::{Analysis, Context, EffectKind, Note};
use crate::sensitive::{SensitiveRead, sensitive_reads};

/// The whole way from a line to its verdict.
#[derive(Debug)]
pub struct Explanation {
    /// Commands and effects.
    pub analysis: Analysis,
    /// The verdict of the rules.
    pub judgement: Judgement,
    /// Sensitive paths that would be read.
    pub sensitive: Vec<SensitiveRead>,
}

/// Explain a command line.
pub fn explain(command: &str, ctx: &Context, config: &GuardConfig) -> Explanation {
    let analysis = crate::analyse(command, ctx);
    let judgement = judge(&analysis, ctx, config);
    let sensitive = sensitive_reads(&analysis, ctx);
    Explanation { analysis, judgement, sensitive }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "commands")?;
        for (i, c) in self.analysis.commands.iter().enumerate().filter(|(_, c)| !c.name.is_empty()) {
            write!(f, "  {:>2}  {}", i + 1, cut(&c.to_string()))?;
            if !c.reached.is_empty() {
                write!(f, "   [{}]", c.reached.join(" › "))?;
            }
            if c.inert {
                write!(f, "   (no effect of its own)")?;
            }
            writeln!(f)?;
        }
        writeln!(f, "effects")?;
        for e in &self.analysis.effects {
            writeln!(f, "  {:>2}  {}", e.cmd + 1, cut(&e.kind.to_string()))?;
        }
        for n in &self.analysis.notes {
            let text = match n {
                Note::Broken => "bash would reject this text; it was read piece by piece",
                Note::TooMuch => "over the limits; not everything was read",
            };
            writeln!(f, "note: {text}")?;
        }
        if !self.judgement.all_hits.is_empty() {
            writeln!(f, "rules")?;
        }
        for h in &self.judgement.all_hits {
            writeln!(f, "  {:>2}  {} {}: {}", h.cmd + 1, h.rule.verdict, h.rule.id, h.rule.reason)?;
        }
        for s in &self.sensitive {
            writeln!(
                f,
                "  {:>2}  sensitive {}: {} ({})",
                s.cmd + 1,
                s.kind.id,
                s.path.expanded,
                s.kind.reason
            )?;
        }
        write!(f, "verdict: {}", self.judgement.verdict)?;
        if let Some(rule) = self.judgement.rule {
            write!(f, " by {rule}\n  {}\n  {}", self.judgement.reason, self.judgement.safer)?;
        }
        writeln!(f)
    }
}

fn cut(text: &str) -> String {
    let line = text.replace('\n', "⏎");
    if line.chars().count() <= 160 { line } else { line.chars().take(157).chain("...".chars()).collect() }
}

impl fmt::Display for EffectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EffectKind::Read(p) => write!(f, "reads {} ({:?})", p.full, p.place),
            EffectKind::Use(p) => write!(f, "uses the variables of {} ({:?})", p.full, p.place),
            EffectKind::List(p) => write!(f, "lists {} ({:?})", p.full, p.place),
            EffectKind::Write(p, how) => write!(f, "writes {} ({how:?}, {:?})", p.full, p.place),
            EffectKind::Delete { path, recursive, .. } => {
                write!(
                    f,
                    "deletes {}{} ({:?})",
                    path.full,
                    if *recursive { " and all below" } else { "" },
                    path.place
                )
            }
            EffectKind::DeleteFromInput { .. } => write!(f, "deletes what its input names"),
            EffectKind::Move { from, to } => write!(f, "moves {} to {}", from.full, to.full),
            EffectKind::Mode { path, recursive, how, spec } => {
                write!(
                    f,
                    "changes {how:?} of {} to {spec}{}",
                    path.full,
                    if *recursive { " and all below" } else { "" }
                )
            }
            EffectKind::Send { what, to, secret, .. } => {
                write!(f, "sends {what} to {to}{}", if *secret { " (a secret)" } else { "" })
            }
            EffectKind::Fetch { from } => write!(f, "fetches {from}"),
            EffectKind::Code { from, by } => write!(f, "{by} runs code ({from:?})"),
            EffectKind::Stage(p) => write!(f, "stages {}", p.full),
            EffectKind::Git { op, what, .. } => write!(f, "git {op:?}: {what}"),
            EffectKind::Checkout { change, at } => write!(f, "git state of {at}: {change:?}"),
            EffectKind::Database { statement, text } => write!(f, "database {statement:?}: {text}"),
            EffectKind::ForkBomb => write!(f, "starts processes without end"),
            EffectKind::DynamicShell => write!(f, "runs its input as shell code"),
        }
    }
}
