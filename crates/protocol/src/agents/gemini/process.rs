//! Its processes and variables.

use crate::agents::spec::{HeadlessAsk, Process};

const SESSION_VARIABLE: &str = "GEMINI_SESSION_ID";

pub(super) const PROCESS: Process = Process {
    variables: &["GEMINI_CLI", SESSION_VARIABLE],
    session_variable: Some(SESSION_VARIABLE),
    project_variable: Some("GEMINI_PROJECT_DIR"),
    session_environment: &["GEMINI_CLI", SESSION_VARIABLE],
    programs: &["gemini"],
    packages: &["@google/gemini-cli"],
    headless_ask: HeadlessAsk::Waits,
    prompt_flags: &["-p", "--prompt"],
    unattended_flags: &["-y"],
    project_env_files: &[".gemini/settings.json", ".gemini/.env"],
    ..Process::UNKNOWN
};
