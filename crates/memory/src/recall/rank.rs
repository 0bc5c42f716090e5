//! From two rankings to one, and the decision whether a memory is worth showing. Pure; the numbers were found on one half
//! of the evaluation set and hold on the other (`cargo run -p sprag-memory --example recall_quality`).

use sprag_store::Memory;

/// What is known of a memory that may be an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signals {
    /// Its place in the ranking by words, from 0.
    pub by_words: Option<usize>,
    /// Its place in the ranking by meaning, from 0.
    pub by_meaning: Option<usize>,
    /// How near its meaning is.
    pub cosine: f32,
    /// The part of the question's words that it has.
    pub share: f32,
}

/// What the decision weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// What a full share of the words adds to the cosine.
    pub share: f32,
    /// From this sum on, it is worth showing, among [`TUNED_ON`] memories.
    pub threshold: f32,
}

impl Weights {
    /// As tuned.
    pub const TUNED: Self = Self { share: 0.2, threshold: 0.35 };
}

/// How many memories the threshold was found on.
pub const TUNED_ON: u64 = 90;
/// How far behind the best one another may be and still be shown unasked.
pub const NEAR_BEST: f32 = 0.05;
/// The mean of cosines between strangers and how much they spread, for the model that the threshold was found with.
const STRANGERS: (f32, f32) = (0.05, 0.09);

impl Weights {
    /// The threshold among so many memories. The nearest of many strangers is nearer than the nearest of a few: the
    /// largest of N draws grows with the root of ln N, here by the deviation of cosines between strangers.
    pub fn threshold_among(&self, memories: u64) -> f32 {
        let spread = |count: u64| (2.0 * (count.max(10) as f32).ln()).sqrt();
        (self.threshold + STRANGERS.1 * (spread(memories) - spread(TUNED_ON))).min(0.55)
    }
}

/// How likely it is that a memory answers: comparable between questions. Agreement of the two rankings was tried and
/// adds nothing on the evaluation set.
pub fn evidence(signals: &Signals, weights: &Weights) -> f32 {
    signals.cosine + weights.share * signals.share * signals.share
}

/// How far a memory is above what makes it worth showing unasked: above the threshold, and not far behind the best. A
/// second one that is clearly weaker is mostly a wrong one.
pub fn margin(evidence: f32, best: f32, threshold: f32) -> f32 {
    (evidence - threshold).min(evidence - (best - NEAR_BEST))
}

/// The same when meaning took no part: most of the question's words, and more than one.
pub fn margin_of_words(share: f32, words: usize) -> f32 {
    if words < 2 { -1.0 } else { share - 0.75 }
}

/// A cosine of another model as one of the model that the threshold was found with would be: as far from the strangers
/// among these memories. Nothing can be said of a few, so that none of them is shown unasked.
pub fn as_tuned(cosine: f32, mean: f32, deviation: f32, compared: u64) -> f32 {
    const ENOUGH: u64 = 20;
    if compared < ENOUGH || deviation <= 0.0 {
        return 0.0;
    }
    (STRANGERS.0 + (cosine - mean) / deviation * STRANGERS.1).clamp(-1.0, 1.0)
}

/// 1 for the first place, less for the others; nothing without a place.
fn place(rank: Option<usize>) -> f64 {
    /// Flattens the difference between the first places.
    const FLAT: f64 = 10.0;
    rank.map_or(0.0, |rank| FLAT / (FLAT + rank as f64))
}

const DAY: f64 = 86_400e6;

/// What a list is sorted by: both rankings, then how new, how used and how important it is.
pub fn order(signals: &Signals, memory: &Memory, now: i64) -> f64 {
    // One word of many that happens to be the same is no answer: the place by words counts as much as it has of them.
    let words = f64::from(signals.share * signals.share) * place(signals.by_words);
    let fused = words + place(signals.by_meaning) + f64::from(signals.cosine.max(0.0));
    let age = (now - memory.updated).max(0) as f64 / DAY;
    // A year halves the bonus of being new. Both bonuses are small: they decide between near equals.
    let recency = 0.05 * 0.5f64.powf(age / 365.0);
    let usage = 0.02 * (1.0 + memory.uses.clamp(0, 50) as f64).ln() / 4.0;
    let importance = 0.01 * (memory.is.importance - 5) as f64;
    fused * (1.0 + recency + usage + importance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn signals(by_words: Option<usize>, by_meaning: Option<usize>, cosine: f32) -> Signals {
        Signals { by_words, by_meaning, cosine, share: 1.0 }
    }

    #[test]
    fn both_rankings_count_and_new_and_used_decide_between_equals() {
        let now = 400 * DAY as i64;
        let plain = Memory { updated: 0, ..Memory::default() };
        let both = order(&signals(Some(1), Some(1), 0.5), &plain, now);
        assert!(both > order(&signals(Some(0), None, 0.0), &plain, now));
        assert!(both > order(&signals(None, Some(0), 0.5), &plain, now));
        let new = Memory { updated: now, ..Memory::default() };
        let used = Memory { uses: 20, ..plain.clone() };
        let same = signals(Some(0), Some(0), 0.5);
        assert!(order(&same, &new, now) > order(&same, &plain, now));
        assert!(order(&same, &used, now) > order(&same, &plain, now));
        assert!(
            order(&signals(Some(0), Some(0), 0.6), &plain, now)
                > order(&signals(None, Some(9), 0.3), &new, now)
        );
    }

    #[test]
    fn among_more_memories_more_is_asked_for() {
        let at = |count| Weights::TUNED.threshold_among(count);
        assert!((at(TUNED_ON) - Weights::TUNED.threshold).abs() < 1e-6);
        assert!(
            (at(0) - at(10)).abs() < 1e-6 && at(10) < at(90) && at(90) < at(10_000) && at(1_000_000) <= 0.55
        );
    }

    proptest! {
        #[test]
        fn fault_of_the_reference_one_scale_more_evidence_is_never_worth_less(
            cosine in -1f32..1.0, share in 0f32..1.0, more in 0f32..0.5) {
            let base = Signals { cosine, share, ..Signals::default() };
            let weights = Weights::TUNED;
            let value = evidence(&base, &weights);
            let more_cosine = Signals { cosine: cosine + more, ..base };
            prop_assert!(evidence(&more_cosine, &weights) >= value);
            let more_share = Signals { share: share + more, ..base };
            prop_assert!(evidence(&more_share, &weights) >= value);
            // The best that there can be is over the threshold, whatever the weights become.
            let best = Signals { by_words: Some(0), by_meaning: Some(0), cosine: 1.0, share: 1.0 };
            prop_assert!(evidence(&best, &weights) > weights.threshold);
        }
    }
}
