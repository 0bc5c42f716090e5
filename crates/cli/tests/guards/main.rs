//! The guards through the built binary: one call, many lines, many calls at once, a hostile environment.

#[path = "../cli_home/mod.rs"]
mod cli_home;

mod batch;
mod explain;
mod hostile;
mod parallel;
