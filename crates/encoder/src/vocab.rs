//! The vocabulary: a word's id, found by binary search in a table that was sorted at build time.

static WORDS: &str = include_str!("../model/vocab.txt");
static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vocab.idx"));

/// The id of words that are not in the vocabulary.
pub(crate) const UNKNOWN: u16 = 100;
/// The token that every text begins with.
pub(crate) const BEGIN: u16 = 101;
/// The token that every text ends with.
pub(crate) const END: u16 = 102;

fn record(at: usize) -> Option<(&'static str, u16)> {
    let [a, b, c, length, low, high] = *INDEX.as_chunks::<6>().0.get(at)?;
    let begin = u32::from_le_bytes([a, b, c, 0]) as usize;
    Some((WORDS.get(begin..begin + usize::from(length))?, u16::from_le_bytes([low, high])))
}

/// The id of a word, or of a piece that continues one: `continues` stands for the `##` in front.
pub(crate) fn find(piece: &str, continues: bool) -> Option<u16> {
    let mark: &[u8] = if continues { b"##" } else { b"" };
    let wanted = || mark.iter().chain(piece.as_bytes());
    let (mut low, mut high) = (0, INDEX.len() / 6);
    while low < high {
        let middle = usize::midpoint(low, high);
        let (word, id) = record(middle)?;
        match word.as_bytes().iter().cmp(wanted()) {
            std::cmp::Ordering::Equal => return Some(id),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_with_its_line_number() {
        for (id, word) in WORDS.lines().enumerate() {
            assert_eq!(find(word, false), Some(id as u16), "{word}");
            if let Some(rest) = word.strip_prefix("##") {
                assert_eq!(find(rest, true), Some(id as u16), "{word}");
            }
        }
        assert_eq!(find("nosuchwordatall", false), None);
        assert_eq!(
            (find("[UNK]", false), find("[CLS]", false), find("[SEP]", false)),
            (Some(UNKNOWN), Some(BEGIN), Some(END))
        );
    }
}
