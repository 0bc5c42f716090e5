//! A second opinion on passages that hold a sign: a linear model over words, pairs of words, meanings and pairs of
//! meanings. Its weights are learned from the labelled texts in `corpus/` (`examples/injection_train.rs`). Pure and
//! bounded: every word is looked at once.

use super::Means;
use super::prelude::*;
use super::rules::{SignHit, View};
use super::text::{ADDRESS, COLON, LEAD, PIECE_OF_RUN, QUOTED, Text};

/// Weights in the table, by the hash of what they weigh. A power of two.
pub const BUCKETS: usize = 1 << 16;
/// A weight of one.
pub const UNIT: i32 = 24;
/// From this opinion on a passage is reported though the rules are below their threshold.
pub(super) const CERTAIN: i32 = 7 * UNIT / 4;
/// Below this opinion a passage is not reported though the rules are at their threshold.
pub(super) const DOUBT: i32 = 3 * UNIT / 4;
/// How many sentences a passage has at most.
const PASSAGE: usize = 3;

/// The bias, then one signed byte per bucket.
static WEIGHTS: &[u8; BUCKETS + 2] = include_bytes!("weights.bin");

/// What a passage is weighed by. The sums of the first two groups are divided by the root of their length.
#[derive(Clone, Debug, Default)]
pub struct Passage {
    /// Words and pairs of words.
    pub words: Vec<u16>,
    /// Meanings and pairs of meanings.
    pub means: Vec<u16>,
    /// Signs of the rules, and how the text was hidden.
    pub signs: Vec<u16>,
}

/// Sums of weights, with the number of what was summed.
#[derive(Clone, Copy, Default)]
struct Sums {
    words: (i32, u32),
    means: (i32, u32),
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        let add = |a: (i32, u32), b: (i32, u32)| (a.0 + b.0, a.1 + b.1);
        Self { words: add(self.words, other.words), means: add(self.means, other.means) }
    }

    fn value(self) -> i32 {
        let scaled = |(sum, count): (i32, u32)| {
            let root = i32::try_from((u64::from(count + 1) * 256).isqrt()).unwrap_or(i32::MAX);
            sum * 16 / root.max(1)
        };
        scaled(self.words) + scaled(self.means)
    }
}

fn weight(bucket: u16) -> i32 {
    let byte = WEIGHTS.get(usize::from(bucket) + 2).copied().unwrap_or_default();
    i32::from(byte.cast_signed())
}

fn bias() -> i32 {
    match WEIGHTS {
        [low, high, ..] => i32::from(i16::from_le_bytes([*low, *high])),
    }
}

fn hash(kind: u8, parts: &[&[u8]]) -> u16 {
    let mut hash = 0x811c_9dc5_u32;
    let mut step = |byte: u8| hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    step(kind);
    for part in parts {
        part.iter().for_each(|byte| step(*byte));
        step(0xff);
    }
    let mixed = (hash ^ (hash >> 15)).wrapping_mul(0x2c1b_3c6d);
    ((mixed ^ (mixed >> 13)) & (BUCKETS as u32 - 1)) as u16
}

fn bits(mut means: Means) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = means.trailing_zeros();
        means &= means.wrapping_sub(1);
        (bit < 64).then_some(bit as u8)
    })
}

/// The first characters of a word, which its forms have in common.
fn stem(word: &str) -> Option<&str> {
    let (end, _) = word.char_indices().nth(5)?;
    word.get(..end)
}

/// Gives every feature of a sentence to `words` and `means`.
fn sentence(view: &View<'_>, words: &mut impl FnMut(u16), means: &mut impl FnMut(u16)) {
    let spelled = |at: usize| view.words.get(at).map(|word| view.text.word(word));
    let mut before: Option<&str> = None;
    for (at, word) in view.words.iter().enumerate() {
        let text = view.text.word(word);
        if text.len() > 24 || text.bytes().any(|b| b.is_ascii_digit()) {
            before = None;
            continue;
        }
        words(hash(b'w', &[text.as_bytes()]));
        if let Some(stem) = stem(text) {
            words(hash(b's', &[stem.as_bytes()]));
        }
        if let Some(before) = before {
            words(hash(b'b', &[before.as_bytes(), text.as_bytes()]));
        }
        if word.flags & PIECE_OF_RUN != 0
            && let (Some(second), Some(third)) = (spelled(at + 1), spelled(at + 2))
        {
            words(hash(b't', &[text.as_bytes(), second.as_bytes(), third.as_bytes()]));
        }
        before = Some(text);
        // What a clause begins with, and what is meant by it.
        if word.flags & (LEAD | COLON) != 0 {
            bits(word.means).for_each(|bit| means(hash(b'l', &[&[bit]])));
        }
    }
    if let Some(first) = view.words.first() {
        bits(first.means).for_each(|bit| means(hash(b'f', &[&[bit]])));
    }
    for one in bits(view.sentence.means) {
        means(hash(b'm', &[&[one]]));
        for other in bits(view.sentence.means).filter(|other| *other > one) {
            means(hash(b'p', &[&[one, other]]));
        }
    }
    let any = |flag: u16| view.words.iter().any(|word| word.flags & flag != 0);
    let shape = [
        view.sentence.asks,
        view.sentence.code,
        any(ADDRESS),
        view.words.first().is_some_and(|word| word.flags & QUOTED != 0),
        any(QUOTED),
        view.words.len() > 24,
        view.words.len() < 5,
    ];
    for (at, set) in shape.into_iter().enumerate() {
        if set {
            means(hash(b'x', &[&[at as u8]]));
        }
    }
}

