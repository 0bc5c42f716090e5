//! Why a hook or a background job could not do its work.

use sprag_base::time::Stamp;
use std::error::Error;
use std::fmt;

/// The error of a hook or of a background job: whatever went wrong below it, and what it was doing. It is journaled,
/// not handled, so the source keeps its own type.
pub struct TaskError {
    doing: Option<String>,
    not_before: Option<Stamp>,
    source: Box<dyn Error + Send + Sync>,
}

impl TaskError {
    /// An error with what it is about: a file, a program.
    pub fn about(what: impl fmt::Display, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { doing: Some(what.to_string()), not_before: None, source: source.into() }
    }

    /// What the job needs is unavailable until then: it is put off, and that does not count as a try.
    pub fn later(not_before: Stamp, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { doing: None, not_before: Some(not_before), source: source.into() }
    }

    /// When a job that was put off is tried again.
    pub const fn not_before(&self) -> Option<Stamp> {
        self.not_before
    }
}

// No `Error` for `TaskError` itself: it is the end of the line, and this conversion excludes it.
impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for TaskError {
    fn from(error: E) -> Self {
        Self { doing: None, not_before: None, source: error.into() }
    }
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.doing {
            Some(doing) => write!(f, "{doing}: {}", self.source),
            None => self.source.fmt(f),
        }
    }
}

impl fmt::Debug for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_it_is_about() {
        let fails =
            || -> Result<(), TaskError> { Ok(Err(std::io::Error::from(std::io::ErrorKind::NotFound))?) };
        assert_eq!(fails().unwrap_err().to_string(), "entity not found");
        assert_eq!(TaskError::about("notes.md", "too long").to_string(), "notes.md: too long");
        assert_eq!(TaskError::from("cannot").to_string(), "cannot");
    }
}
