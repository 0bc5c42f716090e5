//! The inner loop: 16-bit activations times 8-bit weights, summed in 32 bits.

#[cfg(target_arch = "x86_64")]
use crate::avx2::Avx2;
use crate::lanes::{Lane, ZERO, add_products, pack, total, widen};

/// Rows of activations, quantized to 16 bits, with one scale per row. The buffers are reused: allocating fresh memory
/// costs more than the quantization.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) lanes: Vec<Lane>,
    pub(crate) scales: Vec<f32>,
    pub(crate) columns: usize,
}

impl Rows {
    /// Quantizes rows of `columns` numbers (a multiple of 16) to thirteen bits and a sign: the sum of their products
    /// with 8-bit weights over the widest row fits into 32 bits.
    pub(crate) fn quantize(&mut self, from: &[f32], columns: usize) -> &Self {
        self.columns = columns;
        self.lanes.clear();
        self.scales.clear();
        for row in from.chunks_exact(columns) {
            let largest =
                row.iter().fold(0f32, |largest, x| if x.abs() > largest { x.abs() } else { largest });
            let scale = if largest > 0.0 { largest / 8191.0 } else { 1.0 };
            let inverse = 1.0 / scale;
            let (chunks, _) = row.as_chunks::<16>();
            // Adding and subtracting 1.5 · 2²³ rounds to an integer without a function call.
            self.lanes.extend(
                chunks.iter().map(|x| pack(x.map(|x| (x * inverse + 12_582_912.0 - 12_582_912.0) as i16))),
            );
            self.scales.push(scale);
        }
        self
    }
}

/// Weights: rows of 8-bit numbers, one scale and one bias per row.
pub(crate) struct Linear {
    pub(crate) numbers: &'static [u8],
    pub(crate) scales: Vec<f32>,
    pub(crate) biases: Vec<f32>,
}

impl Linear {
    /// `x` times the weights, plus the biases: one row of outputs per row of `x`, in `out`.
    pub(crate) fn apply(&self, x: &Rows, out: &mut Vec<f32>) {
        out.clear();
        out.resize(x.scales.len() * self.biases.len(), 0.0);
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detect() {
            avx2.apply(self, x, out);
            return;
        }
        self.apply_plain(x, out);
    }

    /// The same with what every machine has.
    pub(crate) fn apply_plain(&self, x: &Rows, out: &mut [f32]) {
        let outputs = self.biases.len();
        let size = x.columns / 16;
        let mut weights = Vec::with_capacity(size);
        let rows = self.numbers.chunks_exact(x.columns).zip(&self.scales).zip(&self.biases);
        for (at, ((row, scale), bias)) in rows.enumerate() {
            weights.clear();
            weights.extend(row.as_chunks::<16>().0.iter().map(|bytes| widen(*bytes)));
            let tiles = x.lanes.chunks(4 * size).zip(x.scales.chunks(4)).zip(out.chunks_mut(4 * outputs));
            for ((lanes, scales), out) in tiles {
                let sums = dot_four(&weights, lanes);
                for ((sum, x_scale), out) in sums.iter().zip(scales).zip(out.chunks_exact_mut(outputs)) {
                    if let Some(out) = out.get_mut(at) {
                        *out = *sum as f32 * (scale * x_scale) + bias;
                    }
                }
            }
        }
    }
}

/// The dot products of one row of weights with up to four rows of activations: each weight is loaded once for all.
fn dot_four(weights: &[Lane], rows: &[Lane]) -> [i32; 4] {
    let size = weights.len();
    if let Some((a, rest)) = rows.split_at_checked(size)
        && let Some((b, rest)) = rest.split_at_checked(size)
        && let Some((c, d)) = rest.split_at_checked(size)
        && d.len() == size
    {
        let mut sums = [ZERO; 4];
        for ((((w, a), b), c), d) in weights.iter().zip(a).zip(b).zip(c).zip(d) {
            let [sa, sb, sc, sd] = sums;
            sums = [
                add_products(sa, *w, *a),
                add_products(sb, *w, *b),
                add_products(sc, *w, *c),
                add_products(sd, *w, *d),
            ];
        }
        return sums.map(total);
    }
    let mut sums = [0; 4];
    for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(size.max(1))) {
        *sum = total(weights.iter().zip(row).fold(ZERO, |sum, (w, x)| add_products(sum, *w, *x)));
    }
    sums
}
