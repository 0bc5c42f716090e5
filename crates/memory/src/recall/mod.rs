//! Memories: kept once, found by words and by meaning, shown when they are worth it. The store is the truth; the
//! vectors' file is derived from it; the encoder is part of the program, and an endpoint may take its place.

pub mod bulk;
pub mod chunks;
mod embed;
mod endpoint;
pub mod keep;
pub mod learned;
mod library;
mod parts;
pub mod provenance;
pub mod rank;
mod remember;
pub mod supersede;
pub mod vectors;
pub mod words;

pub use embed::{Embedded, EmbeddedQuestion, Embedder};
pub use endpoint::Endpoint;
pub use library::{Library, Only, Question, RecalledMemory};
pub use provenance::Maker;
pub use remember::{Draft, MAX_CHARS, Remembered, is_near, text_hash};
pub use sprag_encoder::TOKENS;

/// The kind of what agents are told at every start anyway: found when somebody asks, never shown unasked.
pub const INSTRUCTION: &str = "instruction";

/// Why memories cannot be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store.
    #[error(transparent)]
    Store(#[from] sprag_store::Error),
    /// The vectors' file.
    #[error("the vectors' file: {0}")]
    File(#[from] std::io::Error),
    /// The encoder.
    #[error("{0}; {hint}", hint = .0.hint())]
    Encoder(#[from] sprag_encoder::Error),
    /// The embedding endpoint.
    #[error("the embedding endpoint: {0}")]
    Endpoint(String),
    /// Something that cannot be.
    #[error("{0}")]
    Broken(String),
    /// The text cannot be a memory.
    #[error("{0}")]
    Refused(&'static str),
}

/// One memory in one line: kind, text, id, where it comes from.
pub fn line(found: &RecalledMemory, most: usize) -> String {
    let memory = &found.memory;
    let joined: Vec<&str> = memory.is.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let joined = joined.join(" ");
    let mut preview: String = joined.chars().take(most).collect();
    if preview.len() < joined.len() {
        preview.push('…');
    }
    let kind = memory.is.kind.to_uppercase();
    format!("[{kind}] {preview} (id: {}; {})", short_id(&memory.id), provenance::origin(memory))
}

/// As much of an id as tells it from others: the part that is time and the part that is chance.
pub fn short_id(id: &str) -> String {
    id.chars().take(13).collect()
}
