//! Kiro (CLI and IDE): a file of its own for each set of hooks; plain text is context, an exit code a denial.

mod dialect;
mod settings;
mod tools;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Kiro,
    title: "Kiro",
    speaker: "Kiro",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: settings::FILES,
    sandbox: None,
    process: Process { programs: &["kiro", "kiro-cli"], ..Process::UNKNOWN },
    transcript: Transcript { kept: Kept::Named, folder: "", sample_folder: "/.kiro/sessions/", format: None },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "", oldest: [0, 0, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
