//! The encoder against its reference.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail, and sets up files")]

mod golden;
mod rules;
