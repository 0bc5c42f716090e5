//! Its processes and variables.

use crate::agents::spec::Process;

pub(super) const PROCESS: Process = Process {
    variables: &["HERMES_SESSION_ID"],
    session_variable: Some("HERMES_SESSION_ID"),
    session_environment: &["HERMES_SESSION_ID"],
    programs: &["hermes", "hermes-agent"],
    common_name: true,
    prompt_flags: &["-z"],
    ..Process::UNKNOWN
};
