//! Words and phrases by what they mean for an instruction, in one hash table that the compiler builds.
//! A word that ends in `*` is a stem. The lists are in `words/`, one file per group of languages.

use super::words;
use crate::scrub::part::items;

/// A set of meanings.
pub(super) type Means = u64;

/// One entry: which text of which list, and whether it is a stem.
#[derive(Clone, Copy)]
struct Entry {
    text: &'static [u8],
    hash: u32,
    stem: bool,
    means: Means,
}

const SEED: u32 = 0x811c_9dc5;

/// One step of FNV-1a: hashes of a text's beginnings come for free.
const fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn count() -> usize {
    let mut total = 0;
    let mut list = 0;
    while list < words::ALL.len() {
        let mut group = 0;
        while group < words::ALL[list].len() {
            let bytes = words::ALL[list][group].1.as_bytes();
            let mut at = 0;
            total += 1;
            while at < bytes.len() {
                if bytes[at] == b'|' {
                    total += 1;
                }
                at += 1;
            }
            group += 1;
        }
        list += 1;
    }
    total
}

const COUNT: usize = count();
const SLOTS: usize = 32_768;

#[expect(clippy::indexing_slicing, clippy::large_stack_arrays, reason = "evaluated by the compiler")]
const fn entries() -> [Entry; COUNT] {
    let mut out = [Entry { text: b"", hash: 0, stem: false, means: 0 }; COUNT];
    let mut filled = 0;
    let mut list = 0;
    while list < words::ALL.len() {
        let mut group = 0;
        while group < words::ALL[list].len() {
            let (means, text) = words::ALL[list][group];
            let mut rest = text.as_bytes();
            loop {
                let mut len = 0;
                let mut hash = SEED;
                while len < rest.len() && rest[len] != b'|' {
                    if rest[len] != b'*' {
                        hash = step(hash, rest[len]);
                    }
                    len += 1;
                }
                let (word, tail) = rest.split_at(len);
                let stem = len > 0 && word[len - 1] == b'*';
                let word = if stem { word.split_at(len - 1).0 } else { word };
                out[filled] = Entry { text: word, hash, stem, means };
                filled += 1;
                if tail.is_empty() {
                    break;
                }
                rest = tail.split_at(1).1;
            }
            group += 1;
        }
        list += 1;
    }
    out
}

static ENTRIES: [Entry; COUNT] = entries();

/// Places of entries by hash; 0 is free. Entries of one text under several meanings follow one another.
#[expect(clippy::indexing_slicing, clippy::large_stack_arrays, reason = "evaluated by the compiler")]
const fn slots() -> [u16; SLOTS] {
    let all = entries();
    let mut out = [0_u16; SLOTS];
    let mut at = 0;
    while at < COUNT {
        let mut slot = all[at].hash as usize % SLOTS;
        while out[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        out[slot] = at as u16 + 1;
        at += 1;
    }
    out
}

static TABLE: [u16; SLOTS] = slots();

/// The longest entry in bytes.
const MAX_ENTRY_BYTES: usize = 60;

fn meaning(text: &[u8], hash: u32, whole: bool) -> Means {
    let mut means = 0;
    let mut slot = hash as usize % SLOTS;
    while let Some(place) = TABLE.get(slot).copied().filter(|place| *place > 0) {
        if let Some(entry) = ENTRIES.get(usize::from(place) - 1)
            && entry.hash == hash
            && (whole || entry.stem)
            && entry.text == text
        {
            means |= entry.means;
        }
        slot = (slot + 1) % SLOTS;
    }
    means
}

/// What begins at `start` of a folded text means. `ends` tells whether a word ends before an offset.
pub(super) fn at(folded: &[u8], start: usize, ends: impl Fn(usize) -> bool) -> Means {
    let rest = items(folded, start..);
    let mut hash = SEED;
    let mut means = 0;
    let mut spaces = 0;
    for (len, byte) in rest.iter().take(MAX_ENTRY_BYTES).enumerate() {
        if *byte == b'\n' {
            break;
        }
        if *byte == b' ' {
            spaces += 1;
            if spaces > 6 {
                break;
            }
        }
        hash = step(hash, *byte);
        let end = ends(start + len + 1);
        if end || len >= 3 {
            means |= meaning(items(rest, ..=len), hash, end);
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::injection::fold;
    use crate::injection::prelude::{IGNORE, PROMPT, SCOPE};

    #[test]
    fn every_word_is_written_as_a_text_is_folded() {
        let mut wrong = Vec::new();
        for entry in &ENTRIES {
            let text = std::str::from_utf8(entry.text).unwrap();
            assert!(!text.is_empty() && text.len() <= MAX_ENTRY_BYTES, "{text:?}");
            assert!(!text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  "), "{text:?}");
            let folded: String = text.chars().flat_map(fold::letters).collect();
            let plain: String = text.chars().filter(|c| *c != ' ').collect();
            if folded != plain {
                wrong.push(text);
            }
            assert!(!entry.stem || text.chars().count() >= 2, "{text:?} is too short a stem");
        }
        assert!(wrong.is_empty(), "{wrong:?}");
        const { assert!(COUNT < SLOTS / 2) };
    }

    #[test]
    fn stems_and_phrases_are_found_and_half_words_are_not() {
        let look =
            |text: &str| at(text.as_bytes(), 0, |end| text.as_bytes().get(end).is_none_or(|b| *b == b' '));
        assert!(look("ignore") & IGNORE != 0);
        assert!(look("system prompt please") & PROMPT != 0);
        assert!(look("vorherigen anweisungen") & SCOPE != 0);
        assert_eq!(look("ignor") & IGNORE, 0);
    }
}
