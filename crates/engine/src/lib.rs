//! Placeholder.

pub mod pattern;
