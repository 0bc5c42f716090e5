//! GitHub's Copilot CLI: Claude Code's event names, answers without a level for the event.

mod dialect;
mod process;
mod settings;
mod tools;
mod transcript;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, Transcript, Version};

/// Texts that it writes under the user's name.
const MACHINE_MADE: &[&str] = &["<system_reminder>", "<current_datetime>"];

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Copilot,
    title: "Copilot CLI",
    speaker: "Copilot",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    sandbox: None,
    process: process::PROCESS,
    transcript: Transcript {
        kept: Kept::Named,
        folder: "session-state",
        sample_folder: "/.copilot/session-state/",
        format: Some(transcript::FORMAT),
    },
    machine_made: MACHINE_MADE,
    version: Version { arguments: &["--version"], tested: "1.0.102", oldest: [1, 0, 78] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
