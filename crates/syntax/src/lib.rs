//! The shell grammar: text → [`ast::Script`]. Tolerant (it always gives a tree), linear, and bounded in depth.

#[allow(missing_docs, reason = "the parts of a tree are what the grammar calls them")]
pub mod ast;
mod compound;
mod parse;
pub mod text;
mod word;

pub use parse::{Parsed, parse, quoted_word};
