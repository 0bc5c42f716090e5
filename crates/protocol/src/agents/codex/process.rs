//! Its processes and variables.

use crate::agents::spec::Process;

const SESSION_VARIABLE: &str = "CODEX_THREAD_ID";

pub(super) const PROCESS: Process = Process {
    variables: &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", SESSION_VARIABLE, "CODEX_CI"],
    session_variable: Some(SESSION_VARIABLE),
    session_environment: &[SESSION_VARIABLE],
    programs: &["codex"],
    // Its npm package names the binary by platform.
    program_prefix: Some("codex-"),
    packages: &["@openai/codex"],
    project_env_files: &[".codex/config.toml", ".codex/.env"],
    ..Process::UNKNOWN
};
