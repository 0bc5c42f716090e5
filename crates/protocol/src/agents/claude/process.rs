//! Its processes and variables.

use crate::agents::spec::{HeadlessAsk, Process};

/// The folder in which the agent was started; hooks of every agent get it under this name.
pub const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";
/// The file in which a hook sets variables for the agent's shell.
pub const ENV_FILE_VARIABLE: &str = "CLAUDE_ENV_FILE";

const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

pub(super) const PROCESS: Process = Process {
    variables: &[
        "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", SESSION_VARIABLE, "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_PID",
    ],
    session_variable: Some(SESSION_VARIABLE),
    project_variable: Some(PROJECT_VARIABLE),
    session_environment: &[
        "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", SESSION_VARIABLE, PROJECT_VARIABLE, ENV_FILE_VARIABLE,
    ],
    programs: &["claude", "claude-code"],
    packages: &["@anthropic-ai/claude-code", "@anthropic-ai/claude-agent-sdk"],
    headless_ask: HeadlessAsk::Refused,
    // The second is how a program that embeds it answers for a person.
    asks_through: &["--permission-prompt-tool", "--input-format"],
    prompt_flags: &["-p", "--print"],
    project_env_files: &[".claude/settings.json", ".claude/settings.local.json"],
    ..Process::UNKNOWN
};
