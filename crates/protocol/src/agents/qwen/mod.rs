//! Qwen Code, a descendant of Gemini CLI with Claude Code's hooks.

mod dialect;
mod process;
mod settings;
mod tools;
mod transcript;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, Transcript, Version};

/// Texts that it writes under the user's name.
const MACHINE_MADE: &[&str] =
    &["This is the Qwen Code. We are setting up the context", "<system-reminder>", "<task-notification>"];

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Qwen,
    title: "Qwen Code",
    speaker: "Qwen",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    sandbox: None,
    process: process::PROCESS,
    transcript: Transcript {
        kept: Kept::Named,
        folder: "projects",
        sample_folder: "/.qwen/projects/shop/chats/",
        format: Some(transcript::FORMAT),
    },
    machine_made: MACHINE_MADE,
    version: Version { arguments: &["--version"], tested: "0.24.4", oldest: [0, 15, 6] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
