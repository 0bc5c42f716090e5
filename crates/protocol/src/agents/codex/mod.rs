//! OpenAI's Codex CLI.

mod dialect;
mod process;
mod settings;
mod tools;
mod transcript;

use super::AgentId;
use super::spec::{AgentSpec, Headless, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Codex,
    title: "Codex",
    speaker: "Codex",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    process: process::PROCESS,
    transcript: Transcript {
        folder: "sessions",
        sample_folder: "/.codex/sessions/",
        format: Some(transcript::FORMAT),
    },
    version: Version { arguments: &["--version"], tested: "0.166.0" },
    headless: Some(Headless {
        before_model: &[
            "exec",
            "--skip-git-repo-check",
            "--ephemeral",
            "--sandbox",
            "read-only",
            "--color",
            "never",
        ],
        after_model: &["-"],
        default_model: None,
    }),
    status_line_limits: |_| Vec::new(),
};
