//! The real agents, driven by a scripted model, with sprag between them and what they do.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]

mod agents;
mod claude;
mod code;
mod comes_back;
mod contract;
mod cost;
mod dispatch;
mod guards;
mod knowledge;
mod known_fix;
mod leave;
mod lessons;
mod mcp;
mod more;
mod page;
mod patterns;
mod plugin;
mod prompt;
mod recall;
mod recognise;
mod rig;
mod team;
mod verify;
