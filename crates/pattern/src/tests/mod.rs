//! Tests of the whole module: constructs, a table of JavaScript answers, limits, properties, matchers.
//! Tests of single helpers stand next to them.

mod errors;
mod js_table;
mod limits;
mod literals;
mod matchers;
mod properties;

use super::{Flags, Pattern};

/// Flags from their letters.
fn flags(letters: &str) -> Flags {
    Flags {
        ignore_case: letters.contains('i'),
        multi_line: letters.contains('m'),
        dot_all: letters.contains('s'),
    }
}

/// The text of the first match.
fn found<'t>(source: &str, letters: &str, text: &'t str) -> Option<&'t str> {
    let pattern = Pattern::compile_with(source, flags(letters)).unwrap_or_else(|e| panic!("{source}: {e}"));
    pattern.find(text, 1_000_000).unwrap().map(|range| text.get(range).unwrap())
}
