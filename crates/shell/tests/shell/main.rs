//! The analysis: against real bash, and what it says of git's state.
#![allow(
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]

mod against_bash;
mod git_state;

#[path = "../oracle/mod.rs"]
mod oracle;
