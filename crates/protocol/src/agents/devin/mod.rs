//! Devin's CLI: Claude Code's events and answers, its own tools. It also runs the hooks in Claude Code's files.

mod dialect;
mod settings;
mod tools;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Devin,
    title: "Devin",
    speaker: "Devin",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: settings::FILES,
    sandbox: None,
    process: Process {
        variables: &["DEVIN_PROJECT_DIR"],
        project_variable: Some("DEVIN_PROJECT_DIR"),
        programs: &["devin"],
        prompt_flags: &["-p", "--print"],
        ..Process::UNKNOWN
    },
    transcript: Transcript { kept: Kept::Named, folder: "", sample_folder: "/.config/devin/", format: None },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "", oldest: [0, 0, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
