//! Its processes and variables.

use crate::agents::spec::{HeadlessAsk, Process};

pub(super) const PROCESS: Process = Process {
    variables: &["GROK_SESSION_ID", "GROK_HOOK_EVENT"],
    session_variable: Some("GROK_SESSION_ID"),
    project_variable: Some("GROK_WORKSPACE_ROOT"),
    session_environment: &["GROK_SESSION_ID", "GROK_HOOK_EVENT", "GROK_HOOK_NAME", "GROK_WORKSPACE_ROOT"],
    programs: &["grok"],
    packages: &["@xai-official/grok"],
    // Run for one prompt it approves what a hook wants to ask about.
    headless_ask: HeadlessAsk::Refused,
    prompt_flags: &["-p", "--prompt"],
    ..Process::UNKNOWN
};
