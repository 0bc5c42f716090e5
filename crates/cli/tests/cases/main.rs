//! `sprag test`, the cases that come with the builtins, and what writes and records cases.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]

#[path = "../common/mod.rs"]
mod common;

mod builtins;
mod cases;
mod hooks_new;
mod record;
