//! Patterns: several agents at one piece of work. The pure part says who has which role and what a run has come to;
//! `live` joins it with the session's files and the store.

pub mod author;
mod ending;
pub mod kind;
pub mod live;
mod news;
pub mod part;
pub mod request;
pub mod seats;
pub mod status;
mod texts;
mod words;

pub use live::{claim_file, remember_lead};

pub use ending::{ended, lacks};
pub use texts::start as texts_of;

/// The characters that are kept of one text.
const MAX_TEXT: usize = 8_000;

/// As much of a text as is kept.
pub fn clip(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}
