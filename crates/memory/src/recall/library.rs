//! The memories of one store, ready for questions: words and vectors are asked at the same time, and their answers put
//! together.

use super::rank::{Signals, Weights, as_tuned, evidence, margin, margin_of_words, order};
use super::vectors::{Fit, Scan, Synced, VectorFile};
use super::words::{content_words, share};
use super::{Embedder, Error};
use sprag_encoder::Vector;
use sprag_store::{Backend, Memory, MemoryState, Reach, Store};
use std::collections::HashMap;
use std::path::Path;

/// The memories of one store.
pub struct Library {
    pub(super) store: Store,
    pub(super) file: VectorFile,
    pub(super) embedder: Embedder,
    pub(super) trouble: Option<String>,
    pub(super) behind: bool,
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
pub struct RecalledMemory {
    /// The memory.
    pub memory: Memory,
    /// What speaks for it.
    pub signals: Signals,
    /// How much that is, from 0 to little over 1; comparable between questions.
    pub evidence: f32,
    /// How far that is above what makes it worth showing to somebody who did not ask.
    pub margin: f32,
}

impl RecalledMemory {
    /// True when it is worth showing to somebody who did not ask.
    pub fn is_worth_it(&self) -> bool {
        self.margin >= 0.0
    }
}

/// How many candidates each half gives.
const CANDIDATES: usize = 40;
/// Records that a question adds to the vectors' file itself; more is the background's business.
pub(super) const CATCH_UP: i64 = 20_000;
/// Memories that are read at a time to make their vectors.
const PAGE: usize = 512;
/// Vectors that are asked for and kept at a time.
const BATCH: usize = 32;

impl Library {
    /// The memories of a store, with the vectors' file in a state folder.
    pub fn new(store: Store, state: &Path, embedder: Embedder) -> Self {
        Self { store, file: VectorFile::new(state), embedder, trouble: None, behind: false }
    }

    /// Why the last question was answered by words alone, or the last memory kept without a vector.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// True when vectors are missing, here or in the store: the background shall make them.
    pub const fn is_behind(&self) -> bool {
        self.behind
    }

    /// The model that makes its vectors.
    pub fn model(&self) -> &str {
        self.embedder.model()
    }

    /// The store.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Brings the vectors' file up to date: what the store says, and whether the file has it.
    pub(super) fn sync(&mut self, most: i64) -> Result<(MemoryState, Synced), Error> {
        let (model, dimensions) = (self.embedder.model(), self.embedder.dimensions());
        let state = self.store.memory_state(model)?;
        let synced = self.file.sync(&mut self.store, &state, model, dimensions, most)?;
        self.behind = synced != Synced::Whole || (state.newest == 0 && state.newest_memory > 0);
        Ok((state, synced))
    }

    /// The nearest memories as the server finds them; `None` where it cannot.
    pub(super) fn by_server(
        &mut self,
        vector: &Vector,
        reach: &Reach,
        most: usize,
    ) -> Result<Option<Scan>, Error> {
        let plain: Vec<f32> = vector.numbers.iter().map(|x| f32::from(*x as i8) * vector.scale).collect();
        let found = self.store.nearest_memories(self.embedder.model(), &plain, reach, most as i64)?;
        Ok(found.map(|found| Scan {
            nearest: found.nearest,
            compared: found.compared,
            mean: found.mean,
            deviation: found.deviation,
        }))
    }

