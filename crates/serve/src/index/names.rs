//! Texts by number: what a million lines repeat is kept once.

use std::collections::HashMap;

/// The texts of an index: words that many lines share, and what tells sessions and folders apart.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    /// Hooks, rules, tools, events, agents, chains.
    pub(crate) words: Names,
    /// Sessions and folders.
    pub(crate) places: Names,
}

/// Texts and their numbers.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    bytes: usize,
}

/// The most texts and bytes that are told apart; what comes later is one of many.
const MAX_TEXTS: usize = 60_000;
const MAX_BYTES: usize = 12 << 20;
/// What those that come later are called.
const OTHER: &str = "(other)";

impl Names {
    /// The number of a text. The empty text is 0.
    pub(crate) fn number(&mut self, text: &str) -> u32 {
        if self.texts.is_empty() {
            self.add("");
        }
        match self.numbers.get(text) {
            Some(number) => *number,
            None if self.texts.len() >= MAX_TEXTS || self.bytes + text.len() > MAX_BYTES => {
                self.numbers.get(OTHER).copied().unwrap_or_else(|| self.add(OTHER))
            }
            None => self.add(text),
        }
    }

    fn add(&mut self, text: &str) -> u32 {
        let number = self.texts.len() as u32;
        self.bytes += text.len();
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// The text of a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }

    /// The number of a text that is known.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// All texts, by number.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number_and_too_many_texts_share_one() {
        let mut names = Names::default();
        let (one, two) = (names.number("one"), names.number("two"));
        assert_eq!((names.number("one"), names.number("")), (one, 0));
        assert_eq!(names.text(two), "two");
        (0..MAX_TEXTS + 100).for_each(|number| {
            names.number(&format!("text {number}"));
        });
        assert!(names.all().count() <= MAX_TEXTS + 1);
        assert_eq!(names.number("never seen"), names.number("never seen either"));
    }
}
