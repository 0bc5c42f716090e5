//! The dispatcher: takes ready tasks from the store, starts an agent for each in a worktree of its own, watches it, and
//! records what came out. It is a loop over the store; several of them, on several machines, share the tasks.

mod launch;
mod pattern;
mod run;
pub mod worktree;

pub use launch::{LaunchError, check, startable};
pub use run::{DispatchError, Limits, Options, Progress, Summary, dispatch};
