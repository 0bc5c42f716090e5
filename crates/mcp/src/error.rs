//! What a model is told when a tool cannot answer: what is wrong, and what to do instead.

use std::fmt;

/// Why a tool has no answer.
#[derive(Debug)]
pub(crate) struct ToolError {
    what: String,
    hint: String,
}

impl ToolError {
    /// What is wrong, and what to do.
    pub(crate) fn new(what: impl fmt::Display, hint: impl fmt::Display) -> Self {
        Self { what: what.to_string(), hint: hint.to_string() }
    }

    /// The same with another hint.
    pub(crate) fn hint(self, hint: impl fmt::Display) -> Self {
        Self { hint: hint.to_string(), ..self }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sprag: {}. {}", self.what.trim_end_matches('.'), self.hint)
    }
}

impl From<sprag_store::Error> for ToolError {
    fn from(error: sprag_store::Error) -> Self {
        let hint = error.hint();
        Self::new(&error, hint)
    }
}

impl From<sprag_memory::recall::Error> for ToolError {
    fn from(error: sprag_memory::recall::Error) -> Self {
        match error {
            sprag_memory::recall::Error::Store(error) => error.into(),
            sprag_memory::recall::Error::Refused(why) => Self::new(why, "Change the text and try again."),
            other => Self::new(other, "Go on without it, and tell the user to run `sprag doctor`."),
        }
    }
}

impl From<sprag_memory::knowledge::KnowledgeError> for ToolError {
    fn from(error: sprag_memory::knowledge::KnowledgeError) -> Self {
        Self::new(error, "Go on without it, and tell the user to run `sprag knowledge status`.")
    }
}

impl From<std::io::Error> for ToolError {
    fn from(error: std::io::Error) -> Self {
        Self::new(error, "Go on without it, and tell the user to run `sprag doctor`.")
    }
}
