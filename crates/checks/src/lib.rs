//! Runs a project's own compilers and linters.
//!
//! A hook leaves a request in the project's folder of the state ([`ask`]), the background worker takes all that wait,
//! runs what they call for once ([`run`]), and leaves what is new in each session's state, where the next event finds
//! it. A hook that expects a quick answer waits for it.

pub mod ask;
pub mod changes;
pub mod config;
pub mod disk;
pub mod hold;
pub mod place;
pub mod run;
mod start;
