//! What an agent's file is to contain, as data.
//! Built from the configuration by the caller; the editor brings the file in line with it.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::command::{Command, Form};
use super::error::DeployError;
use super::memory::Remembered;
use sprag_protocol::agents::files::{AgentEnv, AgentFiles, Layout, Scope};

/// One event to register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The event, in the agent's own spelling.
    pub event: String,
    /// Which tools, sources, …; `None` for all.
    pub matcher: Option<String>,
    /// How long the agent waits, in the agent's own unit.
    pub timeout: u64,
    /// A failure of the hook blocks, where the agent can do that.
    pub gate: bool,
}

/// All registrations of one agent in one file.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The agent.
    pub agent: &'static AgentFiles,
    /// For whom.
    pub scope: Scope,
    /// The file to edit.
    pub file: PathBuf,
    /// The events, in the order in which new ones are added.
    pub registrations: Vec<Registration>,
    /// What the agent runs.
    pub command: Command,
    /// Its form; the shell form where the agent has no other.
    pub form: Form,
    /// What sprag remembers about the file.
    pub remembered: Remembered,
}

impl Plan {
    /// A plan for the agent's file in `scope`, running `exe hook --agent <agent>`; a file that is shared in a
    /// repository names no path of this machine.
    pub fn new(
        agent: &'static AgentFiles,
        scope: Scope,
        env: &AgentEnv,
        exe: impl Into<PathBuf>,
        registrations: Vec<Registration>,
    ) -> Result<Self, DeployError> {
        let command = match scope {
            Scope::Project => Command::shared(agent.name()),
            Scope::User | Scope::Local => Command::hook(exe, agent.name()),
        };
        if command.exe.to_str().is_none() {
            return Err(DeployError::ExeName { exe: command.exe });
        }
        let file = agent.path(scope, env)?;
        let remembered = Remembered::default();
        Ok(Self { agent, scope, file, registrations, command, form: Form::Exec, remembered }
            .with_form(Form::Exec))
    }

    /// The same plan in another form, if the agent has it and the program's place is known.
    #[must_use]
    pub fn with_form(mut self, form: Form) -> Self {
        let exec = self.agent.args_since.is_some() && self.scope != Scope::Project;
        self.form = if exec { form } else { Form::Shell };
        self
    }

    /// The same plan with what sprag remembers about the file.
    #[must_use]
    pub fn with_remembered(mut self, remembered: Remembered) -> Self {
        self.remembered = remembered;
        self
    }

    /// The handler object of a registration.
    pub(crate) fn handler(&self, registration: &Registration) -> Value {
        let mut handler = Map::new();
        let flat = match &self.agent.layout {
            Layout::Flat(layout) => Some(layout),
            _ => None,
        };
        if flat.is_none() {
            handler.insert("type".into(), "command".into());
        }
        if let Some(name) = self.agent.handler_name {
            handler.insert("name".into(), name.into());
        }
        let gate = self.agent.gate.filter(|_| registration.gate);
        match self.form {
            Form::Exec => {
                handler.insert("command".into(), self.command.exe.to_string_lossy().into());
                handler.insert("args".into(), self.command.args.clone().into());
            }
            Form::Shell => {
                handler.insert("command".into(), self.command.shell_line(registration.gate).into());
            }
        }
        if flat.is_none_or(|layout| layout.timeout) {
            handler.insert("timeout".into(), registration.timeout.into());
        }
        if let Some(matcher) = registration.matcher.as_ref().filter(|_| flat.is_some()) {
            handler.insert("matcher".into(), matcher.as_str().into());
        }
        if let Some(gate) = gate {
            handler.insert(gate.key.into(), gate.value.into());
        }
        Value::Object(handler)
    }

    /// The matcher group of a registration, with its one handler.
    pub(crate) fn group(&self, registration: &Registration) -> Value {
        if self.agent.is_flat() {
            return self.handler(registration);
        }
        let mut group = Map::new();
        if let Some(matcher) = &registration.matcher {
            group.insert("matcher".into(), matcher.as_str().into());
        }
        group.insert("hooks".into(), json!([self.handler(registration)]));
        Value::Object(group)
    }
}
