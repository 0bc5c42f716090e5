//! The shell grammar: text → [`ast::Script`]. Tolerant (it always gives a tree), linear, and bounded in depth.

pub(crate) mod ast;
mod compound;
mod parse;
mod word;

pub(crate) use parse::{parse, quoted_word};
