//! Amp: hooks are TypeScript, so sprag writes a plugin that hands every event to the program.

mod dialect;
mod settings;
mod tools;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Amp,
    title: "Amp",
    speaker: "Amp",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: settings::FILES,
    sandbox: None,
    process: Process {
        variables: &["AMP_CURRENT_THREAD_ID"],
        programs: &["amp"],
        packages: &["@ampcode/cli", "@sourcegraph/amp"],
        prompt_flags: &["-x", "--execute"],
        ..Process::UNKNOWN
    },
    transcript: Transcript {
        kept: Kept::Named,
        folder: "",
        sample_folder: "/.local/share/amp/threads/",
        format: None,
    },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "", oldest: [0, 0, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
