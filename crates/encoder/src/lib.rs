//! The sentence encoder: text to embedding vector, in this process, without a network. Texts with similar meaning have
//! vectors with a high cosine. The model is embedded in the program (`model/README.md`).

#[cfg(target_arch = "x86_64")]
mod avx2;
mod kernel;
mod lanes;
mod late;
mod math;
mod model;
mod tokens;
mod vector;
mod vocab;
mod weights;

pub use late::TokenQuery;
pub use model::Encoder;
pub use tokens::{MAX_TOKENS, tokens};
pub use vector::{Query, Vector};

/// The model's name, stored with every vector that it produced.
pub const MODEL: &str = "all-MiniLM-L6-v2/int8";

/// The name that packed tokens are stored under, beside the vectors.
pub const TOKENS: &str = "all-MiniLM-L6-v2/tokens-64x4";

/// Numbers per vector.
pub const DIMENSIONS: usize = 384;

/// Why the encoder cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The header of the embedded model cannot be read.
    #[error("the encoder's model is damaged: its header cannot be read")]
    Header,
    /// A tensor of the embedded model is missing or incomplete.
    #[error("the encoder's model is damaged: the tensor `{0}` is missing or incomplete")]
    Tensor(String),
}

impl Error {
    /// One line on what the user can do.
    pub const fn hint(&self) -> &'static str {
        "install sprag again"
    }
}
