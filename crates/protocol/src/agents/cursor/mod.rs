//! Cursor: events and answers of its own. It also runs the hooks in Claude Code's files.

mod dialect;
mod settings;
mod tools;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Cursor,
    title: "Cursor",
    speaker: "Cursor",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: settings::FILES,
    sandbox: None,
    process: Process {
        variables: &["CURSOR_VERSION"],
        project_variable: Some("CURSOR_PROJECT_DIR"),
        programs: &["cursor", "cursor-agent"],
        ..Process::UNKNOWN
    },
    transcript: Transcript {
        kept: Kept::Named,
        folder: "",
        sample_folder: "/.cursor/projects/",
        format: None,
    },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "", oldest: [0, 0, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
