//! Which of the lessons that match are said beside one call, and in how many words. Pure but for the claim.

use crate::index::Entry;
use crate::model::first_line;

/// How much may be said beside one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most lessons.
    pub lessons: usize,
    /// The most bytes of all together; the first is whole whatever its size.
    pub bytes: usize,
}

/// What is said, and what is left for the next call.
#[derive(Debug, Default)]
pub struct Selected {
    /// The lessons with their texts.
    pub said: Vec<(Entry, String)>,
    /// The slugs of lessons that did not fit. They are not claimed: the next call may say them.
    pub left: Vec<String>,
}

/// Chooses from lessons that were not shown yet, best first. A lesson is claimed only once it is known to fit, so
/// that none is lost; a claim that another process won costs no place.
pub fn select(
    entries: impl Iterator<Item = Entry>,
    budget: Budget,
    mut claim: impl FnMut(&Entry) -> bool,
) -> Selected {
    const MAX_LEFT: usize = 16;
    let mut out = Selected::default();
    let mut room = budget.bytes;
    for entry in entries {
        if out.said.len() >= budget.lessons || out.left.len() >= MAX_LEFT {
            break;
        }
        let text = if out.said.is_empty() || entry.message.len() <= room {
            entry.message.clone()
        } else {
            let Some(short) = citation(&entry).filter(|short| short.len() <= room) else {
                out.left.push(entry.slug);
                continue;
            };
            short
        };
        if claim(&entry) {
            room = room.saturating_sub(text.len());
            out.said.push((entry, text));
        }
    }
    out
}

/// A lesson in up to three lines.
pub fn citation(entry: &Entry) -> Option<String> {
    if entry.summary.trim().is_empty() {
        return None;
    }
    let mut text = format!("**Lesson**: {}", entry.summary);
    for (label, body) in [("Problem", &entry.problem), ("Solution", &entry.solution)] {
        let line = first_line(body, 200);
        if !line.is_empty() {
            text.push_str(&format!("\n**{label}**: {line}"));
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LessonKind;
    use proptest::prelude::*;

    fn entry(slug: &str, size: usize) -> Entry {
        Entry {
            id: slug.into(),
            slug: slug.into(),
            kind: LessonKind::Hint,
            priority: 5,
            confidence: 800,
            message: "m".repeat(size),
            summary: "sum".into(),
            problem: "prob".into(),
            solution: "sol".into(),
            scope: None,
            cooldown_minutes: 0,
            group: String::new(),
        }
    }

    fn said(selected: &Selected) -> Vec<(&str, usize)> {
        selected.said.iter().map(|(entry, text)| (entry.slug.as_str(), text.len())).collect()
    }

    const BUDGET: Budget = Budget { lessons: 3, bytes: 4096 };

    #[test]
    fn full_then_citation_then_left() {
        let all = vec![entry("a", 5000), entry("b", 10)];
        let got = select(all.into_iter(), BUDGET, |_| true);
        assert_eq!(said(&got), [("a", 5000)], "the first is whole whatever its size");
        assert_eq!(got.left, ["b"]);
        let all = vec![entry("a", 4000), entry("b", 3000), entry("c", 20), entry("d", 20)];
        let got = select(all.into_iter(), BUDGET, |_| true);
        assert_eq!(said(&got)[1..], [("b", citation(&entry("b", 1)).unwrap().len()), ("c", 20)]);
    }

    #[test]
    fn fault_4_what_does_not_fit_is_not_claimed() {
        let mut claimed = Vec::new();
        let all = vec![entry("a", 4090), entry("b", 3000), entry("c", 5)];
        let got = select(all.into_iter(), BUDGET, |entry| {
            claimed.push(entry.slug.clone());
            true
        });
        assert_eq!(claimed, ["a", "c"]);
        assert_eq!(got.left, ["b"]);
    }

    #[test]
    fn a_lost_claim_costs_no_place() {
        let all = (0..6).map(|n| entry(&format!("l{n}"), 10));
        let got = select(all, BUDGET, |entry| entry.slug != "l0" && entry.slug != "l2");
        assert_eq!(said(&got).iter().map(|(slug, _)| *slug).collect::<Vec<_>>(), ["l1", "l3", "l4"]);
    }

    proptest! {
        #[test]
        fn never_over_the_budget_but_for_the_first(sizes in prop::collection::vec(0usize..3000, 0..9), bytes in 0usize..4096, lessons in 0usize..5) {
            let all = sizes.iter().enumerate().map(|(n, size)| entry(&format!("l{n}"), *size));
            let got = select(all, Budget { lessons, bytes }, |_| true);
            prop_assert!(got.said.len() <= lessons);
            let rest: usize = got.said.iter().map(|(_, text)| text.len()).sum();
            prop_assert!(rest <= bytes.max(got.said.first().map_or(0, |(_, text)| text.len())));
        }
    }
}
