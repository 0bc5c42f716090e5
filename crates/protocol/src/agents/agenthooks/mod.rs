//! AGENT-HOOKS 0.1, a contract that is no one agent's: a host hands a context to interceptors and acts on their verdict.
//! It has no settings that sprag could write: the host starts `sprag hook --agent agent-hooks`.

mod dialect;

use super::AgentId;
use super::files::{AgentFiles, FolderVariable};
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Agenthooks,
    title: "AGENT-HOOKS",
    speaker: "Agent",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: AgentFiles {
        files: &[],
        ..AgentFiles::plain(AgentId::Agenthooks, ".agent-hooks", FolderVariable::Folder("AGENT_HOOKS_HOME"))
    },
    sandbox: None,
    process: Process { common_name: true, ..Process::UNKNOWN },
    transcript: Transcript { kept: Kept::Named, folder: "", sample_folder: "/.agent-hooks/", format: None },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "", oldest: [0, 0, 0] },
    headless: None,
    worker: None,
    status_line_limits: |_| Vec::new(),
};
