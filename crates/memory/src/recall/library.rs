//! The memories of one store, ready for questions: words and vectors are asked at the same time, and their answers put
//! together.

use super::rank::{
    Signals, Standing, Weights, as_tuned, by_tokens, evidence, margin, margin_of_words, order, usual_reverse,
    usual_similarity,
};
use super::vectors::{Fit, Scan, Synced, VectorFile};
use super::words::{content_words, share};
use super::{Embedded, EmbeddedQuestion, Embedder, Error};
use sprag_encoder::{Query, Vector};
use sprag_scan::injection;
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
    /// How much that is, from 0 to little over 2; comparable between questions.
    pub evidence: f32,
    /// How far that is above what makes it worth showing to somebody who did not ask.
    pub margin: f32,
}

impl RecalledMemory {
    /// True when it is worth showing to somebody who did not ask.
    pub fn is_worth_it(&self) -> bool {
        self.margin >= 0.0 && self.memory.is.kind != super::INSTRUCTION
    }

    /// True when somebody who asked may want it: it has a word of the question, or a trace of its meaning.
    pub fn is_related(&self) -> bool {
        self.signals.share > 0.0 || self.signals.by_words.is_some() || self.signals.cosine >= 0.2
    }
}

/// True for what was said in a session, as opposed to what somebody wrote down to be found again.
fn is_conversation(memory: &Memory) -> bool {
    matches!(memory.is.kind.as_str(), "session" | "handoff")
}

/// Decides which memories are worth showing to somebody who did not ask. An old conversation that asked the same is
/// nearer to a question than what answers it: one is compared with its like, and shown only when nothing else is. What
/// looks like instructions to a model is not shown from one at all.
fn decide(found: &mut [&mut RecalledMemory], words: usize, threshold: Option<f32>) {
    let (mut said, mut written): (Vec<_>, Vec<_>) =
        found.iter_mut().partition(|found| is_conversation(&found.memory));
    for group in [&mut written, &mut said] {
        let standing = Standing::of(group.iter().map(|found| found.evidence), words);
        for found in group.iter_mut() {
            found.margin = match threshold {
                Some(threshold) => margin(found.evidence, &standing, &Weights::TUNED, threshold),
                None => margin_of_words(found.signals.share, words),
            };
        }
    }
    let answered = written.iter().any(|found| found.is_worth_it());
    for found in said.iter_mut().filter(|found| found.margin >= 0.0) {
        if answered || !injection::scan(&found.memory.is.text).is_empty() {
            found.margin = -1.0;
        }
    }
}

