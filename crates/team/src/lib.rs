//! The commands of a team: tasks, claims, messages, agents and their documents, patterns, artifacts, worktrees, the dispatcher.
//! Each module is one command; what they do is in `coord`, `dispatch` and `store`.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod access;
pub mod agent;
pub mod artifact;
pub mod claims;
pub mod limit;
pub mod pattern;
pub mod run;
pub mod say;
pub mod task;
pub mod worktree;
