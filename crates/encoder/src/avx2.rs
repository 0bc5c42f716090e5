//! The two inner loops with the 256-bit instructions of AVX2, which most x86 machines have and the program is not compiled
//! for. The sums are of integers: the results are the same, bit by bit, as without them.

#![allow(unsafe_code, reason = "instructions that not every machine has; see docs/adr/0005 and 0041")]

use crate::kernel::{Linear, Rows};
use crate::lanes::Lane;
use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16,
    _mm256_extracti128_si256, _mm256_hadd_epi32, _mm256_madd_epi16, _mm256_setzero_si256,
};
use wide::bytemuck::cast;

/// Exists only where the processor has the instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Looks once per process.
    pub(crate) fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    /// As [`Linear::apply`], into `out` of the right length.
    pub(crate) fn apply(self, linear: &Linear, x: &Rows, out: &mut [f32]) {
        // SAFETY: a value of this type is only made where the processor has AVX2.
        unsafe { apply(linear, x, out) }
    }

    /// The sum of the products of lanes with as many times sixteen signed bytes.
    pub(crate) fn sum_of_products(self, lanes: &[Lane], bytes: &[[u8; 16]]) -> i32 {
        // SAFETY: a value of this type is only made where the processor has AVX2.
        unsafe { sum_of_products(lanes, bytes) }
    }
}

#[target_feature(enable = "avx2")]
fn apply(linear: &Linear, x: &Rows, out: &mut [f32]) {
    let outputs = linear.biases.len();
    let size = x.columns / 16;
    let rows = linear.numbers.chunks_exact(x.columns).zip(&linear.scales).zip(&linear.biases);
    for (at, ((row, scale), bias)) in rows.enumerate() {
        let weights = row.as_chunks::<16>().0;
        let tiles = x.lanes.chunks(4 * size).zip(x.scales.chunks(4)).zip(out.chunks_mut(4 * outputs));
        for ((lanes, scales), out) in tiles {
            let sums = dot_four(weights, lanes);
            for ((sum, x_scale), out) in sums.iter().zip(scales).zip(out.chunks_exact_mut(outputs)) {
                if let Some(out) = out.get_mut(at) {
                    *out = *sum as f32 * (scale * x_scale) + bias;
                }
            }
        }
    }
}

/// The dot products of one row of weights with up to four rows of activations.
#[target_feature(enable = "avx2")]
fn dot_four(weights: &[[u8; 16]], rows: &[Lane]) -> [i32; 4] {
    let size = weights.len();
    if let Some((a, rest)) = rows.split_at_checked(size)
        && let Some((b, rest)) = rest.split_at_checked(size)
        && let Some((c, d)) = rest.split_at_checked(size)
        && d.len() == size
    {
        let mut sums = [_mm256_setzero_si256(); 4];
        for ((((weight, a), b), c), d) in weights.iter().zip(a).zip(b).zip(c).zip(d) {
            let weight = widen(*weight);
            let [sa, sb, sc, sd] = sums;
            sums = [
                add_products(sa, weight, *a),
                add_products(sb, weight, *b),
                add_products(sc, weight, *c),
                add_products(sd, weight, *d),
            ];
        }
        return totals(sums);
    }
    let mut sums = [0; 4];
    for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(size.max(1))) {
        *sum = sum_of_products(row, weights);
    }
    sums
}

#[target_feature(enable = "avx2")]
fn sum_of_products(lanes: &[Lane], bytes: &[[u8; 16]]) -> i32 {
    let mut sum = _mm256_setzero_si256();
    for (lane, bytes) in lanes.iter().zip(bytes) {
        sum = add_products(sum, widen(*bytes), *lane);
    }
    let zero = _mm256_setzero_si256();
    let [total, ..] = totals([sum, zero, zero, zero]);
    total
}

/// Sixteen signed bytes, widened to 16 bits.
#[target_feature(enable = "avx2")]
fn widen(bytes: [u8; 16]) -> __m256i {
    _mm256_cvtepi8_epi16(cast::<[u8; 16], __m128i>(bytes))
}

#[target_feature(enable = "avx2")]
fn add_products(sum: __m256i, weight: __m256i, lane: Lane) -> __m256i {
    _mm256_add_epi32(sum, _mm256_madd_epi16(weight, cast::<Lane, __m256i>(lane)))
}

/// The total of each of four vectors of eight sums.
#[target_feature(enable = "avx2")]
fn totals([a, b, c, d]: [__m256i; 4]) -> [i32; 4] {
    let halves = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    let sums = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
    cast::<__m128i, [i32; 4]>(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::pack;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_without_it(
            a in prop::collection::vec(prop::array::uniform16(-8191i16..=8191), 1..30),
            bytes in prop::collection::vec(prop::array::uniform16(any::<u8>()), 1..30),
        ) {
            let Some(avx2) = Avx2::detect() else { return Ok(()) };
            let plain: i32 = a.iter().zip(&bytes)
                .flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b as i8)))
                .sum();
            let lanes: Vec<Lane> = a.into_iter().map(pack).collect();
            prop_assert_eq!(avx2.sum_of_products(&lanes, &bytes), plain);
        }

        #[test]
        fn matrices_as_without_it(
            numbers in prop::collection::vec(any::<u8>(), 96),
            x in prop::collection::vec(-1f32..1.0, 32 * 6),
            rows in 1usize..=6,
        ) {
            let Some(avx2) = Avx2::detect() else { return Ok(()) };
            let linear = Linear {
                numbers: Box::leak(numbers.into_boxed_slice()),
                scales: vec![0.01, 0.02, 0.5],
                biases: vec![0.0, -1.0, 3.0],
            };
            let mut buffer = Rows::default();
            let input = buffer.quantize(x.get(..32 * rows).unwrap_or_default(), 32);
            let mut plain = vec![0.0; 3 * rows];
            linear.apply_plain(input, &mut plain);
            let mut out = vec![0.0; 3 * rows];
            avx2.apply(&linear, input, &mut out);
            prop_assert_eq!(out, plain);
        }
    }
}
