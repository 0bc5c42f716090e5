//! Text to token ids: the uncased WordPiece tokenizer of BERT. Clean, split ideographs, strip accents, lower-case,
//! split at whitespace and punctuation, then match the longest known pieces from the left.

use crate::vocab::{self, BEGIN, END, UNKNOWN};
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// The most tokens of a text that the encoder uses; the rest is ignored.
pub const MAX_TOKENS: usize = 256;

/// A word with more characters than this is unknown.
const MAX_WORD_CHARS: usize = 100;

/// The token ids of a text, with the begin and end tokens.
pub fn tokens(text: &str) -> Vec<u16> {
    let mut ids = vec![BEGIN];
    let mut word = String::new();
    let limit = MAX_TOKENS - 1;
    for c in normalised(text) {
        if c == ' ' {
            pieces(&mut word, &mut ids);
        } else if is_punctuation(c) {
            pieces(&mut word, &mut ids);
            word.push(c);
            pieces(&mut word, &mut ids);
        } else {
            word.push(c);
        }
        if ids.len() > limit {
            break;
        }
    }
    pieces(&mut word, &mut ids);
    ids.truncate(limit);
    ids.push(END);
    ids
}

/// The normalized text, lazily: only the beginning of a long text is processed.
fn normalised(text: &str) -> impl Iterator<Item = char> + '_ {
    let cleaned = text.chars().filter_map(|c| match c {
        '\0' | '\u{fffd}' => None,
        _ if is_whitespace(c) => Some(' '),
        _ if is_control(c) => None,
        _ => Some(c),
    });
    let spaced = cleaned.flat_map(|c| {
        let (around, c) = if is_ideograph(c) { (Some(' '), c) } else { (None, c) };
        around.into_iter().chain(std::iter::once(c)).chain(around)
    });
    spaced
        .nfd()
        .filter(|c| c.general_category() != GeneralCategory::NonspacingMark)
        .flat_map(char::to_lowercase)
}

fn is_whitespace(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r') || c.is_whitespace()
}

fn is_control(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Other
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || (!c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Punctuation)
}

const fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b73f}'
        | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

/// Adds the pieces of a word and clears it: repeatedly the longest known piece from the left. When no piece matches the
/// rest, the whole word is unknown.
fn pieces(word: &mut String, ids: &mut Vec<u16>) {
    if word.is_empty() {
        return;
    }
    let first = ids.len();
    let mut rest = word.as_str();
    if rest.chars().take(MAX_WORD_CHARS + 1).count() > MAX_WORD_CHARS {
        ids.push(UNKNOWN);
        word.clear();
        return;
    }
    while !rest.is_empty() {
        let continues = ids.len() > first;
        let ends = rest.char_indices().rev().map(|(at, c)| at + c.len_utf8());
        let longest = ends
            // No word of the vocabulary is longer.
            .skip_while(|end| *end > 64)
            .find_map(|end| {
                let (piece, tail) = rest.split_at_checked(end)?;
                Some((vocab::find(piece, continues)?, tail))
            });
        let Some((id, tail)) = longest else {
            ids.truncate(first);
            ids.push(UNKNOWN);
            break;
        };
        ids.push(id);
        rest = tail;
    }
    word.clear();
}
