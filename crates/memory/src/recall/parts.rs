//! The memories of one origin, a file mostly, as it is now: parts that did not change keep their history, parts that are
//! gone are forgotten.

use super::{Draft, Error, Library};

impl Library {
    /// Makes these drafts the memories of an origin; how many are new or changed. A part that was edited keeps its id, its
    /// uses and the text it had.
    pub fn keep_parts(&mut self, origin: &str, drafts: Vec<Draft>, now: i64) -> Result<usize, Error> {
        let old = self.store.memories_of(origin)?;
        let mut kept = Vec::new();
        let mut new = Vec::new();
        for draft in drafts {
            let clean = Draft { origin: origin.to_owned(), ..draft.clone() }.clean(now)?;
            kept.push(clean.text_hash.clone());
            if old.iter().any(|memory| memory.is.text_hash == clean.text_hash) {
                // The same part: it lives on from now.
                self.store.add_memory(&clean, now)?;
            } else {
                new.push(Draft { origin: origin.to_owned(), ..draft });
            }
        }
        let gone = old.iter().filter(|memory| !kept.contains(&memory.is.text_hash));
        let mut gone: Vec<String> = gone.map(|memory| memory.id.clone()).collect();
        let changed = new.len() + gone.len().saturating_sub(new.len());
        for draft in new {
            if gone.is_empty() {
                self.remember(&draft, now)?;
            } else {
                let id = gone.remove(0);
                self.edit(&id, None, &draft, now)?;
            }
        }
        self.store.forget_memories(&gone)?;
        Ok(changed)
    }
}
