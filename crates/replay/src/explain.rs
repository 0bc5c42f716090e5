//! What the guards say of a command, outside of any session: every guard of the chain is asked as before a Bash call.

use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_project::Project;
use sprag_protocol::DecodeError;
use sprag_runtime::ask;
use sprag_runtime::hook::HookError;

pub use sprag_runtime::ask::{Answer, strongest};

/// A guard that failed.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// It is no call.
    #[error("the command cannot be put into a call")]
    Call(#[from] DecodeError),
    /// A guard failed.
    #[error("{hook} failed: {error}")]
    Guard {
        /// The guard.
        hook: &'static str,
        /// Why.
        error: HookError,
    },
}

/// Asks every guard as the runtime would before a Bash call. Only builtins run.
pub fn ask_guards(
    command: &str,
    here: &str,
    project: &Project,
    host: &Host,
) -> Result<Vec<Answer>, ExplainError> {
    ask_call("Bash", &json!({"command": command}), here, project, host)
}

/// The same for a call of any tool.
pub fn ask_call(
    tool: &str,
    input: &Value,
    here: &str,
    project: &Project,
    host: &Host,
) -> Result<Vec<Answer>, ExplainError> {
    let event = ask::tool_call(tool, input, here)?;
    ask::hooks(sprag_hooks::BUILTINS, &sprag_guard::COMMAND_GUARDS, &event, project, host)
        .map_err(|(hook, error)| ExplainError::Guard { hook, error })
}

/// How a command is understood: what would run, what it would do, and the verdict of the default configuration.
pub struct Understood {
    /// All of it.
    pub text: String,
}

impl Understood {
    /// Reads a command.
    pub fn of(command: &str, here: &str, project: &Project, host: &Host) -> Self {
        let context = sprag_guard::shell::context_at(here, &host.paths.home, project);
        let config = sprag_rules::GuardConfig::default();
        Self { text: sprag_rules::explain(command, &context, &config).to_string() }
    }

    /// Without the verdict of the default configuration, where the active one is shown.
    pub fn parse(&self) -> &str {
        self.text.split_once("\nverdict: ").map_or(&self.text, |(parse, _)| parse)
    }
}
