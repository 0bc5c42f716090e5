//! Google's Gemini CLI.

mod dialect;
mod process;
mod settings;
mod tools;
mod transcript;

use super::AgentId;
use super::spec::{AgentSpec, Headless, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Gemini,
    title: "Gemini CLI",
    speaker: "Gemini",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    process: process::PROCESS,
    transcript: Transcript {
        folder: "tmp",
        sample_folder: "/.gemini/tmp/shop/chats/",
        format: Some(transcript::FORMAT),
    },
    version: Version { arguments: &["--version"], tested: "0.61.0" },
    headless: Some(Headless {
        before_model: &[],
        after_model: &["--skip-trust", "--output-format", "text", "--prompt", "Do what is asked above."],
        default_model: None,
    }),
    status_line_limits: |_| Vec::new(),
};
