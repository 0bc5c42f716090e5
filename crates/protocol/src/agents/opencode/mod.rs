//! OpenCode: hooks are JavaScript, so sprag writes a plugin that hands every event to the program.

mod dialect;
mod process;
mod settings;
mod tools;
pub(super) mod transcript;
mod worker;

pub(super) use dialect::{ROWS, encode, to_canonical};
pub(super) use settings::plugin;
pub(super) use tools::{TABLE, TOOLS};
pub(super) use worker::read_line as read_worker_line;

use super::AgentId;
use super::spec::{AgentSpec, Kept, Transcript, Version};

/// Texts that it writes under the user's name.
const MACHINE_MADE: &[&str] = &[];

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Opencode,
    title: "OpenCode",
    speaker: "OpenCode",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    sandbox: None,
    process: process::PROCESS,
    transcript: Transcript {
        kept: Kept::Database(transcript::DATABASE),
        folder: "storage",
        sample_folder: "/.local/share/opencode/storage/",
        format: Some(transcript::FORMAT),
    },
    machine_made: MACHINE_MADE,
    version: Version { arguments: &["--version"], tested: "1.18.33", oldest: [1, 18, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
