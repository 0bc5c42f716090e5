//! The hook test framework: `*.hook.toml` cases, each run in a throw-away home, through any agent's dialect.
//! Everything a run depends on is in the engine's `Host`, so a case needs no process of its own.

pub(crate) mod base;
pub(crate) mod check;
pub(crate) mod diff;
pub(crate) mod find;
pub(crate) mod git;
pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod payload;
pub(crate) mod places;
pub(crate) mod pool;
pub(crate) mod read;
pub(crate) mod report;
pub(crate) mod respell;
pub(crate) mod run;
pub(crate) mod scripted;
pub(crate) mod snapshot;
pub(crate) mod toml;
pub(crate) mod world;
