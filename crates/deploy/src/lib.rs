//! Writing the agents' own hook configuration: their files, their spelling, and every foreign byte left alone.
//! `edit` is the pure core (text in, text out), `run` joins it to the disk; `agents` has one row per agent.

mod agents;
mod codex_toml;
mod command;
mod doc;
mod edit;
mod error;
mod file;
mod json;
mod memory;
mod modes;
mod own;
mod plan;
pub mod register;
mod run;
mod style;
#[cfg(test)]
mod tests;

pub use agents::{AGENTS, AgentFiles, Env, Scope, TimeUnit};
pub use codex_toml::{TomlHooks, toml_hooks};
pub use command::{Command, Form};
pub use edit::{Edited, Origin, Warning, apply, entries, strip};
pub use error::DeployError;
pub use json::{Refusal, Syntax};
pub use own::Entry;
pub use plan::{Plan, Registration};
pub use run::{Mode, Outcome, Registered, Report, deploy, status, undeploy};
