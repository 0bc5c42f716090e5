//! Many memories at once: rows in large transactions, then their vectors. The same text is kept once; texts that are
//! merely near each other are all kept, because comparing each with all others is what takes the time.

use super::{Draft, Embedded, Embedder, Error, Library};
use sprag_store::{Added, NewMemory};
use std::time::{Duration, Instant};

/// Rows per transaction.
const BATCH: usize = 500;
/// Somebody waits: what takes longer is left to the background.
const MAX_EMBEDDING: Duration = Duration::from_secs(40);
/// Texts that are read at a time to make their vectors.
const PAGE: i64 = 512;

/// What became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bulk {
    /// New ones.
    pub new: usize,
    /// Those whose text was there.
    pub known: usize,
    /// Empty ones and too long ones.
    pub refused: usize,
    /// New ones that wait for a person.
    pub quarantined: usize,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many are kept, and found by words.
    Kept(usize),
    /// So many of the new ones are found by meaning too.
    Embedded(usize),
}

impl Library {
    /// Keeps texts. When this returns they are found by words, and by meaning unless the embedding endpoint is
    /// unavailable or it takes too long: then the background makes their vectors, and [`Library::is_behind`] says so.
    pub fn remember_all(
        &mut self,
        drafts: &[Draft],
        now: i64,
        told: &mut dyn FnMut(Progress),
    ) -> Result<Bulk, Error> {
        let mut done = Bulk::default();
        for (number, part) in drafts.chunks(BATCH).enumerate() {
            let mut rows: Vec<NewMemory> = Vec::with_capacity(part.len());
            for draft in part {
                match draft.clean(now) {
                    Ok(row) => rows.push(row),
                    Err(Error::Refused(_)) => done.refused += 1,
                    Err(error) => return Err(error),
                }
            }
            for (row, added) in rows.iter().zip(self.store.add_memories(&rows, now)?) {
                match added {
                    Added::Known(_) => done.known += 1,
                    Added::New { .. } => {
                        done.new += 1;
                        done.quarantined += usize::from(!row.quarantine.is_empty());
                    }
                }
            }
            told(Progress::Kept(number * BATCH + part.len()));
        }
        if done.new > 0 {
            match self.embed_all(&mut |made| told(Progress::Embedded(made))) {
                Ok(()) => {}
                Err(error @ Error::Endpoint(_)) => {
                    self.trouble = Some(error.to_string());
                    self.behind = true;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    /// Makes every missing vector, on all cores where the encoder is this program's own.
    fn embed_all(&mut self, told: &mut dyn FnMut(usize)) -> Result<(), Error> {
        let (mut below, mut made, began) = (i64::MAX, 0, Instant::now());
        let last_made = self.embedder.tokens_model().unwrap_or(self.embedder.model()).to_owned();
        // An endpoint is asked one after another: it has its own limits.
        while matches!(self.embedder, Embedder::Local(_)) {
            let page = self.store.without_vector(&last_made, below, PAGE)?;
            let Some((last, _)) = page.last() else { break };
            if began.elapsed() > MAX_EMBEDDING {
                self.behind = true;
                self.trouble = Some(format!("vectors of {made} are made, the background makes the others"));
                return Ok(());
            }
            below = *last;
            let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
            let embedder = &self.embedder;
            let parts: Vec<Result<Vec<Embedded>, Error>> = std::thread::scope(|scope| {
                let encode = |part: &[(i64, String)]| {
                    embedder.texts(&part.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>())
                };
                let started: Vec<_> = page
                    .chunks(page.len().div_ceil(threads).max(1))
                    .map(|part| scope.spawn(move || encode(part)))
                    .collect();
                let died = |_| Err(Error::Broken("the encoder's thread died".into()));
                started.into_iter().map(|thread| thread.join().unwrap_or_else(died)).collect()
            });
            let vectors = parts.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
            made += page.len();
            self.put_made(page.iter().map(|(seq, _)| *seq).zip(vectors).collect())?;
            told(made);
        }
        self.embed_missing(usize::MAX, told)?;
        Ok(())
    }
}
