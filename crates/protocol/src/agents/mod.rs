//! The coding agents that sprag works with: one folder each, with everything that is about that agent alone.
//! A further agent is a folder (`mod.rs` with its `SPEC`), its `mod` line and its line in the list below.

mod agenthooks;
mod amp;
mod antigravity;
mod auggie;
mod claude;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod devin;
mod droid;
mod fields;
pub mod files;
mod gemini;
mod goose;
mod grok;
mod hermes;
mod kilo;
mod kimi;
mod kiro;
pub mod mcp;
mod opencode;
mod pi;
pub mod plugin;
mod qwen;
pub mod sandbox;
mod shared;
pub mod spec;
mod windsurf;

pub(crate) use claude::encode as encode_canonical;
pub use claude::{ENV_FILE_VARIABLE, PROJECT_VARIABLE};
pub use spec::AgentSpec;

use serde::{Deserialize, Serialize};

/// Makes the ids and the table of the agents from one list: variant and folder.
macro_rules! agents {
    ($($variant:ident $folder:ident)+) => {
        /// A coding agent program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum AgentId {
            $(
                #[doc = concat!("See `agents/", stringify!($folder), "/`.")]
                $variant,
            )+
        }

        impl AgentId {
            /// Every agent, in the order in which tables show them.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];

            /// The name on the command line, in the configuration and in the journal.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($folder),)+
                }
            }

            /// Everything that is about this agent alone.
            pub const fn spec(self) -> &'static AgentSpec {
                match self {
                    $(Self::$variant => &$folder::SPEC,)+
                }
            }
        }

        /// Every agent, in the order of [`AgentId::ALL`].
        pub static AGENTS: [&AgentSpec; AgentId::ALL.len()] = [$(&$folder::SPEC),+];
    };
}

agents! {
    Claude claude
    Codex codex
    Gemini gemini
    Qwen qwen
    Copilot copilot
    Opencode opencode
    Grok grok
    Kimi kimi
    Cline cline
    Droid droid
    Kilo kilo
    Hermes hermes
    Pi pi
    Auggie auggie
    Cursor cursor
    Windsurf windsurf
    Devin devin
    Kiro kiro
    Amp amp
    Goose goose
    Crush crush
    Antigravity antigravity
    Agenthooks agenthooks
}

impl AgentId {
    /// The agent whose names of events, tools and fields are the internal vocabulary, and for whom a payload is
    /// taken that does not say whose it is.
    pub const CANONICAL: Self = Self::Claude;

    /// The agent with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        // The contract's own spelling.
        let name = if name == "agent-hooks" { "agenthooks" } else { name };
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// The agent's name for people.
    pub const fn title(self) -> &'static str {
        self.spec().title
    }

    /// The names of all agents, for a message: `claude, codex, …`.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

/// True for a text under the user's name that an agent's program wrote: a notification, the output of a command, hook
/// feedback, a summary to go on from.
pub fn is_machine_made(text: &str) -> bool {
    let text = text.trim_start();
    AGENTS.iter().flat_map(|agent| agent.machine_made).any(|start| text.starts_with(start))
}

/// True for a variable by which a program that an agent starts would take itself for a part of that agent's session.
pub fn is_session_variable(name: &str) -> bool {
    AGENTS.iter().any(|agent| agent.process.session_environment.contains(&name))
}

impl std::fmt::Display for AgentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_the_folders_agree() {
        for (agent, spec) in AgentId::ALL.into_iter().zip(AGENTS) {
            assert_eq!((spec.id, spec.dialect.agent, spec.settings.agent), (agent, agent, agent));
            assert_eq!(AgentId::from_name(agent.name()), Some(agent));
            assert_eq!(serde_json::to_value(agent).unwrap(), agent.name());
        }
    }

    #[test]
    fn nothing_that_skips_permissions_is_passed_unasked() {
        let unattended =
            ["yolo", "dangerous", "approve", "allow", "auto", "force", "skip", "trust", "bypass"];
        for spec in AGENTS {
            let Some(worker) = &spec.worker else {
                // An editor, and a contract that any program may speak.
                assert!(matches!(spec.id, AgentId::Windsurf | AgentId::Agenthooks), "{}", spec.title);
                continue;
            };
            let line = worker.arguments("THE-TASK", &["--own".to_owned()], None);
            let as_argument = line.last().is_some_and(|last| last == "THE-TASK");
            assert_eq!(as_argument, worker.stdin("THE-TASK").is_empty(), "{}: told once", spec.title);
            assert!(line.contains(&"--own".to_owned()));
            for word in unattended {
                assert!(!line.iter().any(|argument| argument.contains(word)), "{}: {line:?}", spec.title);
            }
        }
    }

    #[test]
    fn what_is_printed_as_text_is_the_result() {
        let worker = AgentId::Hermes.spec().worker.as_ref().unwrap();
        let mut report = spec::WorkerReport::default();
        for line in [serde_json::json!("all"), serde_json::json!(2), serde_json::json!("herons")] {
            (worker.read)(&line, &mut report);
        }
        assert_eq!(report.text, "all\n2\nherons");
    }

    /// The page is written by the tests with the real agents.
    #[test]
    fn the_tested_versions_are_those_of_the_page() {
        let page = include_str!("../../../../docs/agents.md");
        let lines = page
            .lines()
            .filter(|line| line.starts_with("Seen with ") || line.starts_with("One run each with "));
        let seen: String = lines.collect();
        for spec in AGENTS.into_iter().filter(|spec| spec.was_run()) {
            let version = format!("{} {}", spec.title, spec.version.tested);
            assert!(seen.contains(&version), "{version}: {seen}");
        }
    }
}
