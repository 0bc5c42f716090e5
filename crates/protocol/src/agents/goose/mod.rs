//! Goose: hooks of a plugin, in Claude Code's layout. It reads a denial and nothing else.

mod dialect;
mod settings;
mod tools;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Goose,
    title: "Goose",
    speaker: "Goose",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: settings::FILES,
    sandbox: None,
    process: Process {
        programs: &["goose"],
        // A tool for databases has the name too.
        common_name: true,
        ..Process::UNKNOWN
    },
    transcript: Transcript {
        kept: Kept::Named,
        folder: "",
        sample_folder: "/.local/share/goose/sessions/",
        format: None,
    },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "1.52.0", oldest: [1, 38, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
