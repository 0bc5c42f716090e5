//! Kilo Code, a descendant of OpenCode that loads the same plugins.

mod dialect;
mod process;
mod settings;
mod tools;
mod transcript;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, Transcript, Version};

/// Texts that it writes under the user's name.
const MACHINE_MADE: &[&str] = &[];

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Kilo,
    title: "Kilo Code",
    speaker: "Kilo",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    sandbox: None,
    process: process::PROCESS,
    transcript: Transcript {
        kept: Kept::Database(transcript::DATABASE),
        folder: "storage",
        sample_folder: "/.local/share/kilo/storage/",
        format: Some(transcript::FORMAT),
    },
    machine_made: MACHINE_MADE,
    version: Version { arguments: &["--version"], tested: "7.7.7", oldest: [7, 7, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
