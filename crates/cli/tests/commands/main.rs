//! What people and agents type: every command through the built binary.

#[path = "../cli_home/mod.rs"]
mod cli_home;

mod code;
mod demo;
mod deploy;
mod guarded;
mod help;
mod history;
mod hook;
mod hooks;
mod setup;
mod statusline;
mod verify;
