//! `sprag test`, the cases that come with the builtins, and what writes and records cases.

#[path = "../common/mod.rs"]
mod common;

mod builtins;
mod cases;
mod hooks_new;
mod record;
