//! Its processes and variables.

use crate::agents::spec::{HeadlessAsk, Process};

pub(super) const PROCESS: Process = Process {
    variables: &["COPILOT_CLI"],
    project_variable: Some("COPILOT_PROJECT_DIR"),
    programs: &["copilot"],
    program_prefix: Some("copilot-"),
    packages: &["@github/copilot"],
    headless_ask: HeadlessAsk::Refused,
    prompt_flags: &["-p", "--prompt"],
    ..Process::UNKNOWN
};
