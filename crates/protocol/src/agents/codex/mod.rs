//! OpenAI's Codex CLI.

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
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<hook_prompt",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<recommended_plugins>",
    "Another language model started to solve this problem",
];

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Codex,
    title: "Codex",
    speaker: "Codex",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    sandbox: Some(sandbox::parts),
    process: process::PROCESS,
    transcript: Transcript {
        kept: Kept::Named,
        folder: "sessions",
        sample_folder: "/.codex/sessions/",
        format: Some(transcript::FORMAT),
    },
    machine_made: MACHINE_MADE,
    version: Version { arguments: &["--version"], tested: "0.169.0", oldest: [0, 143, 0] },
    headless: Some(Headless {
        before_model: &[
            "exec", "--skip-git-repo-check", "--ephemeral", "--sandbox", "read-only", "--color", "never",
        ],
        after_model: &["-"],
        default_model: None,
    }),
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