/// Meanings that say who is called and what is wanted, seen across two sentences.
const ACROSS: Means = MACHINE
    | YOU
    | USER
    | HAIL
    | TO_MACHINE
    | CONCEAL
    | LOOT
    | SECRET
    | SEND
    | RUN
    | IGNORE
    | FORGET
    | OFFICE
    | ABOUT
    | WORKDAY
    | NOTE
    | PRAISE
    | OBEY
    | NEWS
    | VOID;

fn across(first: Means, second: Means, means: &mut impl FnMut(u16)) {
    for one in bits(first & ACROSS) {
        for other in bits(second & ACROSS) {
            means(hash(b'a', &[&[one, other]]));
        }
    }
}

/// The signs in the sentences from `from` to `to`, and what the rules make of them.
fn signs(
    signs: &[Vec<SignHit>],
    from: usize,
    to: usize,
    rule: u8,
    hidden: Option<&str>,
    out: &mut impl FnMut(u16),
) {
    let mut seen = 0_u32;
    for hit in signs.iter().take(to).skip(from).flatten() {
        let bit = 1_u32 << (hit.sign as u32).min(31);
        if seen & bit == 0 {
            out(hash(b'g', &[&[hit.sign as u8, hit.score.min(6)]]));
        }
        seen |= bit;
    }
    out(hash(b'r', &[&[rule.min(10)]]));
    out(hash(b'h', &[hidden.unwrap_or("shown").as_bytes()]));
}

/// A passage may be one: something in it addresses, sets aside, hides, asks for or sends something.
const SUSPECT: Means = MACHINE
    | HAIL
    | TO_MACHINE
    | CONCEAL
    | IGNORE
    | FORGET
    | PROMPT
    | ORDERS
    | PERSONA
    | FREE
    | MODE
    | NEWS
    | OBEY
    | VOID
    | OFFICE
    | LOOT
    | SECRET
    | INSTEAD
    | READER
    | GUARD
    | PRAISE
    | ANSWER
    | USER
    | YOU;

/// The end of each passage that begins at a sentence.
fn ends(text: &Text, from: usize) -> impl Iterator<Item = usize> + '_ {
    let short = text.sentences.len() <= 12;
    let more = text
        .sentences
        .iter()
        .skip(from + 1)
        .take(PASSAGE - 1)
        .take_while(move |sentence| short || !sentence.paragraph)
        .count();
    (from + 1)..=(from + 1 + more)
}

fn suspect(text: &Text, from: usize, hidden: bool) -> bool {
    text.sentences
        .get(from)
        .is_some_and(|sentence| sentence.means & SUSPECT != 0 || hidden && sentence.means != 0)
}

/// The opinion on the passages that begin at each sentence, in units of [`UNIT`]; the lowest where nothing is suspect.
pub(super) fn opinions(
    text: &Text,
    hits: &[Vec<SignHit>],
    rules: &[u8],
    hidden: Option<&'static str>,
) -> Vec<i32> {
    let mut sums: Vec<Option<Sums>> = vec![None; text.sentences.len()];
    let mut of = |at: usize| -> Sums {
        if let Some(Some(known)) = sums.get(at) {
            return *known;
        }
        let mut sum = Sums::default();
        if let Some(one) = text.sentences.get(at) {
            let view = View::new(text, one);
            let Sums { words, means } = &mut sum;
            sentence(&view, &mut |bucket| *words = (words.0 + weight(bucket), words.1 + 1), &mut |bucket| {
                *means = (means.0 + weight(bucket), means.1 + 1);
            });
        }
        if let Some(slot) = sums.get_mut(at) {
            *slot = Some(sum);
        }
        sum
    };
    (0..text.sentences.len())
        .map(|from| {
            if !suspect(text, from, hidden.is_some()) {
                return i32::MIN;
            }
            let mut sum = Sums::default();
            let mut best = i32::MIN;
            for to in ends(text, from) {
                sum = sum.plus(of(to - 1));
                if to - from > 1 {
                    let pair = |at: usize| text.sentences.get(at).map_or(0, |sentence| sentence.means);
                    across(pair(to - 2), pair(to - 1), &mut |bucket| {
                        sum.means = (sum.means.0 + weight(bucket), sum.means.1 + 1);
                    });
                }
                let mut value = bias() + sum.value();
                let rule = rules.get(from).copied().unwrap_or_default();
                signs(hits, from, to, rule, hidden, &mut |bucket| value += weight(bucket));
                best = best.max(value);
            }
            best
        })
        .collect()
}

/// The features of every passage, for learning.
pub(super) fn passages(
    text: &Text,
    hits: &[Vec<SignHit>],
    rules: &[u8],
    hidden: Option<&'static str>,
    out: &mut Vec<Passage>,
) {
    for from in (0..text.sentences.len()).filter(|from| suspect(text, *from, hidden.is_some())) {
        for to in ends(text, from) {
            let mut passage = Passage::default();
            for at in from..to {
                let Some(one) = text.sentences.get(at) else { continue };
                let view = View::new(text, one);
                sentence(&view, &mut |bucket| passage.words.push(bucket), &mut |bucket| {
                    passage.means.push(bucket);
                });
                if at > from
                    && let Some(before) = text.sentences.get(at - 1)
                {
                    across(before.means, one.means, &mut |bucket| passage.means.push(bucket));
                }
            }
            let rule = rules.get(from).copied().unwrap_or_default();
            signs(hits, from, to, rule, hidden, &mut |bucket| passage.signs.push(bucket));
            out.push(passage);
        }
    }
}
