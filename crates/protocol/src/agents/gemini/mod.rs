//! Google's Gemini CLI.

mod dialect;
mod plugin;
mod process;
mod sandbox;
mod settings;
mod tools;
mod transcript;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Headless, Kept, Transcript, Version};

/// Texts that it writes under the user's name.
const MACHINE_MADE: &[&str] = &[
    "<session_context>",
    "<hook_context>",
    "<state_snapshot>",
    "This is the Gemini CLI. We are setting up the context",
    "System: Please continue",
    "System: Potential loop detected",
];

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Gemini,
    title: "Gemini CLI",
    speaker: "Gemini",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    sandbox: Some(sandbox::parts),
    process: process::PROCESS,
    transcript: Transcript {
        kept: Kept::Named,
        folder: "tmp",
        sample_folder: "/.gemini/tmp/shop/chats/",
        format: Some(transcript::FORMAT),
    },
    machine_made: MACHINE_MADE,
    version: Version { arguments: &["--version"], tested: "0.61.0", oldest: [0, 26, 0] },
    headless: Some(Headless {
        before_model: &[],
        after_model: &["--skip-trust", "--output-format", "text", "--prompt", "Do what is asked above."],
        default_model: None,
    }),
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
