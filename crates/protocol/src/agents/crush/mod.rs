//! Charm's Crush: one event, before a tool.

mod dialect;
mod settings;
mod tools;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Crush,
    title: "Crush",
    speaker: "Crush",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: settings::FILES,
    sandbox: None,
    process: Process {
        variables: &["CRUSH_EVENT"],
        session_variable: Some("CRUSH_SESSION_ID"),
        project_variable: Some("CRUSH_PROJECT_DIR"),
        programs: &["crush"],
        packages: &["@charmland/crush"],
        ..Process::UNKNOWN
    },
    transcript: Transcript {
        kept: Kept::Named,
        folder: "",
        sample_folder: "/.local/share/crush/",
        format: None,
    },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "", oldest: [0, 0, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
