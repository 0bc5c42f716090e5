//! Late interaction: a vector per token instead of one per text. Each token of a question is compared with every token
//! of a text, and the best counts. It tells texts apart whose mean vectors are alike, and needs no second forward pass:
//! the vectors are those that the mean is taken of, projected to 64 dimensions and rounded to 4 bits.

use crate::kernel::{Linear, Rows};
use crate::lanes::{Lane, ZERO, add_products, pack, total};
use crate::math::dot;

/// Dimensions of a token's vector.
const SIZE: usize = 64;
/// A packed token: the scale in 255ths, then two dimensions per byte.
const PACKED: usize = 1 + SIZE / 2;
/// The most tokens of a text that are kept.
const MAX_TOKENS: usize = 128;
/// The largest number of 4 bits.
const LARGEST: f32 = 7.0;

static BASIS: &[u8] = include_bytes!("../model/token-basis.bin");
static WEIGHTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vocab.weights"));

/// How much a token says; 0 for punctuation and for the marks around a text.
fn weight(id: u16) -> f32 {
    f32::from(WEIGHTS.get(usize::from(id)).copied().unwrap_or(0)) / 25.0
}

/// The vectors of the tokens that say something, each of length 1, with their weights.
fn project(ids: &[u16], rows: &[f32], size: usize, limit: usize) -> Vec<(f32, Vec<f32>)> {
    let mut said = Vec::new();
    let mut weights = Vec::new();
    for (id, row) in ids.iter().zip(rows.chunks_exact(size)) {
        let weight = weight(*id);
        if weight > 0.0 && weights.len() < limit {
            weights.push(weight);
            said.extend_from_slice(row);
        }
    }
    let (scales, numbers) = BASIS.split_at_checked(4 * SIZE).unwrap_or_default();
    let basis = Linear {
        numbers,
        scales: scales.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
        biases: vec![0.0; SIZE],
    };
    let (mut buffer, mut small) = (Rows::default(), Vec::new());
    basis.apply(buffer.quantize(&said, size), &mut small);
    let unit = |row: &[f32]| {
        let length = dot(row, row).sqrt().max(1e-6);
        row.iter().map(|x| x / length).collect()
    };
    weights.into_iter().zip(small.chunks_exact(SIZE).map(unit)).collect()
}

/// The tokens of a text, packed.
pub(crate) fn pack_tokens(ids: &[u16], rows: &[f32], size: usize) -> Vec<u8> {
    let mut packed = Vec::new();
    for (_, vector) in project(ids, rows, size, MAX_TOKENS) {
        let largest = vector.iter().fold(0f32, |largest, x| largest.max(x.abs()));
        let nibble = |x: f32| (x / largest.max(1e-6) * LARGEST).round() as i8 + 8;
        packed.push((largest * 255.0).round() as u8);
        packed.extend(
            vector.as_chunks::<2>().0.iter().map(|[a, b]| nibble(*a) as u8 | ((nibble(*b) as u8) << 4)),
        );
    }
    packed
}

/// The tokens of a question.
#[derive(Clone, Debug, Default)]
pub struct TokenQuery {
    tokens: Vec<QueryToken>,
}

#[derive(Clone, Debug)]
struct QueryToken {
    /// Its part of the whole, from 0 to 1.
    weight: f32,
    lanes: [Lane; SIZE / 16],
}

/// The factor of a question's numbers.
const QUERY_SCALE: f32 = 1.0 / 127.0;

impl TokenQuery {
    pub(crate) fn new(ids: &[u16], rows: &[f32], size: usize) -> Self {
        let tokens = project(ids, rows, size, usize::MAX);
        let sum: f32 = tokens.iter().map(|(weight, _)| weight).sum();
        let lane = |vector: &[f32], at: usize| {
            let mut numbers = [0i16; 16];
            let part = vector.iter().skip(16 * at);
            numbers.iter_mut().zip(part).for_each(|(to, x)| *to = (x / QUERY_SCALE).round() as i16);
            pack(numbers)
        };
        let token = |(weight, vector): (f32, Vec<f32>)| QueryToken {
            weight: weight / sum,
            lanes: std::array::from_fn(|at| lane(&vector, at)),
        };
        Self { tokens: tokens.into_iter().map(token).collect() }
    }

    /// True when the question has nothing to compare.
    pub const fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// How much of the question a text has, from -1 to 1: for each token the nearest one of the text, by weight.
    pub fn similarity(&self, packed: &[u8]) -> f32 {
        self.both_ways(packed).0
    }

    /// The same, and how much of the text the question has: for each token of the text the nearest of the question.
    pub fn both_ways(&self, packed: &[u8]) -> (f32, f32) {
        let mut best = vec![f32::NEG_INFINITY; self.tokens.len()];
        let tokens = packed.as_chunks::<PACKED>().0;
        let mut reverse = 0.0;
        for token in tokens {
            let (scale, lanes) = unpack(token);
            let mut nearest = f32::NEG_INFINITY;
            for (best, query) in best.iter_mut().zip(&self.tokens) {
                let sum = query.lanes.iter().zip(&lanes).fold(ZERO, |sum, (a, b)| add_products(sum, *a, *b));
                let cosine = total(sum) as f32 * (scale * QUERY_SCALE);
                *best = best.max(cosine);
                nearest = nearest.max(cosine);
            }
            reverse += nearest;
        }
        let sum = best.iter().zip(&self.tokens).map(|(best, token)| best * token.weight).sum::<f32>();
        let finite = |sum: f32| if sum.is_finite() { sum } else { 0.0 };
        (finite(sum), finite(reverse / tokens.len().max(1) as f32))
    }
}

fn unpack(token: &[u8; PACKED]) -> (f32, [Lane; SIZE / 16]) {
    let (scale, bytes) = token.split_first().map_or((0, &[][..]), |(scale, rest)| (*scale, rest));
    let lane = |at: usize| {
        let mut numbers = [0i16; 16];
        let (pairs, _) = numbers.as_chunks_mut::<2>();
        for (pair, byte) in pairs.iter_mut().zip(bytes.iter().skip(8 * at)) {
            *pair = [i16::from(byte & 15) - 8, i16::from(byte >> 4) - 8];
        }
        pack(numbers)
    };
    (f32::from(scale) / 255.0 / LARGEST, std::array::from_fn(lane))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoder;
    use proptest::prelude::*;

    fn similarity(question: &str, text: &str) -> f32 {
        let encoder = Encoder::new().unwrap();
        let text = encoder.encode_tokens(text, 256).1;
        encoder.encode_question(question, 34).1.similarity(&text)
    }

    #[test]
    fn a_text_has_all_of_itself_and_more_of_its_subject_than_of_another() {
        let text = "The reminder spec failed around midnight; freeze the clock.";
        assert!(similarity(text, text) > 0.95, "{}", similarity(text, text));
        let near = similarity("a test breaks late in the evening", text);
        let far = similarity("a test breaks late in the evening", "Prices are integers in cents.");
        assert!(near > far + 0.1, "{near} {far}");
    }

    #[test]
    fn punctuation_says_nothing() {
        let encoder = Encoder::new().unwrap();
        assert!(encoder.encode_question("?! ... --", 34).1.is_empty());
        assert!(encoder.encode_tokens("", 256).1.is_empty());
        assert!(similarity("?!", "anything").abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn rubbish_in_the_place_of_tokens_is_safe(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let vector: Vec<f32> = (0..384).map(|i| (i as f32 * 0.3).cos()).collect();
            let query = TokenQuery::new(&[2100], &vector, 384);
            prop_assert!(query.similarity(&bytes).is_finite());
        }
    }
}