/// How many candidates each half gives.
const CANDIDATES: usize = 60;
/// How many of them are read when their tokens were compared.
const READ: usize = 50;
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
                scope.spawn(|| -> Result<(EmbeddedQuestion, Option<Scan>), Error> {
                    let asked = embedder.question(&question.text)?;
                    let whole = synced == Synced::Whole;
                    let scan = whole.then(|| file.scan(&fit, &asked.vector, &question.reach, CANDIDATES));
                    Ok((asked, scan.transpose()?))
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
        let (asked, scan) = match by_meaning {
            Some(Ok(_)) if state.newest == 0 && state.newest_memory > 0 => {
                self.trouble = Some(format!("no vector of {} is made yet", self.embedder.model()));
                (None, None)
            }
            Some(Ok((asked, Some(scan)))) => (Some(asked), Some(scan)),
            Some(Ok((asked, None))) => {
                let scan = self.scan_elsewhere(&asked.vector, &fit, synced, &question.reach)?;
                (Some(asked), scan)
            }
            Some(Err(error @ Error::Endpoint(_))) => {
                self.trouble = Some(error.to_string());
                (None, None)
            }
            Some(Err(error)) => return Err(error),
            None => (None, None),
        };
        let mut signals: HashMap<i64, Signals> = HashMap::new();
        for (rank, (seq, cosine)) in scan.iter().flat_map(|scan| &scan.nearest).enumerate() {
            signals.insert(*seq, Signals { by_meaning: Some(rank), cosine: *cosine, ..Signals::default() });
        }
        for (rank, hit) in by_words.iter().enumerate() {
            signals.entry(hit.seq).or_default().by_words = Some(rank);
        }
        let mut seqs: Vec<i64> = signals.keys().copied().collect();
        if let Some(asked) = asked.filter(|_| question.only.is_none())
            && self.compare(&asked, &seqs, &mut signals)?
        {
            // Whatever the words in common add, the rest is not among the first: their texts are not read. What has no
            // vector yet is found by its words.
            let known = |seq: &i64| signals.get(seq).filter(|signals| signals.similarity.is_some());
            let score = |seq: &i64| known(seq).map_or(f32::INFINITY, by_tokens);
            seqs.sort_by(|a, b| score(b).total_cmp(&score(a)).then(b.cmp(a)));
            seqs.truncate(READ.max(question.most));
        }
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
        let threshold = scan.as_ref().map(|scan| Weights::TUNED.threshold_among(scan.compared));
        let mut all: Vec<&mut RecalledMemory> = found.iter_mut().map(|(_, found)| found).collect();
        decide(&mut all, words.len(), threshold);
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.memory.seq.cmp(&a.1.memory.seq)));
        Ok(found.into_iter().map(|(_, found)| found).take(question.most.max(1)).collect())
    }

    /// The nearest memories when the file does not have all: the server is asked where it can, else the file as it is.
    fn scan_elsewhere(
        &mut self,
        vector: &Vector,
        fit: &Fit,
        synced: Synced,
        reach: &Reach,
    ) -> Result<Option<Scan>, Error> {
        let found = match self.by_server(vector, reach, CANDIDATES) {
            // It scans for longer than a hook may wait: the words that were found are still good.
            Err(Error::Store(error)) if error.is_transient() => None,
            other => other?,
        };
        if found.is_none() && synced == Synced::Behind {
            return Ok(Some(self.file.scan(fit, vector, reach, CANDIDATES)?));
        }
        if found.is_none() {
            self.trouble = Some("the vectors are not on this machine yet".to_owned());
        }
        Ok(found)
    }

    /// Compares the candidates token by token, and those that only words found by their vectors too. False when there are
    /// no tokens to compare.
    fn compare(
        &mut self,
        asked: &EmbeddedQuestion,
        seqs: &[i64],
        signals: &mut HashMap<i64, Signals>,
    ) -> Result<bool, Error> {
        let Some(tokens) = self.embedder.tokens_model().filter(|_| !asked.tokens.is_empty()) else {
            return Ok(false);
        };
        let query = Query::new(&asked.vector);
        let mut with_tokens = HashMap::new();
        for kept in self.store.vectors_of([self.embedder.model(), tokens], seqs)? {
            let Some(signals) = signals.get_mut(&kept.seq) else { continue };
            if kept.is_second {
                with_tokens.insert(kept.seq, asked.tokens.both_ways(&kept.bytes));
                continue;
            }
            if signals.by_meaning.is_none() {
                signals.cosine = query.cosine(&kept.bytes, kept.scale);
            }
            // Until the background has made its tokens, as much as its vector lets expect.
            signals.similarity = Some(usual_similarity(signals.cosine));
            signals.reverse = usual_reverse(signals.cosine);
        }
        for (seq, signals) in signals.iter_mut() {
            match with_tokens.get(seq) {
                Some((similarity, reverse)) => {
                    signals.similarity = Some(*similarity);
                    signals.reverse = *reverse;
                }
                // Kept by an earlier version, or by an import whose vectors are not made yet.
                None => self.behind = true,
            }
        }
        Ok(true)
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
        // Tokens are made with the vector: whatever has them has both.
        let last_made = self.embedder.tokens_model().unwrap_or(&model).to_owned();
        let (mut made, mut below) = (0, i64::MAX);
        loop {
            let page = self.store.without_vector(&last_made, below, PAGE.min(most - made) as i64)?;
            let Some((last, _)) = page.last() else { break };
            below = *last;
            for batch in page.chunks(BATCH) {
                let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
                let vectors = self.embedder.texts(&texts)?;
                made += vectors.len();
                self.put_made(batch.iter().map(|(seq, _)| *seq).zip(vectors).collect())?;
                told(made);
            }
            if made >= most {
                break;
            }
        }
        if made < most && self.store.backend() == Backend::Sqlite {
            // Nothing is missing any more. On a server, others may still use another model.
            self.prune_vectors()?;
        }
        self.store.fill_pgvector(&model, i64::MAX)?;
        self.tidy()?;
        Ok(made)
    }

    /// Keeps vectors and tokens: the tokens last, so that whatever has tokens has a vector.
    pub(super) fn put_made(&mut self, made: Vec<(i64, Embedded)>) -> Result<(), Error> {
        let (mut vectors, mut tokens) = (Vec::new(), Vec::new());
        for (seq, made) in made {
            vectors.push((seq, made.vector.scale, made.vector.numbers));
            tokens.push((seq, 1.0, made.tokens));
        }
        self.store.put_vectors(self.embedder.model(), &vectors)?;
        if let Some(model) = self.embedder.tokens_model() {
            self.store.put_vectors(model, &tokens)?;
        }
        Ok(())
    }

    /// Removes the vectors of the present model, so that they are made again.
    pub fn drop_vectors(&mut self) -> Result<(), Error> {
        self.store.drop_vectors_of(self.embedder.model())?;
        if let Some(model) = self.embedder.tokens_model() {
            self.store.drop_vectors_of(model)?;
        }
        Ok(())
    }

    /// Removes the vectors of other models; how many they were.
    pub fn prune_vectors(&mut self) -> Result<u64, Error> {
        let model = self.embedder.model();
        Ok(self.store.drop_vectors_but([model, self.embedder.tokens_model().unwrap_or(model)])?)
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
