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
use read::{Lists, Reader};
use std::cell::Cell;

/// The facts of a text of Go.
pub(super) fn facts(source: &Source) -> Option<Facts> {
    thread_local! {
        // The lists are several times as long as the text: to make them anew for each costs more than to fill them.
        static LISTS: Cell<Lists> = Cell::default();
    }
    let mut lists = LISTS.take();
    let facts = read(source, &mut lists);
    LISTS.set(lists.emptied());
    facts
}

fn read(source: &Source, lists: &mut Lists) -> Option<Facts> {
    let depth = lex::tokens(source, &mut lists.tokens)?;
    let mut reader = Reader::new(source, lists, depth);
    let imports = reader.file()?;
    Some(replay::facts(source, &reader, imports))
}
