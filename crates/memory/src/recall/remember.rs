//! Keeping a memory: without secrets, once, and searchable by words and by meaning when it returns.

use super::library::CATCH_UP;
use super::supersede::supersedes;
use super::vectors::{Fit, Synced};
use super::words::{content_words, same_stem};
use super::{Embedded, Error, Library, Maker};
use sprag_base::id::short_hash;
use sprag_encoder::Vector;
use sprag_scan::scrub::scrub;
use sprag_store::{Added, Memory, NewMemory, Reach};

/// The most characters of a memory: longer texts are files, which are kept in parts.
pub const MAX_CHARS: usize = 8_000;

/// A text to be remembered.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// What sort of thing it is.
    pub kind: String,
    /// `user`, `project` or `agent`.
    pub scope: String,
    /// Which project or agent.
    pub place: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The agent program it comes from.
    pub agent: String,
    /// The session it comes from.
    pub session: String,
    /// The file it is a part of.
    pub origin: String,
    /// 1 to 10; 0 is the usual 5.
    pub importance: i64,
    /// Microseconds until it is forgotten.
    pub lives: Option<i64>,
    /// Who made it.
    pub maker: Maker,
    /// The project in which it was made.
    pub project: String,
    /// Since when it holds, when that is not now.
    pub valid_from: Option<i64>,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remembered {
    /// It is new.
    New(String),
    /// The same text was there.
    Same(String),
    /// Nearly the same text was there: it counts as met again.
    Near(String),
}

impl Remembered {
    /// The id of the memory that is there now.
    pub fn id(&self) -> &str {
        match self {
            Self::New(id) | Self::Same(id) | Self::Near(id) => id,
        }
    }
}

/// Equal for texts that differ in blanks and case alone.
pub fn text_hash(text: &str) -> String {
    let plain: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    short_hash(plain.join(" ").as_bytes())
}

impl Draft {
    /// What a memory is now, for a change of some of it.
    pub fn of(memory: &Memory, now: i64) -> Self {
        let is = &memory.is;
        Self {
            text: is.text.clone(),
            kind: is.kind.clone(),
            scope: is.scope.clone(),
            place: is.place.clone(),
            tags: is.tags.split_whitespace().map(str::to_owned).collect(),
            agent: is.agent.clone(),
            session: is.session.clone(),
            origin: is.origin.clone(),
            importance: is.importance,
            lives: is.expires.map(|at| at - now),
            maker: Maker::parse(&is.source).unwrap_or_default(),
            project: is.project.clone(),
            valid_from: is.valid_from,
        }
    }

    /// The row, without secrets.
    pub fn clean(&self, now: i64) -> Result<NewMemory, Error> {
        let text = scrub(self.text.trim()).into_owned();
        if text.is_empty() {
            return Err(Error::Refused("an empty text cannot be remembered"));
        }
        if text.chars().count() > MAX_CHARS {
            return Err(Error::Refused(
                "the text is too long for a memory (8000 characters); keep it as a file",
            ));
        }
        let tag = |tag: &String| {
            let plain: String = tag.chars().map(|c| if c.is_whitespace() { '-' } else { c }).collect();
            scrub(&plain).into_owned()
        };
        let tags: Vec<String> = self.tags.iter().map(tag).filter(|tag| !tag.is_empty()).collect();
        Ok(NewMemory {
            kind: if self.kind.is_empty() { "learning".to_owned() } else { self.kind.clone() },
            scope: if self.scope.is_empty() { "user".to_owned() } else { self.scope.clone() },
            place: self.place.clone(),
            text_hash: text_hash(&text),
            text,
            tags: tags.join(" "),
            agent: self.agent.clone(),
            session: self.session.clone(),
            origin: self.origin.clone(),
            importance: if self.importance == 0 { 5 } else { self.importance.clamp(1, 10) },
            expires: self.lives.map(|lives| now.saturating_add(lives)),
            source: self.maker.name().to_owned(),
            project: self.project.clone(),
            valid_from: self.valid_from,
            quarantine: self.maker.quarantine(&self.text),
        })
    }
}

/// True when two texts say the same in nearly the same words. Numbers, names in code and negations must be equal: "the
/// port is 3000" and "the port is 4000" are near each other and not the same.
pub fn is_near(a: &str, b: &str, cosine: f32) -> bool {
    if cosine < 0.9 || marks(a) != marks(b) {
        return false;
    }
    let (a, b) = (content_words(a), content_words(b));
    let has = |words: &[String], word: &String| words.iter().any(|other| same_stem(word, other));
    let common = a.iter().filter(|word| has(&b, word)).count();
    let all = a.len() + b.iter().filter(|word| !has(&a, word)).count();
    let alike = common as f32 / all.max(1) as f32;
    alike >= 0.6 || (cosine >= 0.96 && alike >= 0.4)
}

/// What makes a difference however small it is: numbers, names in code, negations.
fn marks(text: &str) -> Vec<String> {
    const NEGATIONS: [&str; 8] = ["not", "no", "never", "without", "dont", "doesnt", "cannot", "isnt"];
    let plain: String = text.chars().filter(|c| !matches!(c, '\'' | '\u{2019}')).collect();
    let mut marks: Vec<String> = plain
        .split(|c: char| {
            c.is_whitespace() || matches!(c, ',' | ';' | ':' | '(' | ')' | '"' | '`' | '?' | '!')
        })
        .map(|word| word.trim_matches('.').to_lowercase())
        .filter(|word| {
            word.chars().any(|c| c.is_ascii_digit())
                || word.contains(['_', '/', '.', '-', '='])
                || NEGATIONS.contains(&word.as_str())
        })
        .collect();
    marks.sort();
    marks.dedup();
    marks
}

