//! Qwen Code, a descendant of Gemini CLI with Claude Code's hooks.

mod dialect;
mod process;
mod settings;
mod tools;

use super::AgentId;
use super::spec::{AgentSpec, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Qwen,
    title: "Qwen Code",
    speaker: "Qwen",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    process: process::PROCESS,
    transcript: Transcript { folder: "projects", sample_folder: "/.qwen/projects/shop/chats/", format: None },
    version: Version { arguments: &["--version"], tested: "0.24.4" },
    headless: None,
    status_line_limits: |_| Vec::new(),
};
