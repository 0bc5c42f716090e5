//! How many tokens a text is, estimated. Tokenizers differ and the largest model's is not public; this counts words,
//! digits and signs the way byte-pair vocabularies trained on code cut them, and is within some per cent of one.

/// The tokens of a text, roughly.
pub fn estimate(text: &str) -> u64 {
    let mut tokens = 0_u64;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let class = Class::of(c);
        let mut length = 1_u64;
        let mut lines = u64::from(c == '\n');
        let mut last = c;
        while let Some(next) = rest.peek().copied() {
            // `fooBar` is two words.
            let hump = class == Class::Word && next.is_ascii_uppercase() && !last.is_ascii_uppercase();
            if Class::of(next) != class || hump {
                break;
            }
            lines += u64::from(next == '\n');
            length += 1;
            last = next;
            rest.next();
        }
        tokens += match class {
            // One space belongs to the word after it.
            Class::Space => u64::from(length > 1 || lines > 0),
            Class::Word => 1 + u64::from(length > 9) + u64::from(length > 15) + length / 24,
            Class::Digit => length.div_ceil(3),
            Class::Sign => length.div_ceil(2),
            Class::Joint => length.div_ceil(4) - u64::from(length == 1),
            Class::Other => length,
        };
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Word,
    Digit,
    Sign,
    /// An underscore belongs to the word after it.
    Joint,
    Other,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            c if c.is_whitespace() => Self::Space,
            c if c.is_ascii_alphabetic() => Self::Word,
            c if c.is_ascii_digit() => Self::Digit,
            '_' => Self::Joint,
            c if c.is_ascii() => Self::Sign,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::estimate;
    use proptest::prelude::*;

    #[test]
    fn about_what_a_tokenizer_says() {
        // Counted with cl100k.
        for (text, counted) in [
            ("def add(self, item: Item, count=1) -> int:\n    return count\n", 19),
            ("pub fn estimate_tokens(chars: u64) -> u64 {\n    chars.div_ceil(4)\n}\n", 23),
            ("", 0),
        ] {
            let estimated = estimate(text);
            let slack = counted / 4 + 1;
            assert!(estimated.abs_diff(counted) <= slack, "{text}: {estimated}, counted {counted}");
        }
    }

    proptest! {
        #[test]
        fn never_more_than_characters_and_grows_with_text(a in "\\PC{0,80}", b in "\\PC{0,80}") {
            prop_assert!(estimate(&a) <= a.chars().count() as u64);
            let both = [a.as_str(), b.as_str()].concat();
            prop_assert!(estimate(&both) <= estimate(&a) + estimate(&b) + 1);
        }
    }
}
