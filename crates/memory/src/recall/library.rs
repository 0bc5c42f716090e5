//! The memories of one store, ready for questions: words and vectors are asked at the same time, and their answers put
//! together.

use super::rank::{Signals, Weights, evidence, order};
use super::vectors::{Scan, Synced, VectorFile};
use super::words::{content_words, share};
use super::{Embedder, Error};
use sprag_store::{Memory, Reach, Store};
use std::collections::HashMap;
use std::path::Path;

/// The memories of one store.
pub struct Library {
    pub(super) store: Store,
    pub(super) file: VectorFile,
    pub(super) embedder: Embedder,
}

/// A question to the memories.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// In words.
    pub text: String,
    /// Whose memories.
    pub reach: Reach,
    /// The most answers.
    pub most: usize,
    /// Ask for words alone or for meaning alone; for evaluation.
    pub only: Option<Only>,
}

/// One half of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// By words.
    Words,
    /// By meaning.
    Meaning,
}

/// A memory that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The memory.
    pub memory: Memory,
    /// What speaks for it.
    pub signals: Signals,
    /// How much that is, from 0 to little over 1; comparable between questions.
    pub evidence: f32,
    /// How far that is above what makes it worth showing to somebody who did not ask.
    pub margin: f32,
}

impl Found {
    /// True when it is worth showing to somebody who did not ask.
    pub fn is_worth_it(&self) -> bool {
        self.margin >= 0.0
    }
}

/// How many candidates each half gives.
const CANDIDATES: usize = 40;
/// Records that a question adds to the vectors' file itself; more is the background's business.
const CATCH_UP: i64 = 20_000;

impl Library {
    /// The memories of a store, with the vectors' file in a state folder.
    pub fn new(store: Store, state: &Path, embedder: Embedder) -> Self {
        Self { store, file: VectorFile::new(state), embedder }
    }

    /// The model that makes its vectors.
    pub fn model(&self) -> &str {
        self.embedder.model()
    }

    /// The store.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// The best answers, the best first.
    pub fn recall(&mut self, question: &Question, now: i64) -> Result<Vec<Found>, Error> {
        let dimensions = self.embedder.dimensions();
        let model = self.embedder.model().to_owned();
        self.file.sync(&mut self.store, &model, dimensions, CATCH_UP)?;
        let documents = self.file.records() as i64;
        let words = content_words(&question.text);
        let (file, embedder, store) = (&self.file, &self.embedder, &mut self.store);
        let (by_words, by_meaning) = std::thread::scope(|scope| {
            let meaning = (question.only != Some(Only::Words)).then(|| {
                scope.spawn(|| -> Result<Scan, Error> {
                    file.scan(&embedder.question(&question.text)?, &question.reach, CANDIDATES)
                })
            });
            let by_words = if question.only == Some(Only::Meaning) {
                Ok(Vec::new())
            } else {
                store.search_memories(&words, documents, &question.reach, CANDIDATES as i64, now)
            };
            let meaning = meaning.map(|thread| {
                thread.join().unwrap_or_else(|_| Err(Error::Broken("the encoder's thread died".into())))
            });
            (by_words, meaning)
        });
        let by_words = by_words?;
        let scan = by_meaning.transpose()?.unwrap_or_default();
        let mut signals: HashMap<i64, Signals> = HashMap::new();
        for (rank, (seq, cosine)) in scan.nearest.iter().enumerate() {
            signals.insert(*seq, Signals { by_meaning: Some(rank), cosine: *cosine, ..Signals::default() });
        }
        for (rank, hit) in by_words.iter().enumerate() {
            signals.entry(hit.seq).or_default().by_words = Some(rank);
        }
        let seqs: Vec<i64> = signals.keys().copied().collect();
        let memories = self.store.memories_by_seq(&seqs, &question.reach, now)?;
        let threshold = Weights::TUNED.threshold_among(scan.compared);
        let mut found: Vec<(f64, Found)> = Vec::new();
        for memory in memories {
            let mut signals = signals.get(&memory.seq).copied().unwrap_or_default();
            let text = content_words(&format!("{} {}", memory.is.text, memory.is.tags));
            signals.share = share(&words, &text);
            let evidence = evidence(&signals, &Weights::TUNED);
            let margin = evidence - threshold;
            found.push((order(&signals, &memory, now), Found { memory, signals, evidence, margin }));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.memory.seq.cmp(&a.1.memory.seq)));
        Ok(found.into_iter().map(|(_, found)| found).take(question.most.max(1)).collect())
    }

    /// Makes the vectors that are missing for the present model, at most this many; how many it made. The others' are
    /// dropped when nothing is missing any more.
    pub fn embed_missing(&mut self, most: usize) -> Result<usize, Error> {
        let model = self.embedder.model().to_owned();
        let mut made = 0;
        while made < most {
            let page = self.store.without_vector(&model, 32.min(most - made) as i64)?;
            if page.is_empty() {
                self.store.drop_vectors_but(&model)?;
                break;
            }
            let mut vectors = Vec::with_capacity(page.len());
            for (seq, text) in page {
                let vector = self.embedder.text(&text)?;
                vectors.push((seq, vector.scale, vector.numbers));
            }
            made += vectors.len();
            self.store.put_vectors(&model, &vectors)?;
        }
        self.tidy()?;
        Ok(made)
    }

    /// Brings the vectors' file up to date, and makes it anew when a fifth of it is of memories that are gone.
    pub fn tidy(&mut self) -> Result<(), Error> {
        let (model, dimensions) = (self.embedder.model().to_owned(), self.embedder.dimensions());
        let live = self.store.count_vectors(&model)? as u64;
        if live == 0 {
            self.file.remove();
            return Ok(());
        }
        let stale = self.file.records().saturating_sub(live);
        if stale * 5 > live
            || self.file.sync(&mut self.store, &model, dimensions, i64::MAX)? == Synced::Behind
        {
            self.file.remake(&mut self.store, &model, dimensions)?;
        }
        Ok(())
    }
}
