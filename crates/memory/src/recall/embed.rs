//! What makes a text into a vector: the encoder in the program.

use super::Error;
use sprag_encoder::{DIMENSIONS, Encoder, MODEL, Vector};

/// Makes texts into vectors.
pub enum Embedder {
    /// The encoder in the program.
    Local(Box<Encoder>),
}

/// Tokens of a question that are looked at: the time grows with them, and a person says first what it is about.
const QUESTION_TOKENS: usize = 34;

impl Embedder {
    /// The encoder in the program.
    pub fn local() -> Result<Self, Error> {
        Ok(Self::Local(Box::new(Encoder::new()?)))
    }

    /// The name that is kept beside every vector.
    pub fn model(&self) -> &str {
        match self {
            Self::Local(_) => MODEL,
        }
    }

    /// Numbers per vector.
    pub fn dimensions(&self) -> usize {
        match self {
            Self::Local(_) => DIMENSIONS,
        }
    }

    /// The vector of a memory.
    pub fn text(&self, text: &str) -> Result<Vector, Error> {
        match self {
            Self::Local(encoder) => Ok(Vector::round(&encoder.encode(text))),
        }
    }

    /// The vector of a question.
    pub fn question(&self, text: &str) -> Result<Vector, Error> {
        match self {
            Self::Local(encoder) => Ok(Vector::round(&encoder.encode_first(text, QUESTION_TOKENS))),
        }
    }
}
