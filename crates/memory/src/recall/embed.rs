//! What makes a text into a vector: the encoder in the program, or an endpoint that the user chose.

use super::{Endpoint, Error};
use sprag_encoder::{DIMENSIONS, Encoder, MODEL, Vector};
use std::sync::OnceLock;
use std::time::Duration;

/// Makes texts into vectors.
pub enum Embedder {
    /// The encoder in the program; made ready when a text is first asked for.
    Local(OnceLock<Encoder>),
    /// An OpenAI-compatible endpoint.
    Endpoint(Endpoint),
}

/// Tokens of a question that are looked at: the time grows with them, and a person says first what it is about.
const QUESTION_TOKENS: usize = 34;

fn ready(encoder: &OnceLock<Encoder>) -> Result<&Encoder, Error> {
    if encoder.get().is_none() {
        // Of two that come at once, one is kept.
        let _ = encoder.set(Encoder::new()?);
    }
    encoder.get().ok_or_else(|| Error::Broken("the encoder is gone".into()))
}

impl Embedder {
    /// The encoder in the program.
    pub const fn local() -> Self {
        Self::Local(OnceLock::new())
    }

    /// The name that is kept beside every vector.
    pub fn model(&self) -> &str {
        match self {
            Self::Local(_) => MODEL,
            Self::Endpoint(endpoint) => endpoint.name(),
        }
    }

    /// Numbers per vector.
    pub const fn dimensions(&self) -> usize {
        match self {
            Self::Local(_) => DIMENSIONS,
            Self::Endpoint(endpoint) => endpoint.dimensions(),
        }
    }

    /// True when the decision what is worth showing was tuned on this model's cosines.
    pub const fn is_tuned(&self) -> bool {
        matches!(self, Self::Local(_))
    }

    /// How long a question may wait for something outside of this process.
    pub const fn patience(&self) -> Duration {
        match self {
            Self::Local(_) => Duration::ZERO,
            Self::Endpoint(endpoint) => endpoint.timeout(),
        }
    }

    /// The vectors of memories, in their order.
    pub fn texts(&self, texts: &[&str]) -> Result<Vec<Vector>, Error> {
        match self {
            Self::Local(encoder) => {
                let encoder = ready(encoder)?;
                Ok(texts.iter().map(|text| Vector::quantize(&encoder.encode(text))).collect())
            }
            Self::Endpoint(endpoint) => endpoint.texts(texts),
        }
    }

    /// The vector of a memory that somebody waits for.
    pub fn text(&self, text: &str) -> Result<Vector, Error> {
        match self {
            Self::Local(encoder) => Ok(Vector::quantize(&ready(encoder)?.encode(text))),
            Self::Endpoint(endpoint) => endpoint.question(text),
        }
    }

    /// The vector of a question.
    pub fn question(&self, text: &str) -> Result<Vector, Error> {
        match self {
            Self::Local(encoder) => {
                Ok(Vector::quantize(&ready(encoder)?.encode_first(text, QUESTION_TOKENS)))
            }
            Self::Endpoint(endpoint) => endpoint.question(text),
        }
    }
}
