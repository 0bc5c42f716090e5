//! Factory's Droid: Claude Code's hooks, of whose answers it reads a part.

mod dialect;
mod process;
mod settings;
mod tools;
mod transcript;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, Transcript, Version};

/// Texts that it writes under the user's name.
const MACHINE_MADE: &[&str] = &["<system-reminder>"];

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Droid,
    title: "Factory Droid",
    speaker: "Droid",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    sandbox: None,
    process: process::PROCESS,
    transcript: Transcript {
        kept: Kept::Named,
        folder: "sessions",
        sample_folder: "/.factory/sessions/",
        format: Some(transcript::FORMAT),
    },
    machine_made: MACHINE_MADE,
    version: Version { arguments: &["--version"], tested: "0.215.0", oldest: [0, 186, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
