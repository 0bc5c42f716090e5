//! Functions and types of a project by a question in words: the words of their names, documentation and bodies (BM25) and their meaning
//! (the built-in encoder), fused.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

mod rank;
mod vectors;
pub mod words;

pub use vectors::{Embedded, embed};

use rank::Ranker;
use sprag_code::index::{Index, SymbolId};
use sprag_encoder::{Encoder, Query, Vector};
use std::collections::HashSet;
use std::path::Path;

/// A symbol that may be meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundSymbol {
    /// Where it is.
    pub id: SymbolId,
    /// How well it fits, from 0 to 1.
    pub score: f64,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The best first.
    pub found: Vec<FoundSymbol>,
    /// Symbols whose meaning is not known yet: they were found by their words alone.
    pub without_meaning: usize,
    /// Symbols that were looked at.
    pub symbols: usize,
}

/// What meaning counts, beside words.
const MEANING: f64 = 0.5;
/// A place in a list counts this much less than the one before: the larger, the flatter.
const FLATNESS: f64 = 12.0;
/// Symbols of each list that are fused.
const FUSED: usize = 200;
/// Finds the symbols that a question is about. `state` is the folder of the index.
pub fn search(index: &Index, state: &Path, question: &str, most: usize) -> Answer {
    let ranker = Ranker::new(index);
    let by_words = ranker.by_words(question);
    let known = vectors::read(state, index.root());
    let mut answer = Answer { symbols: ranker.documents.len(), ..Answer::default() };
    let mut by_meaning: Vec<(usize, f64)> = Vec::new();
    if let Some(encoder) = (!known.is_empty()).then(Encoder::new).and_then(Result::ok) {
        let query = Query::new(&Vector::quantize(&encoder.encode(question)));
        for (number, document) in ranker.documents.iter().enumerate() {
            match known.get(&document.key) {
                Some((scale, numbers)) => {
                    by_meaning.push((number, f64::from(query.cosine(numbers, *scale))));
                }
                None => answer.without_meaning += 1,
            }
        }
        by_meaning.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    } else {
        answer.without_meaning = ranker.documents.len();
    }
    answer.found = fused(&ranker, &by_words, &by_meaning, most);
    answer
}

/// Both lists as one: by the place in each, and by how sure each is.
fn fused(
    ranker: &Ranker,
    by_words: &[(usize, f64)],
    by_meaning: &[(usize, f64)],
    most: usize,
) -> Vec<FoundSymbol> {
    let mut scores = vec![0.0; ranker.documents.len()];
    for (list, weight) in [(by_words, 1.0 - MEANING), (by_meaning, MEANING)] {
        let best = list.first().map_or(1.0, |(_, score)| score.max(1e-9));
        for (place, (number, score)) in list.iter().take(FUSED).enumerate() {
            let by_place = FLATNESS / (FLATNESS + place as f64);
            if let Some(sum) = scores.get_mut(*number) {
                *sum += weight * (by_place + (score / best).max(0.0)) / 2.0;
            }
        }
    }
    let mut found: Vec<FoundSymbol> = scores
        .into_iter()
        .zip(&ranker.documents)
        .filter(|(score, _)| *score > 0.0)
        .map(|(score, document)| FoundSymbol { id: document.id, score: score * document.weight })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    // Of overloads, the best stands for all.
    let mut told = HashSet::new();
    found.retain(|found| told.insert(ranker.group(found.id)));
    found.truncate(most);
    found
}
