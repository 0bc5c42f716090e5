//! xAI's Grok: Claude Code's hooks with tools and results of its own.

mod dialect;
mod process;
mod settings;
mod tools;
mod transcript;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, Transcript, Version};

/// Texts that it writes under the user's name.
const MACHINE_MADE: &[&str] = &["<system-reminder>", "<user_rules>"];

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Grok,
    title: "Grok",
    speaker: "Grok",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    sandbox: None,
    process: process::PROCESS,
    transcript: Transcript {
        kept: Kept::Named,
        folder: "sessions",
        sample_folder: "/.grok/sessions/",
        format: Some(transcript::FORMAT),
    },
    machine_made: MACHINE_MADE,
    version: Version { arguments: &["--version"], tested: "1.0.41", oldest: [1, 0, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
