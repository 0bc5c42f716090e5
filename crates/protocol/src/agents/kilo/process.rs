//! Its processes and variables.

use crate::agents::spec::Process;

pub(super) const PROCESS: Process = Process {
    variables: &["KILO"],
    programs: &["kilo"],
    common_name: true,
    packages: &["@kilocode/cli"],
    prompt_flags: &["run"],
    ..Process::UNKNOWN
};
