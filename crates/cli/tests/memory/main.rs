//! What is kept from session to session: memories, lessons, handoffs, and the models that are asked for them.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]

#[path = "../cli_home/mod.rs"]
mod cli_home;

mod embedding;
mod knowledge;
mod lessons;
mod memory;
mod model_path;
