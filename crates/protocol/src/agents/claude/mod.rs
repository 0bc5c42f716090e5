//! Anthropic's Claude Code.

mod dialect;
mod limits;
mod process;
mod settings;
mod tools;
mod transcript;

use super::AgentId;
use super::spec::{AgentSpec, Headless, Transcript, Version};

pub(crate) use dialect::encode;
pub use process::{ENV_FILE_VARIABLE, PROJECT_VARIABLE};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Claude,
    title: "Claude Code",
    speaker: "Claude",
    dialect: &dialect::DIALECT,
    tools: tools::TOOLS,
    settings: settings::FILES,
    process: process::PROCESS,
    transcript: Transcript {
        folder: "projects",
        sample_folder: "/.claude/projects/",
        format: Some(transcript::FORMAT),
    },
    version: Version { arguments: &["--version"], tested: "2.1.325" },
    headless: Some(Headless {
        before_model: &["-p"],
        after_model: &[
            "--output-format",
            "text",
            "--tools",
            "",
            "--strict-mcp-config",
            "--no-session-persistence",
            "--settings",
            r#"{"disableAllHooks":true}"#,
            // The agent's own prompt and skills are thousands of tokens that the question does not need.
            "--disable-slash-commands",
            "--system-prompt",
            "You answer with what is asked for and nothing else.",
        ],
        default_model: Some("haiku"),
    }),
    status_line_limits: limits::of_status_line,
};
