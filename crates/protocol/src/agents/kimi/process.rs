//! Its processes and variables.

use crate::agents::spec::Process;

pub(super) const PROCESS: Process = Process {
    programs: &["kimi"],
    packages: &["@moonshot-ai/kimi-code"],
    prompt_flags: &["-p", "--prompt"],
    ..Process::UNKNOWN
};
