//! The guards through the built binary: one call, many lines, many calls at once, a hostile environment.
#![allow(
    clippy::case_sensitive_file_extension_comparisons,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]
#![cfg(unix)]

#[path = "../cli_home/mod.rs"]
mod cli_home;

mod batch;
mod deployed;
mod explain;
mod hostile;
mod parallel;
mod tools;
