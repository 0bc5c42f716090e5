//! What makes a text into a vector: the encoder in the program, or an endpoint that the user chose.

use super::{Endpoint, Error};
use sprag_encoder::{DIMENSIONS, Encoder, MAX_TOKENS, MODEL, TOKENS, TokenQuery, Vector};
use std::borrow::Cow;
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

/// A memory's text as what it is found by.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// The vector of the whole.
    pub vector: Vector,
    /// Its packed tokens; an endpoint gives none.
    pub tokens: Vec<u8>,
}

/// A question as what memories are compared with.
#[derive(Clone, Debug)]
pub struct EmbeddedQuestion {
    /// The vector of the whole.
    pub vector: Vector,
    /// Its tokens; an endpoint gives none.
    pub tokens: TokenQuery,
}

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

    /// The name that packed tokens are kept under; an endpoint gives none.
    pub const fn tokens_model(&self) -> Option<&'static str> {
        match self {
            Self::Local(_) => Some(TOKENS),
            Self::Endpoint(_) => None,
        }
    }

    /// The vectors of memories, in their order.
    pub fn texts(&self, texts: &[&str]) -> Result<Vec<Embedded>, Error> {
        match self {
            Self::Local(encoder) => {
                let encoder = ready(encoder)?;
                Ok(texts.iter().map(|text| local(encoder, text)).collect())
            }
            Self::Endpoint(endpoint) => Ok(endpoint.texts(texts)?.into_iter().map(without_tokens).collect()),
        }
    }

    /// The vector of a memory that somebody waits for.
    pub fn text(&self, text: &str) -> Result<Embedded, Error> {
        match self {
            Self::Local(encoder) => Ok(local(ready(encoder)?, text)),
            Self::Endpoint(endpoint) => endpoint.question(text).map(without_tokens),
        }
    }

    /// The vector of a question.
    pub fn question(&self, text: &str) -> Result<EmbeddedQuestion, Error> {
        match self {
            Self::Local(encoder) => {
                let (vector, tokens) = ready(encoder)?.encode_question(text, QUESTION_TOKENS);
                Ok(EmbeddedQuestion { vector: Vector::quantize(&vector), tokens })
            }
            Self::Endpoint(endpoint) => {
                Ok(EmbeddedQuestion { vector: endpoint.question(text)?, tokens: TokenQuery::default() })
            }
        }
    }
}

fn local(encoder: &Encoder, text: &str) -> Embedded {
    let (vector, tokens) = encoder.encode_tokens(&ended(text), MAX_TOKENS);
    Embedded { vector: Vector::quantize(&vector), tokens }
}

/// A text with a full stop at its end: to the encoder, a note without one is clearly further from what it says.
fn ended(text: &str) -> Cow<'_, str> {
    let text = text.trim_end();
    if text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | '"' | '\'' | ')')) {
        Cow::Owned(format!("{text}."))
    } else {
        Cow::Borrowed(text)
    }
}

const fn without_tokens(vector: Vector) -> Embedded {
    Embedded { vector, tokens: Vec::new() }
}
