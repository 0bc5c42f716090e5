//! Part 1 of 3 of the sentence encoder's weights, for the build script of `sprag-encoder`, which joins them. A registry takes no
//! package over 10 MB. What the model is and where it comes from: `crates/encoder/model/README.md`.

/// The bytes.
pub static PART: &[u8] = include_bytes!("part.bin");
