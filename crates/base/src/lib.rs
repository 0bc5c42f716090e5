//! What every crate of sprag stands on: files, paths, time, environment, ids, globs, links, child processes.
//! It knows nothing of hooks, agents or configuration.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod child;
pub mod detach;
pub mod disk;
pub mod env;
pub mod fault;
pub mod files;
pub mod glob;
pub mod hint;
pub mod id;
pub mod links;
pub mod paths;
pub mod pid;
pub mod process;
pub mod text;
pub mod time;
