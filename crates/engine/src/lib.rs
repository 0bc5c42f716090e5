//! Placeholder.

pub mod deploy;
