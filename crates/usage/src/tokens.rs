//! The tokens of a transcript, by day and model.

use crate::price::is_long;
use sprag_base::time::Stamp;
use sprag_protocol::transcript::Usage;
use sprag_transcript::{Cursor, Reader};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The answers of one transcript, each with its day.
#[derive(Debug, Default)]
pub struct Answers {
    /// The agent's own id of the session.
    pub session: String,
    /// The agent.
    pub agent: String,
    /// The branch.
    pub branch: String,
    /// Where the agent was.
    pub cwd: String,
    /// Day and model, tokens.
    pub by_day: BTreeMap<(String, String), Tokens>,
}

/// Tokens of several answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Of all of them.
    pub all: Usage,
    /// Of those whose request was long enough to cost more.
    pub long: Usage,
}

/// The day of a time in UTC: `2026-11-15`.
pub fn day(at: Stamp) -> String {
    let (year, month, day, ..) = at.civil();
    format!("{year:04}-{month:02}-{day:02}")
}

/// Reads a transcript's tokens since a time. Records repeat the usage of their answer: the largest counts. Records before the
/// first time that the transcript names are of `unnamed`, or left out.
pub fn read(path: &Path, since: Stamp, unnamed: Option<Stamp>) -> Option<Answers> {
    let mut reader = Reader::open(path, Cursor::default()).ok()?;
    let mut answers: HashMap<String, (String, String, Usage)> = HashMap::new();
    let mut last = unnamed;
    while let Some(record) = reader.next() {
        last = record.time.or(last);
        let Some(usage) = record.usage else { continue };
        let Some(at) = last.filter(|at| *at >= since) else { continue };
        let model = reader.facts().model.clone();
        let known =
            answers.entry(usage.answer.clone()).or_insert_with(|| (day(at), model.clone(), Usage::default()));
        if usage.output >= known.2.output {
            *known = (day(at), model, usage);
        }
    }
    let facts = reader.facts();
    let mut by_day: BTreeMap<(String, String), Tokens> = BTreeMap::new();
    for (_, (day, model, used)) in answers {
        let is_long = is_long(&model, used.context());
        let sum = by_day.entry((day, model)).or_default();
        add(&mut sum.all, &used);
        if is_long {
            add(&mut sum.long, &used);
        }
    }
    Some(Answers {
        session: facts.session_id.clone(),
        agent: facts.agent.map(|agent| agent.name().to_owned()).unwrap_or_default(),
        branch: facts.branch.clone(),
        cwd: facts.cwd.clone(),
        by_day,
    })
}

/// Adds tokens to a sum.
pub const fn add(sum: &mut Usage, one: &Usage) {
    sum.input += one.input;
    sum.output += one.output;
    sum.cache_read += one.cache_read;
    sum.cache_write += one.cache_write;
}
