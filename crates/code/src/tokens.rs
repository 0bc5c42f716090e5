//! How many tokens a text is, estimated. Tokenizers differ and the largest model's is not public; this counts words,
//! digits and signs the way byte-pair vocabularies trained on code cut them, and is within some per cent of one.

/// The tokens of a text, roughly.
pub fn estimate(text: &str) -> u64 {
    // Byte by byte through a table: the longest texts are the ones that are estimated.
    let (mut tokens, mut state) = (0, START);
    for (at, byte) in text.bytes().enumerate() {
        let class = if byte.is_ascii() {
            CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::Sign)
        } else {
            match text.get(at..).and_then(|rest| rest.chars().next()) {
                // Inside a character.
                None => continue,
                Some(c) if c.is_whitespace() => Class::Space,
                Some(_) => Class::Other,
            }
        };
        let row = STEPS.get(usize::from(state)).unwrap_or(&[0; CLASS_COUNT]);
        state = row.get(class as usize).copied().unwrap_or(START);
        tokens += u64::from(state >= COSTS);
        state &= !COSTS;
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Line,
    Small,
    Capital,
    Digit,
    Sign,
    /// An underscore belongs to the word after it.
    Joint,
    /// A character of another alphabet.
    Other,
}
const CLASS_COUNT: usize = 8;

#[allow(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
const CLASSES: [Class; 128] = {
    let mut classes = [Class::Sign; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'\n' => Class::Line,
            b' ' | b'\t'..=b'\r' => Class::Space,
            b'a'..=b'z' => Class::Small,
            b'A'..=b'Z' => Class::Capital,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Joint,
            _ => Class::Sign,
        };
        byte += 1;
    }
    classes
};

/// Nothing was read. The states of a run of characters follow: which one of its kind was read last. Where a long run begins
/// to cost the same again and again, its states begin again.
const START: u8 = 0;
const SPACES: u8 = START + 1;
const WORDS: u8 = SPACES + 3;
/// The same as a word, when the last letter was a capital.
const CAPITALS: u8 = WORDS + 47;
const DIGITS: u8 = CAPITALS + 47;
const SIGNS: u8 = DIGITS + 3;
const JOINTS: u8 = SIGNS + 2;
const OTHERS: u8 = JOINTS + 8;
const STATES: usize = OTHERS as usize + 1;
/// Set on the way into a state that costs a token.
const COSTS: u8 = 128;
const _: () = assert!(STATES <= COSTS as usize);

/// The next state for every state and class.
static STEPS: [[u8; CLASS_COUNT]; STATES] = steps();

#[allow(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
const fn steps() -> [[u8; CLASS_COUNT]; STATES] {
    let mut steps = [[0; CLASS_COUNT]; STATES];
    let mut state = 0;
    while state < STATES as u8 {
        let row = &mut steps[state as usize];
        // For each kind: how many were read, with the one that comes. One space belongs to the word after it; the end of a line is a token even alone.
        let spaces = if state >= SPACES && state < WORDS { state - SPACES + 2 } else { 1 };
        row[Class::Space as usize] = match spaces {
            1 => SPACES,
            2 => (SPACES + 1) | COSTS,
            _ => SPACES + 2,
        };
        row[Class::Line as usize] = if spaces <= 2 { (SPACES + 1) | COSTS } else { SPACES + 2 };
        // `fooBar` is two words, `HTTPServer` one.
        let capitals = if state >= CAPITALS && state < DIGITS { state - CAPITALS + 2 } else { 1 };
        let letters = if state >= WORDS && state < CAPITALS { state - WORDS + 2 } else { capitals };
        row[Class::Small as usize] = word(WORDS, letters);
        row[Class::Capital as usize] = word(CAPITALS, capitals);
        // Three digits, two signs, four underscores.
        let digits = if state >= DIGITS && state < SIGNS { state - DIGITS + 2 } else { 1 };
        row[Class::Digit as usize] =
            if digits == 2 || digits == 3 { DIGITS + digits - 1 } else { DIGITS | COSTS };
        let signs = if state >= SIGNS && state < JOINTS { state - SIGNS + 2 } else { 1 };
        row[Class::Sign as usize] = if signs == 2 { SIGNS + 1 } else { SIGNS | COSTS };
        let joints = if state >= JOINTS && state < OTHERS { state - JOINTS + 2 } else { 1 };
        row[Class::Joint as usize] = match joints {
            2 => (JOINTS + 1) | COSTS,
            5 | 9 => (JOINTS + 4) | COSTS,
            _ => JOINTS + joints - 1,
        };
        row[Class::Other as usize] = OTHERS | COSTS;
        state += 1;
    }
    steps
}

/// The state after so many letters: long words are several tokens.
const fn word(from: u8, letters: u8) -> u8 {
    match letters {
        1 | 10 | 16 | 24 => (from + letters - 1) | COSTS,
        48 => (from + 23) | COSTS,
        _ => from + letters - 1,
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
        fn read_by_bytes_it_is_the_same(text in "([a-cA-C0-9_ \n\t\u{b}+(é\u{a0}漢]{0,60}|([a-c]{0,120}|[A-C]{0,60}|_{0,20}|[0-9]{0,9}|[ \n]{0,5}|[+(]{0,5}){1,6})") {
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
