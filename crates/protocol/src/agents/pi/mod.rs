//! Pi: hooks are JavaScript, so sprag writes an extension that hands every event to the program.

mod dialect;
mod settings;
mod transcript;
mod worker;

use super::AgentId;
use super::fields::{ToolRow, same, tool};
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

const FILE: &[(&str, &str)] = &[("path", "file_path")];

/// Its tools.
static TABLE: [ToolRow; 7] = [
    same("bash", "Bash"),
    tool("read", "Read", FILE),
    tool("write", "Write", FILE),
    tool("edit", "Edit", FILE),
    same("grep", "Grep"),
    same("find", "Glob"),
    same("ls", "LS"),
];

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Pi,
    title: "Pi",
    speaker: "Pi",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: settings::FILES,
    sandbox: None,
    process: Process {
        programs: &["pi"],
        common_name: true,
        packages: &["@earendil-works/pi-coding-agent"],
        prompt_flags: &["-p", "--print"],
        ..Process::UNKNOWN
    },
    transcript: Transcript {
        kept: Kept::Named,
        folder: "sessions",
        sample_folder: "/.pi/agent/sessions/",
        format: Some(transcript::FORMAT),
    },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "0.87.1", oldest: [0, 87, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
