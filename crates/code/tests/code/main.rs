//! Symbols, calls and the index, in every language.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

mod callgraph;
mod hostile;
mod languages;
mod projects;
mod scanner;
#[path = "../callgraph/score.rs"]
mod score;
