//! The word lists, as texts are folded: small letters, no accents, no apostrophes, one blank between words.

mod address;
mod asian;
mod english;
mod english_more;
mod germanic;
mod others;
mod romance;
mod slavic;

use super::lexicon::Means;

/// Meanings and the words that have them, separated by `|`; a `*` at the end makes a stem.
pub(super) type List = &'static [(Means, &'static str)];

/// Every list.
pub(super) const ALL: [List; 8] = [
    address::LIST,
    english::LIST,
    english_more::LIST,
    germanic::LIST,
    romance::LIST,
    slavic::LIST,
    asian::LIST,
    others::LIST,
];
