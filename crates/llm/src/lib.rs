//! The model that background work may ask: an agent's own `-p` mode, or an OpenAI-compatible endpoint.
//! Off until the user chooses a backend; bounded in time and size; never inside the project's own transcripts.

pub mod answer;
pub mod breaker;
pub mod http;
mod program;
use sprag_config::host::Host;
use sprag_config::schema::{LlmBackend, LlmSection};
use sprag_config::settings::Choice as _;
use sprag_protocol::AgentId;
use sprag_scan::scrub::scrub;
use std::time::Duration;

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Nobody: nothing is asked, nothing is spent.
    None,
    /// An agent that is run once for the answer.
    Program(AgentId),
    /// An OpenAI-compatible endpoint.
    Endpoint {
        /// Its address.
        url: String,
        /// The variable that holds its key.
        key_env: String,
    },
}

/// How the model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Llm {
    /// Who answers.
    pub backend: Backend,
    /// The model's name.
    pub model: String,
    /// The longest that one answer may take.
    pub timeout: Duration,
    /// The program with its first arguments, instead of the agent's name on the search path.
    pub command: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// No backend is chosen.
    #[error("no model is configured ([llm] backend)")]
    Off,
    /// The program or the endpoint cannot be asked.
    #[error("the model cannot be asked: {0}")]
    Unavailable(String),
    /// It took too long and was ended.
    #[error("the model did not answer within {0} s")]
    Timeout(u64),
    /// It said that something went wrong.
    #[error("the model's side failed: {0}")]
    Failed(String),
    /// It failed several times in a row and is left alone for a while.
    #[error("the model is not asked before {until}: {reason}")]
    Paused {
        /// When it is asked again.
        until: sprag_base::time::Stamp,
        /// Why the last question failed.
        reason: String,
    },
    /// It said nothing.
    #[error("the model's answer is empty")]
    Empty,
}

impl Llm {
    /// What the user's configuration says. A project has no say in where a user's words go.
    pub fn read(host: &Host) -> Self {
        Self::of(&sprag_config::cache::sections(host).llm())
    }

    /// What a section `[llm]` says.
    pub fn of(section: &LlmSection<'_>) -> Self {
        let backend = match section.backend {
            LlmBackend::None => Backend::None,
            LlmBackend::Openai => {
                Backend::Endpoint { url: section.url.to_owned(), key_env: section.key_env.to_owned() }
            }
            agent => AgentId::from_name(agent.word())
                .filter(|agent| agent.spec().headless.is_some())
                .map_or(Backend::None, Backend::Program),
        };
        Self {
            backend,
            model: section.model.to_owned(),
            timeout: Duration::from_secs(section.timeout_s),
            command: section.command.to_owned_vec(),
        }
    }

    /// True when nothing is asked.
    pub fn is_off(&self) -> bool {
        self.backend == Backend::None
    }

    /// Asks for background work: one that failed several times in a row is left alone for a while.
    pub fn ask_in_background(&self, host: &Host, question: &str) -> Result<String, LlmError> {
        let now = host.clock.now();
        if let Some(trouble) = breaker::trouble(&host.paths, self)
            && let Some(until) = trouble.paused(now)
        {
            return Err(LlmError::Paused { until, reason: trouble.reason });
        }
        let answer = self.ask(host, question);
        // A question may take minutes: the pause counts from its end.
        breaker::note(&host.paths, self, host.clock.now(), answer.as_ref().map(|_| ()));
        answer
    }

    /// Asks once. Secrets are taken out of the question before it leaves.
    pub fn ask(&self, host: &Host, question: &str) -> Result<String, LlmError> {
        let question = scrub(question);
        let answer = match &self.backend {
            Backend::None => Err(LlmError::Off),
            Backend::Program(agent) => program::ask(self, *agent, host, &question),
            Backend::Endpoint { url, key_env } => http::ask(self, url, host.env.get(key_env), &question),
        }?;
        if answer.trim().is_empty() {
            return Err(LlmError::Empty);
        }
        Ok(answer)
    }
}
