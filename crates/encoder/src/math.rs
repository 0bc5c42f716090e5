//! The functions between the matrices: layer norm, GELU, softmax, dot product.

/// Sets every row of `x` to mean 0 and variance 1, then scales and shifts it.
pub(crate) fn layer_norm(x: &mut [f32], weight: &[f32], bias: &[f32]) {
    let size = weight.len();
    for row in x.chunks_exact_mut(size) {
        let mean = sum(row) / size as f32;
        for x in row.iter_mut() {
            *x -= mean;
        }
        let variance = dot(row, row) / size as f32;
        let inverse = 1.0 / (variance + 1e-12).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
            *x = *x * inverse * weight + bias;
        }
    }
}

/// The Gaussian error linear unit.
pub(crate) fn gelu(x: &mut [f32]) {
    for x in x {
        *x = 0.5 * *x * (1.0 + erf(*x * std::f32::consts::FRAC_1_SQRT_2));
    }
}

/// The error function, accurate to 4e-7: Abramowitz and Stegun 7.1.28, which needs no exponential.
fn erf(x: f32) -> f32 {
    // From the highest power down.
    const TERMS: [f32; 7] =
        [0.000_043_063_8, 0.000_276_567_2, 0.000_152_014_3, 0.009_270_527, 0.042_282_01, 0.070_523_08, 1.0];
    // Beyond 4 it is 1 in 32 bits, and the powers stay finite.
    let size = x.abs().min(4.0);
    let sum = TERMS.iter().fold(0f32, |sum, term| sum * size + term);
    let fourth = (sum * sum) * (sum * sum);
    let eighth = fourth * fourth;
    (1.0 - 1.0 / (eighth * eighth)).copysign(x)
}

/// Turns a row of scores into weights that add up to 1.
pub(crate) fn softmax(row: &mut [f32]) {
    let largest = row.iter().fold(f32::NEG_INFINITY, |largest, x| largest.max(*x));
    for x in row.iter_mut() {
        *x = (*x - largest).exp();
    }
    let inverse = 1.0 / sum(row);
    for x in row {
        *x *= inverse;
    }
}

/// The sum, in eight lanes: the order is fixed, so the result is the same on every machine.
fn sum(row: &[f32]) -> f32 {
    let mut lanes = [0f32; 8];
    let (chunks, rest) = row.as_chunks::<8>();
    for chunk in chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane += x;
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

/// The dot product of two rows.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erf_has_the_known_values() {
        for (x, known) in [
            (0.0, 0.0),
            (0.1, 0.112_462_9),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (2.0, 0.995_322_3),
            (9.0, 1.0),
        ] {
            assert!((erf(x) - known).abs() < 1e-6 && (erf(-x) + known).abs() < 1e-6, "{x}: {}", erf(x));
        }
    }
}
