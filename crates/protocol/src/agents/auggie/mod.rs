//! Augment's Auggie: Claude Code's layout and answers, its own fields and tools.

mod dialect;
mod settings;
mod tools;
mod worker;

use super::AgentId;
use super::spec::{AgentSpec, Kept, MatcherSyntax, Process, Tools, Transcript, Version};

/// What sprag knows about it.
pub(super) static SPEC: AgentSpec = AgentSpec {
    id: AgentId::Auggie,
    title: "Auggie",
    speaker: "Auggie",
    dialect: &dialect::DIALECT,
    tools: Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } },
    settings: settings::FILES,
    sandbox: None,
    process: Process {
        variables: &["AUGMENT_HOOK_EVENT"],
        session_variable: Some("AUGMENT_CONVERSATION_ID"),
        project_variable: Some("AUGMENT_PROJECT_DIR"),
        programs: &["auggie"],
        packages: &["@augmentcode/auggie"],
        prompt_flags: &["-p", "--print"],
        ..Process::UNKNOWN
    },
    transcript: Transcript {
        kept: Kept::Named,
        folder: "",
        sample_folder: "/.augment/sessions/",
        format: None,
    },
    machine_made: &[],
    version: Version { arguments: &["--version"], tested: "0.36.0", oldest: [0, 36, 0] },
    headless: None,
    worker: Some(worker::WORKER),
    status_line_limits: |_| Vec::new(),
};
