//! Its processes and variables.

use crate::agents::spec::Process;

pub(super) const PROCESS: Process = Process {
    variables: &["OPENCODE"],
    programs: &["opencode"],
    packages: &["opencode-ai"],
    prompt_flags: &["run"],
    ..Process::UNKNOWN
};
