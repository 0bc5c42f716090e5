//! The sentence encoder: a text to a vector, in this process, without a network. Texts that mean the same have
//! vectors that point the same way. The model is part of the program (`model/README.md`).

mod kernel;
mod lanes;
mod math;
mod model;
mod tokens;
mod vector;
mod vocab;
mod weights;

pub use model::Encoder;
pub use tokens::{MAX_TOKENS, tokens};
pub use vector::{Query, Vector};

/// The model's name, kept beside every vector it made.
pub const MODEL: &str = "all-MiniLM-L6-v2/int8";

/// Numbers per vector.
pub const DIMENSIONS: usize = 384;

/// Why the encoder cannot work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The model in the program is not whole.
    #[error("the encoder's model is damaged ({0}); install sprag again")]
    Damaged(&'static str),
}
