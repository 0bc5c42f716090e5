//! The judgement: which hits count under a configuration, and what follows.

use crate::{Hit, Rule, Verdict};
use sprag_shell::{Analysis, Context, HOLE};

/// What a user has switched off or allowed. Comes from trusted configuration only.
#[derive(Debug, Clone, Default)]
pub struct GuardConfig {
    /// Packs that are off.
    pub disabled_packs: Vec<String>,
    /// Rules that are off.
    pub disabled_rules: Vec<String>,
    /// Exceptions.
    pub allow: Vec<AllowEntry>,
    /// What the session made, as [`crate::made`] names it: it may be taken away again.
    pub made: Vec<String>,
    /// A session is at work in the project: what belongs to the project's own development, or comes back by itself, may be
    /// lost. A command alone, and the preset strict, do not have it.
    pub tolerant: bool,
    /// The time, in seconds since 1970, that expiries are compared with.
    pub now: i64,
}

/// An exception, with why and until when.
#[derive(Debug, Clone)]
pub struct AllowEntry {
    /// What is allowed.
    pub what: Allow,
    /// Why.
    pub reason: String,
    /// Seconds since 1970 after which it no longer counts.
    pub expires: Option<i64>,
}

/// What an exception covers.
#[derive(Debug, Clone)]
pub enum Allow {
    /// This line, exactly.
    Exact(String),
    /// Commands that start with these words.
    Prefix(Vec<String>),
    /// Whatever this rule stops.
    Rule(String),
}

/// What was decided and why.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The decision.
    pub verdict: Verdict,
    /// The id of the rule that decided.
    pub rule: Option<&'static str>,
    /// What and why, in one sentence.
    pub reason: String,
    /// The safer way, in one sentence.
    pub safer: &'static str,
    /// Everything that applied, the deciding one first.
    pub all_hits: Vec<Hit>,
}

impl Judgement {
    /// Whether the command must not simply run.
    pub fn stops(&self) -> bool {
        self.verdict >= Verdict::Ask
    }
}

/// Judge an analysis.
pub fn judge(analysis: &Analysis, ctx: &Context, config: &GuardConfig) -> Judgement {
    let mut hits = crate::hits(analysis, ctx);
    hits.retain(|h| counts(h, analysis, config) && !crate::own::is_own(h, analysis, ctx, &config.made));
    if config.tolerant {
        hits.retain(|h| !crate::of_project::is_of_project(h, analysis, ctx));
    }
    // Highest verdict first; among equals the first found.
    hits.sort_by_key(|h| std::cmp::Reverse(h.rule.verdict));
    match hits.first() {
        None => Judgement {
            verdict: Verdict::Allow,
            rule: None,
            reason: String::new(),
            safer: "",
            all_hits: hits,
        },
        Some(first) => {
            let rule: &'static Rule = first.rule;
            let reason = if first.what.is_empty() {
                rule.reason.to_owned()
            } else {
                format!("{} ({})", rule.reason, first.what.replace(HOLE, "‹?›"))
            };
            Judgement {
                verdict: rule.verdict,
                rule: Some(rule.id),
                reason,
                safer: rule.safer,
                all_hits: hits,
            }
        }
    }
}

impl GuardConfig {
    /// Whether a rule applies at all: it, its pack or an exception may switch it off.
    pub fn has(&self, rule: &Rule) -> bool {
        let hit = |allow: &AllowEntry| matches!(&allow.what, Allow::Rule(id) if id == rule.id);
        let off = self.disabled_packs.iter().any(|pack| pack == rule.pack())
            || self.disabled_rules.iter().any(|id| id == rule.id)
            || self.allow.iter().filter(|a| a.expires.is_none_or(|e| self.now < e)).any(hit);
        rule.pack() == "self-protection" || !off
    }
}

fn counts(hit: &Hit, analysis: &Analysis, config: &GuardConfig) -> bool {
    let pack = hit.rule.pack();
    // The guards guard themselves whatever the configuration says.
    if pack == "self-protection" {
        return true;
    }
    if config.disabled_packs.iter().any(|p| p == pack)
        || config.disabled_rules.iter().any(|r| r == hit.rule.id)
    {
        return false;
    }
    let live = config.allow.iter().filter(|a| a.expires.is_none_or(|e| config.now < e));
    for entry in live {
        let covered = match &entry.what {
            Allow::Rule(id) => id == hit.rule.id,
            Allow::Exact(line) => line.trim() == analysis.line,
            Allow::Prefix(words) => analysis.commands.get(hit.cmd).is_some_and(|c| {
                let mut given =
                    std::iter::once(c.name.as_str()).chain(c.args.iter().map(|a| a.text.as_str()));
                !words.is_empty() && words.iter().all(|w| given.next() == Some(w.as_str()))
            }),
        };
        if covered {
            return false;
        }
    }
    true
}