/// So many of the nearest memories are compared with a new one.
const NEAR: usize = 8;

/// True when a new memory takes the place of an old one. What a person said is not ended by an agent.
fn may_supersede(old: &Memory, new: &NewMemory) -> bool {
    let by_person = |source: &str| source == Maker::Person.name();
    (by_person(&new.source) || !by_person(&old.is.source)) && supersedes(&old.is.text, &new.text)
}

impl Library {
    /// Keeps a text. When this returns, it is found by words and by meaning; when the endpoint is unavailable, by words until
    /// the background has made its vector, and [`Library::trouble`] says so.
    pub fn remember(&mut self, draft: &Draft, now: i64) -> Result<Remembered, Error> {
        let new = draft.clean(now)?;
        let vector = self.vector_of(&new.text)?;
        let near =
            vector.as_ref().map(|made| self.near(&new, &made.vector, now)).transpose()?.unwrap_or_default();
        if let Some((old, _)) = near.iter().find(|(old, cosine)| is_near(&old.is.text, &new.text, *cosine)) {
            self.store.touch_memory(&old.id, now)?;
            return Ok(Remembered::Near(old.id.clone()));
        }
        let kept = match self.store.add_memory(&new, now)? {
            Added::Known(id) => Remembered::Same(id),
            Added::New { id, seq } => {
                self.put(seq, vector)?;
                Remembered::New(id)
            }
        };
        if new.quarantine.is_empty() && new.origin.is_empty() {
            for (old, _) in near.iter().filter(|(old, _)| may_supersede(old, &new)) {
                self.store.supersede_memory(&old.id, kept.id(), new.valid_from.unwrap_or(now))?;
            }
        }
        Ok(kept)
    }

    /// The memories of the same place that are nearest to a text, but the one that has exactly it.
    fn near(&mut self, new: &NewMemory, vector: &Vector, now: i64) -> Result<Vec<(Memory, f32)>, Error> {
        let reach = Reach { project: new.place.clone(), agent: new.place.clone(), all: false };
        let (state, synced) = self.sync(CATCH_UP)?;
        let by_server = if synced == Synced::Whole { None } else { self.by_server(vector, &reach, NEAR)? };
        let scan = if let Some(scan) = by_server {
            scan
        } else {
            self.sync(i64::MAX)?;
            let fit = Fit::new(&state, self.embedder.model(), self.embedder.dimensions());
            self.file.scan(&fit, vector, &reach, NEAR)?
        };
        let seqs: Vec<i64> = scan.nearest.iter().map(|(seq, _)| *seq).collect();
        let near = self.store.memories_by_seq(&seqs, &reach, now)?;
        let same_place = |old: &Memory| {
            old.is.scope == new.scope && old.is.place == new.place && old.is.origin == new.origin
        };
        let found = scan.nearest.iter().filter_map(|(seq, cosine)| {
            let old = near.iter().find(|old| old.seq == *seq)?;
            (same_place(old) && old.is.text_hash != new.text_hash).then(|| (old.clone(), *cosine))
        });
        Ok(found.collect())
    }

    /// Changes a memory; the text that was is kept. False when it is not there, or not as the caller saw it.
    pub fn edit(&mut self, id: &str, seen: Option<i64>, draft: &Draft, now: i64) -> Result<bool, Error> {
        let new = draft.clean(now)?;
        let Some(seq) = self.store.edit_memory(id, seen, &new, now)? else { return Ok(false) };
        let vector = self.vector_of(&new.text)?;
        self.put(seq, vector)?;
        Ok(true)
    }

    /// The vector of a text, unless the endpoint is unavailable. One that was unavailable for a text is not waited for at the next.
    fn vector_of(&mut self, text: &str) -> Result<Option<Embedded>, Error> {
        if self.trouble.is_some() {
            return Ok(None);
        }
        match self.embedder.text(text) {
            Err(error @ Error::Endpoint(_)) => {
                self.trouble = Some(error.to_string());
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// Keeps the vector of a memory, in the store, in the file and where the server searches.
    fn put(&mut self, seq: i64, made: Option<Embedded>) -> Result<(), Error> {
        /// Rows for the server's table that whoever keeps one memory adds; more is the background's business.
        const A_FEW: i64 = 64;
        let mut served = false;
        if let Some(made) = made {
            self.put_made(vec![(seq, made)])?;
            let model = self.embedder.model();
            served = self.store.fill_pgvector(model, A_FEW)?;
        }
        self.sync(if served { CATCH_UP } else { i64::MAX })?;
        self.behind |= self.trouble.is_some();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_negations_tell_near_texts_apart() {
        let near = |a: &str, b: &str| is_near(a, b, 0.97);
        assert!(near("Always run the linter before you push", "Always run the linter before pushing"));
        assert!(!near("The dev server runs on port 3000", "The dev server runs on port 4000"));
        assert!(!near("Use the cache in CI", "Do not use the cache in CI"));
        assert!(!near("Edit src/a.rs for the parser", "Edit src/b.rs for the parser"));
        assert!(!is_near("Always run the linter", "Always run the linter first", 0.8));
    }

    #[test]
    fn fault_of_the_reference_a_secret_is_not_stored() {
        let draft = Draft {
            text: "The token is ghp_0123456789abcdefghijABCDEFGHIJ012345".into(),
            ..Draft::default()
        };
        let new = draft.clean(0).unwrap();
        assert!(!new.text.contains("ghp_0123456789"), "{}", new.text);
    }
}
