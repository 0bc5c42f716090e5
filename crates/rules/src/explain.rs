//! What was found and why, for a person to read.

use std::fmt;

use crate::judge::{GuardConfig, Judgement, judge};
use crate::sensitive::{SensitiveRead, sensitive_reads};
use sprag_shell::{Analysis, Context, Note, analyse};

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
    let analysis = analyse(command, ctx);
    let judgement = judge(&analysis, ctx, config);
    let sensitive = sensitive_reads(&analysis);
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
                Note::Broken => "bash would reject this text; what no shell runs was left out",
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
