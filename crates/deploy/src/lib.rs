//! Edits the agents' own settings files: adds and removes sprag's hooks and keeps every foreign byte.
//! `edit` is the pure core (text in, text out), `run` connects it to the disk. What an agent's file looks like is in
//! `sprag_protocol::agents`.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

mod block;
mod command;
mod doc;
mod edit;
mod error;
mod file;
pub mod installed;
mod json;
pub mod mcp;
mod member;
mod memory;
mod modes;
mod own;
mod plan;
pub mod plugin;
pub mod register;
mod registered;
mod run;
mod sandbox;
mod style;
#[cfg(test)]
mod tests;
mod toml_hooks;

pub use command::{Command, Form};
pub use edit::{Edited, Origin, Warning, apply, entries, foreign, strip};
pub use error::DeployError;
pub use installed::agent_env;
pub use json::SettingsError;
pub use memory::{Deployed, ImportedHook, Remembered, deployed, imported, note_deployed, set_imported};
pub use own::Entry;
pub use plan::{Plan, Registration};
pub use registered::{RegisteredFile, registered};
pub use run::{
    Mode, Outcome, Registered, Removal, Report, deploy, set_status_line, status, status_line, undeploy,
};
pub use sandbox::{Sandbox, SandboxReport};
pub use sprag_protocol::agents::files::{
    AgentEnv, AgentFileError, AgentFiles, AgentVersion, JsonSyntax, Scope,
};
pub use toml_hooks::{InvalidToml, TomlHooks, toml_hooks};
