//! Its processes and variables.

use crate::agents::spec::Process;

pub(super) const PROCESS: Process = Process {
    variables: &["CLINE_CONNECTOR_CLI_LAUNCH"],
    programs: &["cline"],
    packages: &["@cline/cli", "node_modules/cline"],
    ..Process::UNKNOWN
};
