//! Quantized vectors: one byte per dimension and a scale; and the comparison with many of them.

#[cfg(target_arch = "x86_64")]
use crate::avx2::Avx2;
use crate::lanes::{Lane, ZERO, add_products, total, widen};

/// A quantized vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// One signed byte per dimension.
    pub numbers: Vec<u8>,
    /// The factor of its numbers.
    pub scale: f32,
}

impl Vector {
    /// Quantizes a vector.
    pub fn quantize(from: &[f32]) -> Self {
        let largest = from.iter().fold(0f32, |largest, x| largest.max(x.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        Self { numbers: from.iter().map(|x| (x / scale).round() as i8 as u8).collect(), scale }
    }
}

/// A vector that others are compared with.
pub struct Query {
    lanes: Vec<Lane>,
    rest: Vec<i16>,
    scale: f32,
    #[cfg(target_arch = "x86_64")]
    avx2: Option<Avx2>,
}

impl Query {
    /// Prepares a vector for comparisons.
    pub fn new(vector: &Vector) -> Self {
        let (chunks, rest) = vector.numbers.as_chunks::<16>();
        Self {
            lanes: chunks.iter().map(|bytes| widen(*bytes)).collect(),
            rest: rest.iter().map(|x| i16::from(*x as i8)).collect(),
            scale: vector.scale,
            #[cfg(target_arch = "x86_64")]
            avx2: Avx2::detect(),
        }
    }

    /// The cosine with a quantized vector, both of length 1: 1 for the same direction, 0 for unrelated ones.
    pub fn cosine(&self, numbers: &[u8], scale: f32) -> f32 {
        let (chunks, rest) = numbers.as_chunks::<16>();
        let sum = self.sum_of_products(chunks);
        let rest: i32 = self.rest.iter().zip(rest).map(|(a, b)| i32::from(*a) * i32::from(*b as i8)).sum();
        (sum + rest) as f32 * (self.scale * scale)
    }

    fn sum_of_products(&self, bytes: &[[u8; 16]]) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = self.avx2 {
            return avx2.sum_of_products(&self.lanes, bytes);
        }
        let lanes = self.lanes.iter().zip(bytes);
        total(lanes.fold(ZERO, |sum, (lane, bytes)| add_products(sum, *lane, widen(*bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DIMENSIONS;

    fn cosine(a: &Vector, b: &Vector) -> f32 {
        Query::new(a).cosine(&b.numbers, b.scale)
    }

    #[test]
    fn a_quantized_vector_is_itself_and_the_opposite_of_its_negative() {
        let plain: Vec<f32> = (0..DIMENSIONS).map(|i| (i as f32 * 0.37).sin()).collect();
        let length = plain.iter().map(|x| x * x).sum::<f32>().sqrt();
        let unit: Vec<f32> = plain.iter().map(|x| x / length).collect();
        let vector = Vector::quantize(&unit);
        assert!((cosine(&vector, &vector) - 1.0).abs() < 0.01);
        let negative = Vector::quantize(&unit.iter().map(|x| -x).collect::<Vec<_>>());
        assert!((cosine(&vector, &negative) + 1.0).abs() < 0.01);
        let short = Vector::quantize(&[1.0, 0.0]);
        assert!((cosine(&short, &short) - 1.0).abs() < 1e-6, "vectors of other models have other lengths");
    }
}
