//! Go by eye: tokens, then one reading after the grammar that only keeps what facts are made of.
//! The grammar is small and its statements end at lines, so that nearly every text that is broken is seen to be.

mod event;
mod expression;
mod lex;
mod literal;
mod read;
mod replay;
mod statement;
#[cfg(test)]
mod tests;
mod token;
mod types;

use crate::facts::Facts;
use crate::source::Source;

/// The facts of a text of Go.
pub(super) fn facts(source: &Source) -> Option<Facts> {
    let mut reader = read::Reader::new(source, lex::tokens(source)?);
    let imports = reader.file()?;
    Some(replay::facts(source, &reader, imports))
}
