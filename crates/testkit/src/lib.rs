//! Test infrastructure: the real agents, driven against a scripted model on loopback.
//! Nothing here leaves the machine: the model is this process, the keys are fake, the home is thrown away.
//! How a test reads: `e2e/tests/e2e/rig.rs`.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "the callers are tests: a broken expectation must fail loudly, with its place"
)]

pub mod agents;
pub mod bin;
pub mod browser;
pub mod cmd;
pub mod home;
pub mod http;
pub mod model;
pub mod picture;
mod rigs;
pub mod run;
pub mod screen;
mod skip;
pub mod wire;

pub use agents::{Agent, Installed, Unavailable, or_skip, require};
pub use bin::{sprag, sprag_bin};
pub use browser::Browser;
pub use cmd::{Cmd, Output, Running};
pub use home::Sandbox;
pub use model::{Block, Model, Request, Role, Step, TimedOut, text, tool};
pub use run::{Outcome, Run, Turn};
pub use screen::Screen;
pub use skip::{SKIPS, skip};
pub use wire::{Part, Speaker, ToolResult, Wire};
