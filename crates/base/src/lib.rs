//! What every crate of sprag stands on: files, paths, time, environment, ids, globs, links, child processes.
//! It knows nothing of hooks, agents or configuration.

pub mod detach;
pub mod env;
pub mod files;
pub mod glob;
pub mod id;
pub mod links;
pub mod paths;
pub mod process;
pub mod time;
