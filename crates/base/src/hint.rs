//! Errors that say what to do.

/// An error of a library that also says, in one line, what the user can do about it.
pub trait Hint: std::fmt::Display {
    /// What the user can do.
    fn hint(&self) -> String;
}
