//! SIMD: multiply-add of sixteen 16-bit numbers in one instruction where the machine has it. The compiler does not
//! emit that instruction for plain loops, so the vector types come from the crate `wide`.

use wide::bytemuck::cast;
use wide::{i8x16, i16x16, i32x8};

/// Sixteen 16-bit numbers.
pub(crate) type Lane = i16x16;
/// Eight 32-bit sums.
pub(crate) type Sum = i32x8;

/// Eight zero sums.
pub(crate) const ZERO: Sum = i32x8::ZERO;

/// Sixteen numbers as one lane.
#[inline]
pub(crate) fn pack(numbers: [i16; 16]) -> Lane {
    Lane::new(numbers)
}

/// Sixteen signed bytes, widened to 16 bits.
#[inline]
pub(crate) fn widen(bytes: [u8; 16]) -> Lane {
    Lane::from_i8x16(cast::<[u8; 16], i8x16>(bytes))
}

/// Adds the products of two lanes.
#[inline]
pub(crate) fn add_products(sum: Sum, a: Lane, b: Lane) -> Sum {
    sum + a.dot(b)
}

/// The sum of all eight sums.
#[inline]
pub(crate) fn total(sum: Sum) -> i32 {
    sum.reduce_add()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_of_products(a in prop::array::uniform16(-8191i16..=8191), bytes in prop::array::uniform16(any::<u8>())) {
            let plain: i32 = a.iter().zip(&bytes).map(|(a, b)| i32::from(*a) * i32::from(*b as i8)).sum();
            prop_assert_eq!(total(add_products(ZERO, pack(a), widen(bytes))), plain);
        }
    }
}
