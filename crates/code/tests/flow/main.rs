//! Control flow, data flow and slices, in every language that has them.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod dice;
mod differential;
mod elsewhere;
mod forms;
mod golden;
mod holds;
mod linear;
mod program;
mod surplus;
mod writer;
