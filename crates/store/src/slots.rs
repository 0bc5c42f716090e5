//! A logarithmic scale for durations: sixteen slots per doubling, so a percentile is within a few percent.

const BITS: u32 = 4;
const STEPS: u64 = 1 << BITS;

/// The slot that a duration in microseconds falls into.
pub(crate) const fn slot_of(micros: u64) -> i64 {
    if micros < STEPS {
        return micros as i64;
    }
    let exponent = micros.ilog2();
    let step = (micros >> (exponent - BITS)) - STEPS;
    ((exponent - BITS + 1) as u64 * STEPS + step) as i64
}

/// The middle of a slot, in microseconds.
pub const fn micros_of(slot: i64) -> u64 {
    let slot = if slot < 0 { 0 } else { slot as u64 };
    if slot < STEPS {
        return slot;
    }
    let shift = slot / STEPS - 1;
    let shift = if shift > 58 { 58 } else { shift };
    let low = (STEPS + slot % STEPS) << shift;
    low + ((1 << shift) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_within_a_few_percent_and_grows_with_time() {
        let mut last = -1;
        for micros in (0..5_000).chain((5_000..100_000_000).step_by(99_991)) {
            let slot = slot_of(micros);
            assert!(slot >= last, "{micros}");
            last = slot;
            let back = micros_of(slot);
            assert!(back.abs_diff(micros) * 100 <= micros.max(1) * 4, "{micros} -> {slot} -> {back}");
        }
        assert!(micros_of(slot_of(u64::MAX)) > 1 << 62);
    }
}
