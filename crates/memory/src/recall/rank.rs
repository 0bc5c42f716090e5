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
    /// How much of the question it has, token by token; `None` when tokens took no part.
    pub similarity: Option<f32>,
    /// How much of the memory the question has, token by token.
    pub reverse: f32,
}

/// What the decision weighs, beside the cosine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// How much of the question the memory has.
    pub similarity: f32,
    /// How much of the memory the question has.
    pub reverse: f32,
    /// How far the best memory is ahead of the second, up to [`MAX_LEAD`].
    pub lead: f32,
    /// The logarithm of the question's words: a question of two words is near to something by chance.
    pub words: f32,
    /// From this sum on, it is worth showing, among [`TUNED_ON`] memories.
    pub threshold: f32,
}

impl Weights {
    /// As tuned.
    pub const TUNED: Self = Self { similarity: 0.6, reverse: 0.6, lead: 0.25, words: 0.25, threshold: 1.58 };
}

/// How many memories the threshold was found on.
pub const TUNED_ON: u64 = 90;
/// How far behind the best one another may be and still be shown unasked.
pub const NEAR_BEST: f32 = 0.03;
/// A larger lead says no more.
pub const MAX_LEAD: f32 = 0.3;
/// The mean of cosines between strangers and how much they spread, for the model that the threshold was found with.
const STRANGERS: (f32, f32) = (0.05, 0.09);
/// How much the evidence for strangers spreads, as far as its largest of many counts.
const SPREAD: f32 = 0.14;

/// What a memory is compared with: the others that were found, and the question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// The evidence for the best.
    pub best: f32,
    /// The evidence for the second.
    pub second: f32,
    /// The question's content words.
    pub words: usize,
}

impl Standing {
    /// The standing among memories with this evidence.
    pub fn of(all: impl Iterator<Item = f32>, words: usize) -> Self {
        let (mut best, mut second) = (0f32, 0f32);
        for evidence in all {
            if evidence > best {
                (best, second) = (evidence, best);
            } else {
                second = second.max(evidence);
            }
        }
        Self { best, second, words }
    }
}

impl Weights {
    /// The threshold among so many memories. The nearest of many strangers is nearer than the nearest of a few: the
    /// largest of N draws grows with the root of ln N.
    pub fn threshold_among(&self, memories: u64) -> f32 {
        let spread = |count: u64| (2.0 * (count.max(2) as f32).ln()).sqrt();
        (self.threshold + SPREAD * (spread(memories) - spread(TUNED_ON))).min(1.85)
    }
}

/// How likely it is that a memory answers: comparable between questions. Words in common were tried and add nothing: a
/// prompt about something else is nearest to a memory because of a word that both happen to have.
pub fn evidence(signals: &Signals, weights: &Weights) -> f32 {
    let (similarity, reverse) = match signals.similarity {
        Some(similarity) => (similarity, signals.reverse),
        None => (usual_similarity(signals.cosine), usual_reverse(signals.cosine)),
    };
    signals.cosine + weights.similarity * similarity + weights.reverse * reverse
}

/// The similarity that a memory with this cosine usually has.
pub fn usual_similarity(cosine: f32) -> f32 {
    0.3 + 0.65 * cosine
}

/// The same in the other direction.
pub fn usual_reverse(cosine: f32) -> f32 {
    0.2 + 0.65 * cosine
}

/// How far a memory is above what makes it worth showing unasked: above the threshold, and not far behind the best. A
/// second one that is clearly weaker is mostly a wrong one.
pub fn margin(evidence: f32, standing: &Standing, weights: &Weights, threshold: f32) -> f32 {
    let lead = (standing.best - standing.second).clamp(0.0, MAX_LEAD);
    let said = (standing.words.max(1) as f32).ln();
    let sum = evidence + weights.lead * lead + weights.words * said;
    (sum - threshold).min(evidence - (standing.best - NEAR_BEST))
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
    if signals.similarity.is_some() {
        let score = by_tokens(signals) + 0.2 * signals.share * signals.share;
        return f64::from(score) + 0.2 * bonus(memory, now);
    }
    // One word of many that happens to be the same is no answer: the place by words counts as much as it has of them.
    let words = f64::from(signals.share * signals.share) * place(signals.by_words);
    let fused = words + place(signals.by_meaning) + f64::from(signals.cosine.max(0.0));
    fused * (1.0 + bonus(memory, now))
}

/// What the vectors say of the whole and of its tokens.
pub fn by_tokens(signals: &Signals) -> f32 {
    signals.cosine + signals.similarity.unwrap_or_else(|| usual_similarity(signals.cosine))
}

/// What decides between near equals: how new, how used and how important it is.
fn bonus(memory: &Memory, now: i64) -> f64 {
    let age = (now - memory.updated).max(0) as f64 / DAY;
    // A year halves the bonus of being new.
    let recency = 0.05 * 0.5f64.powf(age / 365.0);
    let usage = 0.02 * (1.0 + memory.uses.clamp(0, 50) as f64).ln() / 4.0;
    let importance = 0.01 * (memory.is.importance - 5) as f64;
    recency + usage + importance
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn signals(by_words: Option<usize>, by_meaning: Option<usize>, cosine: f32) -> Signals {
        Signals { by_words, by_meaning, cosine, share: 1.0, similarity: None, reverse: 0.0 }
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
            (at(0) - at(2)).abs() < 1e-6
                && at(2) < at(10)
                && at(10) < at(90)
                && at(90) < at(10_000)
                && at(1_000_000) <= 1.85
        );
    }

    #[test]
    fn a_lead_and_a_longer_question_count_for_the_best() {
        let weights = Weights::TUNED;
        let margin = |best, second, words| {
            margin(best, &Standing::of([second, best].into_iter(), words), &weights, weights.threshold)
        };
        assert!(margin(1.0, 0.6, 8) > margin(1.0, 0.95, 8), "alone");
        assert!(margin(1.0, 0.6, 8) > margin(1.0, 0.6, 2), "says more");
        assert!((margin(1.0, 0.1, 8) - margin(1.0, 0.6, 8)).abs() < 1e-6, "a larger lead says no more");
        let standing = Standing::of([0.9, 2.0, 1.8].into_iter(), 8);
        assert_eq!((standing.best, standing.second), (2.0, 1.8));
        assert!(
            super::margin(1.8, &standing, &weights, weights.threshold) < 0.0,
            "clearly weaker than the best"
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
            let usual = Signals { similarity: Some(usual_similarity(cosine)), reverse: usual_reverse(cosine), ..base };
            let more_similar = Signals { similarity: Some(usual_similarity(cosine) + more), ..usual };
            prop_assert!(evidence(&more_similar, &weights) >= value);
            let more_reverse = Signals { similarity: Some(share), reverse: more, ..base };
            let less_reverse = Signals { similarity: Some(share), reverse: 0.0, ..base };
            prop_assert!(evidence(&more_reverse, &weights) >= evidence(&less_reverse, &weights));
            // The best that there can be is over the threshold, whatever the weights become.
            let best = Signals { by_words: Some(0), by_meaning: Some(0), cosine: 1.0, share: 1.0, similarity: Some(1.0), reverse: 1.0 };
            prop_assert!(evidence(&best, &weights) > weights.threshold);
        }
    }
}
