//! When a session that wants to end is held, and when it is let go: the same report never twice, at most three times in
//! a row, and progress restarts the count. One count for all hooks that hold.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What the breaker remembers of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaker {
    /// How many ends each hook has seen. The hooks of one event share a round.
    #[serde(default)]
    rounds: BTreeMap<String, u64>,
    /// Times that the session was held since the last restart.
    #[serde(default)]
    held: u32,
    /// The last round in which it was held.
    #[serde(default)]
    held_in: u64,
    /// The user has spoken since the last end. Unknown where nobody tells of it.
    #[serde(default)]
    spoken: Option<bool>,
    /// What each hook reported last.
    #[serde(default)]
    last: BTreeMap<String, BTreeSet<String>>,
    /// What the user was told was left open, by hook.
    #[serde(default)]
    given_up: BTreeMap<String, BTreeSet<String>>,
}

/// What to do with a session that wants to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing is open.
    Pass,
    /// Hold it: tell the model what is open.
    Hold,
    /// Let it go, and tell the user what is left open.
    Release(ReleaseReason),
    /// Let it go; the user knows already.
    Silent,
}

/// Why a session is let go although something is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseReason {
    /// Nothing changed since it was told.
    SameReport,
    /// It was held as often as it may be.
    TooOften,
}

impl Breaker {
    /// The user has spoken.
    pub fn user_spoke(&mut self) {
        self.spoken = Some(true);
    }

    /// One hook's word about one end of a turn. `problems` are the identities of what is open; `again` is the agent's
    /// own sign that it goes on because a hook held it.
    pub fn judge(&mut self, hook: &str, problems: &BTreeSet<String>, again: bool, most: u32) -> Decision {
        let round = self.enter(hook);
        // A turn of its own restarts the count. The agent's word alone is not enough: one that never says that it goes
        // on would be held for ever.
        if !again && self.spoken.unwrap_or(true) && self.held_in != round {
            self.held = 0;
        }
        self.spoken = self.spoken.map(|_| false);
        if problems.is_empty() {
            self.last.remove(hook);
            self.given_up.remove(hook);
            return Decision::Pass;
        }
        if self.given_up.get(hook) == Some(problems) {
            return Decision::Silent;
        }
        let before = self.last.insert(hook.to_owned(), problems.clone());
        match before {
            Some(before) if before == *problems => {
                return self.release(hook, problems, ReleaseReason::SameReport);
            }
            // Fewer of the same, and nothing else: it gets on.
            Some(before) if problems.is_subset(&before) && self.held_in != round => self.held = 0,
            _ => {}
        }
        if self.held_in == round {
            // Another hook holds this end already; it counts once.
            return Decision::Hold;
        }
        if self.held >= most {
            return self.release(hook, problems, ReleaseReason::TooOften);
        }
        self.held += 1;
        self.held_in = round;
        Decision::Hold
    }

    fn release(&mut self, hook: &str, problems: &BTreeSet<String>, why: ReleaseReason) -> Decision {
        self.given_up.insert(hook.to_owned(), problems.clone());
        Decision::Release(why)
    }

    /// The number of this end. The first hook of an event begins a round, the others join it.
    fn enter(&mut self, hook: &str) -> u64 {
        let latest = self.rounds.values().copied().max().unwrap_or(0);
        let own = self.rounds.get(hook).copied().unwrap_or(0);
        let round = if own < latest { latest } else { latest + 1 };
        self.rounds.insert(hook.to_owned(), round);
        round
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_same_report_is_never_held_for_twice() {
        let mut breaker = Breaker::default();
        assert_eq!(breaker.judge("lint", &set(&["a"]), false, 3), Decision::Hold);
        assert_eq!(
            breaker.judge("lint", &set(&["a"]), true, 3),
            Decision::Release(ReleaseReason::SameReport)
        );
        assert_eq!(
            breaker.judge("lint", &set(&["a"]), false, 3),
            Decision::Silent,
            "nor said twice to the user"
        );
        assert_eq!(breaker.judge("lint", &set(&[]), false, 3), Decision::Pass);
        assert_eq!(breaker.judge("lint", &set(&["a"]), false, 3), Decision::Hold, "it came back");
    }

    #[test]
    fn an_agent_that_cannot_fix_it_is_released_after_the_third_time() {
        let mut breaker = Breaker::default();
        for name in ["a", "b", "c"] {
            assert_eq!(breaker.judge("lint", &set(&[name]), name != "a", 3), Decision::Hold);
        }
        assert_eq!(breaker.judge("lint", &set(&["d"]), true, 3), Decision::Release(ReleaseReason::TooOften));
        assert_eq!(
            breaker.judge("lint", &set(&["e"]), false, 3),
            Decision::Hold,
            "a new turn restarts the count"
        );
    }

    #[test]
    fn an_agent_that_never_says_that_it_goes_on_is_released_too() {
        let mut breaker = Breaker::default();
        breaker.user_spoke();
        for name in ["a", "b", "c"] {
            assert_eq!(breaker.judge("lint", &set(&[name]), false, 3), Decision::Hold);
        }
        assert_eq!(breaker.judge("lint", &set(&["d"]), false, 3), Decision::Release(ReleaseReason::TooOften));
        breaker.user_spoke();
        assert_eq!(
            breaker.judge("lint", &set(&["e"]), true, 3),
            Decision::Release(ReleaseReason::TooOften),
            "its own retry is no new turn"
        );
        breaker.user_spoke();
        assert_eq!(breaker.judge("lint", &set(&["f"]), false, 3), Decision::Hold);
    }

    #[test]
    fn progress_restarts_the_count() {
        let mut breaker = Breaker::default();
        let all = ["a", "b", "c", "d", "e", "f"];
        for left in (1..=all.len()).rev() {
            assert_eq!(
                breaker.judge("lint", &set(&all[..left]), left < all.len(), 3),
                Decision::Hold,
                "{left}"
            );
        }
        assert_eq!(breaker.judge("lint", &set(&[]), true, 3), Decision::Pass);
    }

    #[test]
    fn two_hooks_that_hold_one_end_count_once() {
        let mut breaker = Breaker::default();
        for round in 0..3 {
            let (lint, build) = (set(&[&format!("l{round}")]), set(&[&format!("b{round}")]));
            assert_eq!(breaker.judge("lint", &lint, round > 0, 3), Decision::Hold);
            assert_eq!(breaker.judge("build", &build, round > 0, 3), Decision::Hold, "{round}");
        }
        assert!(matches!(breaker.judge("lint", &set(&["l9"]), true, 3), Decision::Release(_)));
        assert!(matches!(breaker.judge("build", &set(&["b9"]), true, 3), Decision::Release(_)));
    }

    proptest! {
        /// Whatever is reported, a turn ends: more than the limit in a row only while every report is smaller than the last.
        #[test]
        fn every_turn_ends(reports in prop::collection::vec(prop::collection::btree_set("[a-d]", 1..4), 30)) {
            let mut breaker = Breaker::default();
            let mut without_progress = 0;
            let mut before: Option<BTreeSet<String>> = None;
            for (at, report) in reports.iter().enumerate() {
                let decision = breaker.judge("lint", report, at > 0, 3);
                let progress = before.as_ref().is_some_and(|before| report.is_subset(before) && report != before);
                if progress { without_progress = 0; }
                if decision == Decision::Hold { without_progress += 1; } else { return Ok(()); }
                prop_assert!(without_progress <= 3);
                before = Some(report.clone());
            }
        }
    }
}
