//! Knowledge and recall, without the program around them.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]

mod knowledge;
mod library;
mod recall_quality;
