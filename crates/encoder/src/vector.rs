//! A vector as it is kept: one byte per dimension and a scale. And the scan over many of them.

use crate::lanes::{Lane, ZERO, add_products, total, widen};

/// A vector in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// One signed byte per dimension.
    pub numbers: Vec<u8>,
    /// What a number is worth.
    pub scale: f32,
}

impl Vector {
    /// Rounds a vector.
    pub fn round(from: &[f32]) -> Self {
        let largest = from.iter().fold(0f32, |most, x| most.max(x.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        Self { numbers: from.iter().map(|x| (x / scale).round() as i8 as u8).collect(), scale }
    }

    /// How alike two vectors of length 1 are: 1 for the same, 0 for strangers.
    pub fn cosine(&self, other: &Self) -> f32 {
        Query::new(self).cosine(&other.numbers, other.scale)
    }
}

/// A vector that others are compared with.
pub struct Query {
    lanes: Vec<Lane>,
    rest: Vec<i16>,
    scale: f32,
}

impl Query {
    /// Makes ready for comparing.
    pub fn new(vector: &Vector) -> Self {
        let (chunks, rest) = vector.numbers.as_chunks::<16>();
        Self {
            lanes: chunks.iter().map(|bytes| widen(*bytes)).collect(),
            rest: rest.iter().map(|x| i16::from(*x as i8)).collect(),
            scale: vector.scale,
        }
    }

    /// How alike it is to a vector in bytes.
    pub fn cosine(&self, numbers: &[u8], scale: f32) -> f32 {
        let (chunks, rest) = numbers.as_chunks::<16>();
        let lanes = self.lanes.iter().zip(chunks);
        let sum = total(lanes.fold(ZERO, |sum, (lane, bytes)| add_products(sum, *lane, widen(*bytes))));
        let rest: i32 = self.rest.iter().zip(rest).map(|(a, b)| i32::from(*a) * i32::from(*b as i8)).sum();
        (sum + rest) as f32 * (self.scale * scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DIMENSIONS;

    #[test]
    fn a_rounded_vector_is_itself_and_the_opposite_of_its_negative() {
        let plain: Vec<f32> = (0..DIMENSIONS).map(|i| (i as f32 * 0.37).sin()).collect();
        let length = plain.iter().map(|x| x * x).sum::<f32>().sqrt();
        let unit: Vec<f32> = plain.iter().map(|x| x / length).collect();
        let vector = Vector::round(&unit);
        assert!((vector.cosine(&vector) - 1.0).abs() < 0.01);
        let negative = Vector::round(&unit.iter().map(|x| -x).collect::<Vec<_>>());
        assert!((vector.cosine(&negative) + 1.0).abs() < 0.01);
        let short = Vector::round(&[1.0, 0.0]);
        assert!((short.cosine(&short) - 1.0).abs() < 1e-6, "vectors of other models have other lengths");
    }
}
