//! Its processes and variables.

use crate::agents::spec::Process;

pub(super) const PROCESS: Process = Process {
    variables: &["QWEN_CODE"],
    project_variable: Some("QWEN_PROJECT_DIR"),
    programs: &["qwen"],
    packages: &["@qwen-code/qwen-code"],
    prompt_flags: &["-p", "--prompt"],
    unattended_flags: &["-y"],
    project_env_files: &[".qwen/settings.json", ".qwen/.env"],
    ..Process::UNKNOWN
};
