//! Replies of several hooks to one verdict: deny > ask > allow > pass, reasons joined. Pure.

use crate::hook::{Grounds, Reply};
use sprag_protocol::{Decision, Verdict};

/// What one hook said of a stop that counts.
#[derive(Clone, Debug)]
pub struct Said {
    /// The hook.
    pub hook: String,
    /// Its reason.
    pub reason: String,
    /// What it rests on.
    pub grounds: Grounds,
}

/// Folds replies in chain order.
#[derive(Debug, Default)]
pub struct Merged {
    /// The verdict so far, without the context.
    pub verdict: Verdict,
    /// Who stops or asks, in chain order: those whose decision is the verdict's.
    pub said: Vec<Said>,
}

impl Merged {
    /// Adds a hook's reply. Notes, environment and jobs are the caller's.
    pub fn add(&mut self, hook: &str, reply: &Reply) {
        self.attribute(hook, reply);
        let verdict = &mut self.verdict;
        let same = verdict.decision == reply.decision || (verdict.decision.stops() && reply.decision.stops());
        if reply.decision == Decision::Pass {
            // A pass leaves the reason alone.
        } else if same {
            verdict.reason = join(verdict.reason.take(), reply.reason.as_deref(), "\n");
        } else if reply.decision > verdict.decision {
            verdict.decision = reply.decision;
            verdict.reason.clone_from(&reply.reason);
        }
        if let Some(rewrite) = &reply.rewrite {
            verdict.rewrite = Some(rewrite.clone());
        }
        if let Some(output) = &reply.output {
            verdict.output = Some(output.clone());
        }
        verdict.message = join(verdict.message.take(), reply.message.as_deref(), "\n");
        if verdict.stop.is_none() {
            verdict.stop.clone_from(&reply.stop);
        }
        for (key, value) in &reply.fields {
            match (verdict.fields.get_mut(key), value) {
                (Some(serde_json::Value::Array(old)), serde_json::Value::Array(new)) => {
                    old.extend(new.iter().cloned());
                }
                _ => {
                    verdict.fields.insert(key.clone(), value.clone());
                }
            }
        }
    }
}

impl Merged {
    fn attribute(&mut self, hook: &str, reply: &Reply) {
        if reply.decision < Decision::Ask || reply.decision < self.verdict.decision.min(Decision::Block) {
            return;
        }
        if reply.decision.stops() && !self.verdict.decision.stops() {
            self.said.clear();
        }
        let reason = reply.reason.clone().unwrap_or_default();
        if self.said.iter().all(|said| said.reason != reason) {
            self.said.push(Said { hook: hook.to_owned(), reason, grounds: reply.grounds.clone() });
        }
    }
}

fn join(old: Option<String>, new: Option<&str>, between: &str) -> Option<String> {
    match (old, new.filter(|text| !text.is_empty())) {
        (Some(old), Some(new)) if old == new => Some(old),
        (Some(old), Some(new)) => Some(format!("{old}{between}{new}")),
        (Some(old), None) => Some(old),
        (None, new) => new.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn merged(replies: &[Reply]) -> Verdict {
        let mut merged = Merged::default();
        replies.iter().for_each(|reply| merged.add("a", reply));
        let said: Vec<&str> = merged.said.iter().map(|said| said.reason.as_str()).collect();
        if merged.verdict.decision >= Decision::Ask {
            // A hook that repeats another's words is not named for it.
            let mut reasons: Vec<&str> = Vec::new();
            let joined = merged.verdict.reason.as_deref().unwrap_or_default();
            joined.lines().for_each(|line| {
                if !reasons.contains(&line) {
                    reasons.push(line);
                }
            });
            assert_eq!(said, reasons);
        }
        merged.verdict
    }

    #[test]
    fn reasons_of_the_same_strength_are_joined_and_weaker_ones_dropped() {
        let verdict = merged(&[Reply::ask("sure?"), Reply::block("one"), Reply::pass(), Reply::block("two")]);
        assert_eq!((verdict.decision, verdict.reason.as_deref()), (Decision::Block, Some("one\ntwo")));
        let verdict = merged(&[Reply::deny("no"), Reply::ask("sure?")]);
        assert_eq!(verdict.reason.as_deref(), Some("no"));
    }

    fn reply() -> impl Strategy<Value = Reply> {
        (0usize..5, "[a-z]{1,4}").prop_map(|(which, reason)| match which {
            0 => Reply::pass(),
            1 => Reply { decision: Decision::Allow, ..Reply::default() },
            2 => Reply::ask(reason),
            3 => Reply::block(reason),
            _ => Reply::deny(reason),
        })
    }

    proptest! {
        /// No reply can make the verdict weaker than another one in the chain.
        #[test]
        fn the_strictest_word_wins_in_any_order(replies in prop::collection::vec(reply(), 0..6)) {
            let strictest = replies.iter().map(|r| r.decision).max().unwrap_or_default();
            let got = merged(&replies).decision;
            prop_assert_eq!(got.stops(), strictest.stops());
            if !strictest.stops() { prop_assert_eq!(got, strictest); }
            let mut turned = replies.clone();
            turned.reverse();
            prop_assert_eq!(merged(&turned).decision.stops(), got.stops());
        }
    }
}
