//! The page over real HTTP: what it shows, and what attackers get.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::type_complexity,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]

mod attacks;
mod client;
mod elsewhere;
mod mcp;
mod screens;
