//! Many agents and the store they share, through the built binary.

#[path = "../cli_home/mod.rs"]
mod cli_home;

mod artifacts;
mod identity;
mod patterns;
mod store;
mod team;
