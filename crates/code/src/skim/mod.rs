//! Facts without a tree: the languages that are read most are read by eye, token by token, several times faster than
//! a parser makes its tree. What is found is what the tree would give, or nothing (docs/adr/0025).

mod go;
mod python;
mod rust;
mod script;

use crate::facts::Facts;
use crate::language::Language;
use crate::source::Source;

/// The facts of a text; `None` for every text that a tree must be asked about: other languages, and whatever is broken,
/// odd, or too deep.
pub fn facts(language: Language, source: &Source) -> Option<Facts> {
    // A text that was cut or mended on the way in is not read by eye.
    if !source.notes.is_empty() {
        return None;
    }
    match language {
        Language::Python => python::facts(source),
        Language::TypeScript | Language::Tsx | Language::JavaScript => script::facts(language, source),
        Language::Rust => rust::facts(source),
        Language::Go => go::facts(source),
        _ => None,
    }
}
