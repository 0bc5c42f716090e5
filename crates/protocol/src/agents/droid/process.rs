//! Its processes and variables.

use crate::agents::spec::{HeadlessAsk, Process};

pub(super) const PROCESS: Process = Process {
    variables: &["DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR"],
    project_variable: Some("FACTORY_PROJECT_DIR"),
    session_environment: &["DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR", "FACTORY_EXEC_TARGET_AUTONOMY"],
    programs: &["droid"],
    common_name: true,
    packages: &["@factory/cli"],
    // Run for one prompt it runs what a hook wants to ask about.
    headless_ask: HeadlessAsk::Refused,
    prompt_flags: &["exec"],
    ..Process::UNKNOWN
};
