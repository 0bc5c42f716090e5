//! Patterns: several agents at one piece of work. The pure part says who has which role and what a run has come to;
//! `live` joins it with the session's files and the store.

mod ending;
pub mod kind;
pub mod live;
mod news;
pub mod part;
pub mod status;
mod texts;
mod words;

pub use live::{claim_file, remember_lead};

pub use ending::{ended, lacks};
pub use texts::start as texts_of;