    /// The best answers, the best first. When the endpoint is unavailable, they are found by words alone, and
    /// [`Library::trouble`] says so.
    pub fn recall(&mut self, question: &Question, now: i64) -> Result<Vec<RecalledMemory>, Error> {
        self.trouble = None;
        let (state, synced) = self.sync(CATCH_UP)?;
        let fit = Fit::new(&state, self.embedder.model(), self.embedder.dimensions());
        let records = self.file.records() as i64;
        // Vectors may be missing for most of them; then they are counted.
        let documents = if records * 2 >= state.newest_memory { records } else { self.store.documents()? };
        let words = content_words(&question.text);
        let (file, embedder, store) = (&self.file, &self.embedder, &mut self.store);
        let (by_words, by_meaning) = std::thread::scope(|scope| {
            let meaning = (question.only != Some(Only::Words)).then(|| {
                scope.spawn(|| -> Result<(Vector, Option<Scan>), Error> {
                    let vector = embedder.question(&question.text)?;
                    let whole = synced == Synced::Whole;
                    let scan = whole.then(|| file.scan(&fit, &vector, &question.reach, CANDIDATES));
                    Ok((vector, scan.transpose()?))
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
        let scan = match by_meaning {
            Some(Ok(_)) if state.newest == 0 && state.newest_memory > 0 => {
                self.trouble = Some(format!("no vector of {} is made yet", self.embedder.model()));
                None
            }
            Some(Ok((_, Some(scan)))) => Some(scan),
            Some(Ok((vector, None))) => {
                // The file does not have all: the server is asked where it can, else the file as it is.
                let found = match self.by_server(&vector, &question.reach, CANDIDATES) {
                    // It scans for longer than a hook may wait: the words that were found are still good.
                    Err(Error::Store(error)) if error.is_transient() => None,
                    other => other?,
                };
                if found.is_none() && synced == Synced::Behind {
                    Some(self.file.scan(&fit, &vector, &question.reach, CANDIDATES)?)
                } else {
                    if found.is_none() {
                        self.trouble = Some("the vectors are not on this machine yet".to_owned());
                    }
                    found
                }
            }
            Some(Err(error @ Error::Endpoint(_))) => {
                self.trouble = Some(error.to_string());
                None
            }
            Some(Err(error)) => return Err(error),
            None => None,
        };
        let mut signals: HashMap<i64, Signals> = HashMap::new();
        for (rank, (seq, cosine)) in scan.iter().flat_map(|scan| &scan.nearest).enumerate() {
            signals.insert(*seq, Signals { by_meaning: Some(rank), cosine: *cosine, ..Signals::default() });
        }
        for (rank, hit) in by_words.iter().enumerate() {
            signals.entry(hit.seq).or_default().by_words = Some(rank);
        }
        let seqs: Vec<i64> = signals.keys().copied().collect();
        let memories = self.store.memories_by_seq(&seqs, &question.reach, now)?;
        let mut found: Vec<(f64, RecalledMemory)> = Vec::new();
        for memory in memories {
            let mut signals = signals.get(&memory.seq).copied().unwrap_or_default();
            let text = content_words(&format!("{} {}", memory.is.text, memory.is.tags));
            signals.share = share(&words, &text);
            let place = order(&signals, &memory, now);
            let evidence = self.weigh(&signals, scan.as_ref());
            found.push((place, RecalledMemory { memory, signals, evidence, margin: 0.0 }));
        }
        let best = found.iter().fold(0f32, |best, (_, found)| best.max(found.evidence));
        let threshold = scan.as_ref().map(|scan| Weights::TUNED.threshold_among(scan.compared));
        for (_, found) in &mut found {
            found.margin = match threshold {
                Some(threshold) => margin(found.evidence, best, threshold),
                None => margin_of_words(found.signals.share, words.len()),
            };
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.memory.seq.cmp(&a.1.memory.seq)));
        Ok(found.into_iter().map(|(_, found)| found).take(question.most.max(1)).collect())
    }

    /// The evidence for a memory, on the scale of the model that the weights were found with.
    fn weigh(&self, signals: &Signals, scan: Option<&Scan>) -> f32 {
        let Some(scan) = scan.filter(|_| !self.embedder.is_tuned() && signals.by_meaning.is_some()) else {
            return evidence(signals, &Weights::TUNED);
        };
        let cosine = as_tuned(signals.cosine, scan.mean, scan.deviation, scan.compared);
        evidence(&Signals { cosine, ..*signals }, &Weights::TUNED)
    }

    /// Makes the vectors that are missing for the present model, at most this many, the newest memories' first; how many
    /// it made. `told` hears the number after every batch. Each batch is kept before the next is begun: whoever is
    /// stopped in the middle goes on from there.
    pub fn embed_missing(&mut self, most: usize, told: &mut dyn FnMut(usize)) -> Result<usize, Error> {
        let model = self.embedder.model().to_owned();
        let (mut made, mut below) = (0, i64::MAX);
        loop {
            let page = self.store.without_vector(&model, below, PAGE.min(most - made) as i64)?;
            let Some((last, _)) = page.last() else { break };
            below = *last;
            for batch in page.chunks(BATCH) {
                let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
                let vectors = self.embedder.texts(&texts)?;
                let vectors: Vec<(i64, f32, Vec<u8>)> = batch
                    .iter()
                    .zip(vectors)
                    .map(|((seq, _), vector)| (*seq, vector.scale, vector.numbers))
                    .collect();
                self.store.put_vectors(&model, &vectors)?;
                made += vectors.len();
                told(made);
            }
            if made >= most {
                break;
            }
        }
        if made < most && self.store.backend() == Backend::Sqlite {
            // Nothing is missing any more. On a server, others may still use another model.
            self.store.drop_vectors_but(&model)?;
        }
        self.store.fill_pgvector(&model, i64::MAX)?;
        self.tidy()?;
        Ok(made)
    }

    /// Brings the vectors' file up to date, and rebuilds it when a fifth of it is of memories that are gone. Without
    /// memories there is no file.
    pub fn tidy(&mut self) -> Result<(), Error> {
        let (model, dimensions) = (self.embedder.model().to_owned(), self.embedder.dimensions());
        let live = self.store.count_vectors(&model)? as u64;
        if live == 0 && self.store.documents()? == 0 {
            self.file.remove();
            return Ok(());
        }
        let stale = self.file.records().saturating_sub(live);
        if stale * 5 > live || self.sync(i64::MAX)?.1 != Synced::Whole {
            self.file.remake(&mut self.store, &model, dimensions)?;
        }
        Ok(())
    }
}
