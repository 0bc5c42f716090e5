//! Asks every question of an evaluation set and counts: is the right memory found, and is only what is worth it shown?
//! One half of the first set's questions is for tuning, the other was for the report; the second set was written and kept
//! before anything was run on it, and nothing is tuned on it.

use sprag_memory::recall::rank::{Signals, Standing, Weights, evidence, margin};
use sprag_memory::recall::{Draft, Embedder, Library, Only, Question, words};
use sprag_store::{Opening, Store, Target};
use std::collections::HashMap;
use std::path::Path;

const NOW: i64 = 1_794_768_642_000_000;

/// One question and all that was found for it.
pub(crate) struct Asked {
    pub(crate) kind: QuestionKind,
    pub(crate) half: Half,
    pub(crate) text: String,
    pub(crate) wanted: Option<String>,
    /// By words, by meaning, by both: what was found, the best first.
    pub(crate) found: [Vec<Hit>; 3],
}

/// A memory that was found.
pub(crate) struct Hit {
    pub(crate) name: String,
    pub(crate) signals: Signals,
    /// The decision as the program takes it.
    pub(crate) worth: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuestionKind {
    Paraphrase,
    Keywords,
    Unrelated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Tune,
    Report,
    Blind,
}

/// The set that numbers were tuned on, in halves.
pub(crate) const TUNED: &str = include_str!("recall.json");
/// The set that nothing was tuned on.
pub(crate) const BLIND: &str = include_str!("blind.json");

/// Keeps the set's memories in a new store and asks everything.
pub(crate) fn ask_all(dir: &Path, set: &str) -> Vec<Asked> {
    let blind = set == BLIND;
    let set: serde_json::Value = serde_json::from_str(set).unwrap();
    let pairs = |key: &str| -> Vec<(String, String)> {
        let pair = |item: &serde_json::Value| {
            Some((item.get(0)?.as_str()?.to_owned(), item.get(1)?.as_str()?.to_owned()))
        };
        set.get(key).and_then(|list| list.as_array()).into_iter().flatten().filter_map(pair).collect()
    };
    let store = Store::open(&Target::Sqlite(dir.join("sprag.db")), Opening::WORKER).unwrap();
    let mut library = Library::new(store, dir, Embedder::local());
    let mut names = HashMap::new();
    for (name, text) in pairs("memories") {
        let kept = library.remember(&Draft { text, ..Draft::default() }, NOW).unwrap();
        names.insert(kept.id().to_owned(), name);
    }
    let mut questions: Vec<(QuestionKind, usize, String, Option<String>)> = Vec::new();
    for (key, kind) in [("paraphrases", QuestionKind::Paraphrase), ("keywords", QuestionKind::Keywords)] {
        questions.extend(
            pairs(key).into_iter().enumerate().map(|(at, (text, name))| (kind, at, text, Some(name))),
        );
    }
    let unrelated = set.get("unrelated").and_then(|list| list.as_array()).into_iter().flatten();
    questions.extend(
        unrelated
            .enumerate()
            .filter_map(|(at, text)| Some((QuestionKind::Unrelated, at, text.as_str()?.to_owned(), None))),
    );
    let mut asked = Vec::new();
    for (kind, at, text, wanted) in questions {
        let found = [Some(Only::Words), Some(Only::Meaning), None].map(|only| {
            let question =
                Question { text: words::intent(&text).to_owned(), most: 10, only, ..Question::default() };
            let found = library.recall(&question, NOW).unwrap();
            found
                .into_iter()
                .map(|found| Hit {
                    name: names.get(&found.memory.id).cloned().unwrap_or_default(),
                    signals: found.signals,
                    worth: found.is_worth_it(),
                })
                .collect()
        });
        let half = match at % 2 {
            _ if blind => Half::Blind,
            0 => Half::Tune,
            _ => Half::Report,
        };
        asked.push(Asked { kind, half, text, wanted, found });
    }
    asked
}

/// How often the wanted one is among the first `places`, from 0 to 1.
pub(crate) fn hits(asked: &[Asked], kind: QuestionKind, half: Half, way: usize, places: usize) -> f64 {
    let mine: Vec<&Asked> = asked.iter().filter(|one| one.kind == kind && one.half == half).collect();
    let found = mine.iter().filter(|one| {
        let list = one.found.get(way).into_iter().flatten().take(places);
        list.into_iter().any(|hit| Some(&hit.name) == one.wanted.as_ref())
    });
    found.count() as f64 / mine.len().max(1) as f64
}

/// What showing everything that is worth it comes to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shown {
    /// Questions whose right memory is shown, from 0 to 1.
    pub(crate) right: f64,
    /// Of everything shown for related questions, the part that is right.
    pub(crate) precision: f64,
    /// Unrelated prompts for which something is shown, from 0 to 1.
    pub(crate) noise: f64,
}

/// With the program's decision, or with other weights.
pub(crate) fn shown(asked: &[Asked], half: Half, weights: Option<Weights>) -> Shown {
    let (mut related, mut right, mut all, mut unrelated, mut noisy) = (0, 0, 0, 0, 0);
    for one in asked.iter().filter(|one| one.half == half) {
        let hits = || one.found.last().into_iter().flatten();
        let words = words::content_words(words::intent(&one.text)).len();
        let standing =
            |weights: &Weights| Standing::of(hits().map(|hit| evidence(&hit.signals, weights)), words);
        let worth = |hit: &Hit| match &weights {
            None => hit.worth,
            Some(weights) => {
                let evidence = evidence(&hit.signals, weights);
                margin(evidence, &standing(weights), weights, weights.threshold) >= 0.0
            }
        };
        let list: Vec<&str> = hits().filter(|hit| worth(hit)).take(3).map(|hit| hit.name.as_str()).collect();
        if let Some(name) = &one.wanted {
            related += 1;
            all += list.len();
            right += usize::from(list.contains(&name.as_str()));
        } else {
            unrelated += 1;
            noisy += usize::from(!list.is_empty());
        }
    }
    let part = |a: usize, b: usize| a as f64 / b.max(1) as f64;
    Shown { right: part(right, related), precision: part(right, all), noise: part(noisy, unrelated) }
}
