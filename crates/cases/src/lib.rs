//! The hook test framework: `*.hook.toml` cases, each run in a throw-away home, through any agent's dialect.
//! Everything a run depends on is in the engine's `Host`, so a case needs no process of its own.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod base;
mod check;
mod diff;
pub mod find;
mod git;
mod keys;
mod model;
mod payload;
mod places;
pub mod pool;
mod read;
pub mod report;
pub mod run;
mod scripted;
mod snapshot;
mod toml;
pub mod world;

pub use places::{each_text, replace_path};
