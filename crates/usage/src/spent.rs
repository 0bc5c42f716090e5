//! Tokens and money of many transcripts, under whatever name they are summed up by.

use crate::price::Prices;
use crate::tokens::{Answers, add, read};
use sprag_base::time::Stamp;
use sprag_protocol::transcript::Usage;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Tokens and money under one name.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// The agents' own ids of the sessions.
    pub sessions: BTreeSet<String>,
    /// All tokens.
    pub used: Usage,
    /// What those with a price cost, in millionths of a dollar.
    pub micros: i64,
    /// Tokens of models without a price.
    pub unpriced: u64,
}

impl Sum {
    /// Adds the tokens that a session used of a model on a day. False when the model has no price.
    pub fn add(
        &mut self,
        prices: &Prices,
        session: &str,
        (day, model): (&str, &str),
        used: &crate::tokens::Tokens,
    ) -> bool {
        if !self.sessions.contains(session) {
            self.sessions.insert(session.to_owned());
        }
        add(&mut self.used, &used.all);
        let micros = prices.of_tokens(model, day, used);
        match micros {
            Some(micros) => self.micros += micros,
            None => self.unpriced += used.all.context() + used.all.output,
        }
        micros.is_some()
    }

    /// Money as a person reads it; `?` when no model has a price.
    pub fn money(&self) -> String {
        if self.unpriced > 0 && self.micros == 0 { "?".to_owned() } else { money(self.micros) }
    }

    /// Tokens, read and written.
    pub fn tokens(&self) -> u64 {
        self.used.context() + self.used.output
    }
}

/// Millionths of a dollar as a person reads them.
pub fn money(micros: i64) -> String {
    let dollars = micros as f64 / 1e6;
    if micros < 10_000 { format!("${dollars:.4}") } else { format!("${dollars:.2}") }
}

/// The answers of a transcript since a time; `None` when it was not changed since.
pub fn answers(path: &Path, since: Stamp) -> Option<Answers> {
    let changed = path.metadata().and_then(|meta| meta.modified()).map(Stamp::from);
    if changed.is_ok_and(|at| at < since) {
        return None;
    }
    read(path, since, None)
}

/// What transcripts hold, read again only where a file changed.
#[derive(Debug, Default)]
pub struct Ledger {
    known: HashMap<PathBuf, (u64, Stamp, Option<Answers>)>,
}

impl Ledger {
    /// Reads a transcript, unless it is as it was. False when it was not read.
    pub fn refresh(&mut self, path: &Path, since: Stamp) -> bool {
        let Ok(meta) = path.metadata() else {
            return self.known.remove(path).is_some();
        };
        let changed = meta.modified().map_or(Stamp(0), Stamp::from);
        let as_it_was = |(len, at, _): &(u64, Stamp, Option<Answers>)| *len == meta.len() && *at == changed;
        if self.known.get(path).is_some_and(as_it_was) {
            return false;
        }
        self.known.insert(path.to_path_buf(), (meta.len(), changed, answers(path, since)));
        true
    }

    /// The answers of every transcript.
    pub fn all(&self) -> impl Iterator<Item = &Answers> {
        self.known.values().filter_map(|(_, _, answers)| answers.as_ref())
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests set up files")]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"type":"assistant","sessionId":"s1","cwd":"/p","gitBranch":"main","timestamp":"2026-11-17T10:00:00.000Z","uuid":"u1","message":{"id":"m1","model":"claude-opus-4-8","role":"assistant","content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":1000,"output_tokens":200}}}"#;

    #[test]
    fn a_transcript_is_read_again_only_when_it_changed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("one.jsonl");
        std::fs::write(&path, format!("{ANSWER}\n")).unwrap();
        let mut ledger = Ledger::default();
        assert!(ledger.refresh(&path, Stamp(0)) && !ledger.refresh(&path, Stamp(0)));
        let mut sum = Sum::default();
        let of = |ledger: &Ledger, sum: &mut Sum| {
            for answers in ledger.all() {
                assert_eq!((answers.branch.as_str(), answers.cwd.as_str()), ("main", "/p"));
                for ((day, model), used) in &answers.by_day {
                    assert!(sum.add(&Prices::default(), &answers.session, (day, model), used));
                }
            }
        };
        of(&ledger, &mut sum);
        assert_eq!((sum.micros, sum.money(), sum.tokens()), (10_000, "$0.01".to_owned(), 1_200));
        let second = ANSWER.replace("\"m1\"", "\"m2\"").replace("\"u1\"", "\"u2\"");
        std::fs::write(&path, format!("{ANSWER}\n{second}\n")).unwrap();
        assert!(ledger.refresh(&path, Stamp(0)));
        let mut sum = Sum::default();
        of(&ledger, &mut sum);
        assert_eq!((sum.micros, sum.sessions.len()), (20_000, 1));
    }

    #[test]
    fn a_model_without_a_price_has_tokens_and_no_money() {
        let used =
            crate::tokens::Tokens { all: Usage { input: 5, ..Usage::default() }, ..Default::default() };
        let mut sum = Sum::default();
        assert!(!sum.add(&Prices::default(), "s", ("2026-11-17", "nobody-knows"), &used));
        assert_eq!((sum.money(), sum.unpriced), ("?".to_owned(), 5));
    }
}
