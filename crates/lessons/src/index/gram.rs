//! The first characters of words as numbers, so that every place of a text can be looked up in a table.

use super::Field;

/// The lengths of beginnings that are told apart, in bytes. A word goes by the longest that it has.
pub(super) const LENGTHS: [usize; 6] = [1, 2, 3, 4, 6, 8];

/// The place in [`LENGTHS`] of the beginning by which a word goes.
pub(super) fn class(word: &[u8]) -> Option<usize> {
    LENGTHS.iter().rposition(|length| *length <= word.len())
}

/// Up to eight bytes from a place of a text, as one number.
#[inline]
pub(super) fn window(text: &[u8], at: usize) -> u64 {
    if let Some(bytes) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        return u64::from_le_bytes(*bytes);
    }
    let rest = text.get(at..).unwrap_or_default();
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(rest) {
        *to = *from;
    }
    u64::from_le_bytes(bytes)
}

/// The hash of a beginning of a length class.
#[inline]
pub(super) fn hash(window: u64, class: usize, field: Field) -> u64 {
    let length = LENGTHS.get(class).copied().unwrap_or(1);
    let kept = if length >= 8 { window } else { window & ((1 << (8 * length)) - 1) };
    let salted = kept ^ ((class as u64 + 1) << 3 | field as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (salted ^ (salted >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 29)
}

/// What of a hash is kept in the table; never zero, which is an empty slot.
#[inline]
pub(super) fn print(hash: u64) -> u16 {
    ((hash >> 48) as u16).max(1)
}
