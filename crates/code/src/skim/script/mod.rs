//! TypeScript, TSX and JavaScript, read by eye: tokens first, then one pass that knows statements, expressions and
//! types well enough to tell facts, and gives up on whatever does not fit.

mod ahead;
mod class;
mod element;
mod ending;
mod expression;
mod kind;
mod lex;
mod module;
mod object;
mod pattern;
mod read;
mod statement;
#[cfg(test)]
mod tests;
mod typed;
mod types;
mod value;
mod variable;

use crate::facts::Facts;
use crate::language::Language;
use crate::source::Source;
use read::Reader;

/// The facts of a text; `None` for what needs a parser.
pub(super) fn facts(language: Language, source: &Source) -> Option<Facts> {
    let typed = language != Language::JavaScript;
    let tokens = lex::tokens(&source.text, language != Language::TypeScript, typed)?;
    let mut reader = Reader::new(language, source, tokens);
    reader.program()?;
    Some(reader.finish())
}
