//! Windsurf (Devin Desktop): an event for each kind of action; a denial is an exit code, and no answer is read.

mod dialect;
mod settings;
mod tools;

use super::AgentId;
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Windsurf,
    title: "Windsurf",
    speaker: "Windsurf",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: settings::FILES,
    sandbox: None,
    process: Process { programs: &["windsurf", "devin-desktop"], ..Process::UNKNOWN },
    transcript: Transcript {
        kept: Kept::Named,
        folder: "",
        sample_folder: "/.codeium/windsurf/",
        format: None,
    },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "", oldest: [0, 0, 0] },
    headless: None,
    worker: None,
    status_line_limits: |_| Vec::new(),
};
