//! How many tokens a text is, estimated. Tokenizers differ and the largest model's is not public; this counts words,
//! digits and signs the way byte-pair vocabularies trained on code cut them, and is within some per cent of one.

/// The tokens of a text, roughly.
pub fn estimate(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut tokens = 0_u64;
    let mut at = 0;
    while let Some((class, size)) = class_at(text, bytes, at) {
        let (mut length, mut lines) = (1_u64, u64::from(bytes.get(at) == Some(&b'\n')));
        at += size;
        while let Some((next, size)) = class_at(text, bytes, at)
            && next == class
            // `fooBar` is two words.
            && !(class == Class::Word && is_hump(bytes, at))
        {
            lines += u64::from(bytes.get(at) == Some(&b'\n'));
            length += 1;
            at += size;
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

/// The class of every plain character: a text is read by its bytes, because the longest are the ones that are estimated.
const PLAIN: [Class; 128] = {
    let mut table = [Class::Sign; 128];
    let mut at = 0;
    while at < 128 {
        let byte = at as u8;
        #[allow(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
        {
            table[at] = match byte {
                b' ' | b'\t'..=b'\r' => Class::Space,
                b'0'..=b'9' => Class::Digit,
                b'_' => Class::Joint,
                _ if byte.is_ascii_alphabetic() => Class::Word,
                _ => Class::Sign,
            };
        }
        at += 1;
    }
    table
};

/// The class of the character that begins at a byte, and its bytes.
#[inline]
fn class_at(text: &str, bytes: &[u8], at: usize) -> Option<(Class, usize)> {
    let byte = *bytes.get(at)?;
    if let Some(class) = PLAIN.get(usize::from(byte)) {
        return Some((*class, 1));
    }
    let c = text.get(at..)?.chars().next()?;
    Some((if c.is_whitespace() { Class::Space } else { Class::Other }, c.len_utf8()))
}

/// A capital after a small letter.
#[inline]
fn is_hump(bytes: &[u8], at: usize) -> bool {
    let capital = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    capital(at) && !capital(at - 1)
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
            .chunk_by(|a, b| class(*a) == class(*b) && !(b.is_ascii_uppercase() && !a.is_ascii_uppercase()));
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
