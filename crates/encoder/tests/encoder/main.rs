//! The encoder against its reference.

mod golden;
mod rules;
