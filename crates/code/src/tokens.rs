//! How many tokens a text is, estimated. Tokenizers differ and the largest model's is not public; this counts words,
//! digits and signs the way byte-pair vocabularies trained on code cut them, and is within some per cent of one.

/// The tokens of a text, roughly.
pub fn estimate(text: &str) -> u64 {
    // By bytes: the longest texts are the ones that are estimated.
    let (mut tokens, mut run, mut length) = (0, Class::Space, 0_u64);
    for (at, byte) in text.bytes().enumerate() {
        let mut class = class(byte);
        if class == Class::Other {
            match text.get(at..).and_then(|rest| rest.chars().next()) {
                // Inside a character.
                None => continue,
                Some(c) if c.is_whitespace() => class = Class::Space,
                Some(_) => {}
            }
        }
        // `fooBar` is two words, `HTTPServer` one.
        if class != run && !(run == Class::Capital && class == Class::Small) {
            tokens += run.tokens(length);
            length = 0;
        }
        run = class;
        // The end of a line counts, even alone.
        length += 1 + u64::from(byte == b'\n');
    }
    tokens + run.tokens(length)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Small,
    Capital,
    Digit,
    Sign,
    /// An underscore belongs to the word after it.
    Joint,
    /// A byte of another alphabet.
    Other,
}

impl Class {
    /// The tokens of so many characters of this class in a row.
    fn tokens(self, length: u64) -> u64 {
        match self {
            // One space belongs to the word after it.
            Self::Space => u64::from(length > 1),
            Self::Small | Self::Capital => 1 + u64::from(length > 9) + u64::from(length > 15) + length / 24,
            Self::Digit => length.div_ceil(3),
            Self::Sign => length.div_ceil(2),
            Self::Joint => length.div_ceil(4) - u64::from(length == 1),
            Self::Other => length,
        }
    }
}

#[inline]
fn class(byte: u8) -> Class {
    const CLASSES: [Class; 256] = {
        let mut classes = [Class::Other; 256];
        let mut byte = 0_u8;
        while byte < 128 {
            #[allow(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
            {
                classes[byte as usize] = match byte {
                    b' ' | b'\t'..=b'\r' => Class::Space,
                    b'a'..=b'z' => Class::Small,
                    b'A'..=b'Z' => Class::Capital,
                    b'0'..=b'9' => Class::Digit,
                    b'_' => Class::Joint,
                    _ => Class::Sign,
                };
            }
            byte += 1;
        }
        classes
    };
    CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::Other)
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

    /// The rule, character by character.
    fn plainly(text: &str) -> u64 {
        let class = |c: char| match c {
            c if c.is_whitespace() => ' ',
            c if c.is_ascii_alphabetic() => 'w',
            c if c.is_ascii_digit() => '0',
            '_' => '_',
            c if c.is_ascii() => '+',
            _ => 'o',
        };
        let letters: Vec<char> = text.chars().collect();
        let parts = letters
            .chunk_by(|a, b| class(*a) == class(*b) && (a.is_ascii_uppercase() || !b.is_ascii_uppercase()));
        parts
            .map(|part| {
                let length = part.len() as u64;
                match class(part[0]) {
                    ' ' => u64::from(length > 1 || part == ['\n']),
                    'w' => 1 + u64::from(length > 9) + u64::from(length > 15) + length / 24,
                    '0' => length.div_ceil(3),
                    '+' => length.div_ceil(2),
                    '_' => length.div_ceil(4) - u64::from(length == 1),
                    _ => length,
                }
            })
            .sum()
    }

    proptest! {
        #[test]
        fn read_by_bytes_it_is_the_same(text in "[a-cA-C0-9_ \n\t\u{b}+(é\u{a0}漢]{0,60}") {
            prop_assert_eq!(estimate(&text), plainly(&text));
        }

        #[test]
        fn never_more_than_characters_and_grows_with_text(a in "\\PC{0,80}", b in "\\PC{0,80}") {
            prop_assert!(estimate(&a) <= a.chars().count() as u64);
            let both = [a.as_str(), b.as_str()].concat();
            prop_assert!(estimate(&both) <= estimate(&a) + estimate(&b) + 1);
        }
    }
}
