//! What other programs remember, as drafts of memories: notes in Markdown, observations in SQLite, exports in JSON. Nothing
//! of theirs is changed.

pub mod json;
pub mod ledgers;
pub mod notes;
pub mod observations;

use crate::recall::{Draft, Maker};
use sprag_base::time::Stamp;

/// What every draft of an import has.
#[derive(Clone, Debug, Default)]
pub struct Base {
    /// `user` or `project`.
    pub scope: String,
    /// Which project.
    pub place: String,
    /// The project in which the import was made.
    pub project: String,
    /// The program it comes from, as a tag.
    pub program: String,
    /// Who makes the import: an agent may run it too.
    pub maker: Maker,
}

impl Base {
    fn draft(&self, text: String, kind: &str, tags: Vec<String>) -> Draft {
        let mut tags = tags;
        tags.push(self.program.clone());
        Draft {
            text,
            kind: kind.to_owned(),
            scope: self.scope.clone(),
            place: self.place.clone(),
            tags,
            maker: self.maker,
            project: self.project.clone(),
            ..Draft::default()
        }
    }
}

/// A time as programs write it: RFC 3339 with `Z` or an offset, or the same with a blank. The offset is ignored: a day is
/// what counts.
fn time_of(text: &str) -> Option<i64> {
    let plain = text.trim().replace(' ', "T");
    let day = plain.get(..10)?;
    let clock = plain.get(11..19).filter(|_| plain.as_bytes().get(10) == Some(&b'T')).unwrap_or("00:00:00");
    let stamp = Stamp::parse(&format!("{day}T{clock}Z"))?;
    i64::try_from(stamp.0).ok()
}
