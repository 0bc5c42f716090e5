//! One event as the hooks see it: canonical names, whichever agent sent it.

use crate::agents::{AgentId, is_machine_made};
use crate::kind::{EventKind, Subject};
use crate::tool::ToolCall;
use serde_json::{Map, Value};

/// A decoded event. `raw` is the payload in Claude Code's shape; the rest is read off it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Who sent it.
    pub agent: AgentId,
    /// Which event it is.
    pub kind: EventKind,
    /// The event's name as the agent spelled it.
    pub native_name: String,
    /// The agent's own session id; empty when it sent none.
    pub session_id: String,
    /// The directory the agent is in; empty when it sent none.
    pub cwd: String,
    /// The transcript, when the agent names one.
    pub transcript_path: Option<String>,
    /// The subagent that acts, when one does.
    pub agent_id: Option<String>,
    /// The type of that subagent.
    pub agent_type: Option<String>,
    /// The tool call, for tool events.
    pub tool: Option<ToolCall>,
    /// The whole payload in Claude Code's shape, unknown fields included.
    pub raw: Map<String, Value>,
    /// A part of the payload is nested too deeply, or too large a number, and was left out: a guard did not see it.
    pub beyond_limits: bool,
}

impl Event {
    /// A string field of the payload; absent, null and other types are `None`.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.raw.get(field).and_then(Value::as_str)
    }

    /// A boolean field of the payload; anything but `true` is false.
    pub fn flag(&self, field: &str) -> bool {
        self.raw.get(field).and_then(Value::as_bool).unwrap_or(false)
    }

    /// True for a prompt in the user's own voice. What a schedule, a subagent's report, a hook or the agent's program
    /// writes under the user's name is none.
    pub fn is_from_user(&self) -> bool {
        self.kind == EventKind::UserPromptSubmit
            && !matches!(self.text("source"), Some(source) if source != "user" && source != "sdk")
            && !is_machine_made(self.text("prompt").unwrap_or_default())
    }

    /// How the session began: the field that agents send, or the one of older payloads.
    pub fn session_source(&self) -> &str {
        self.text("source").or_else(|| self.text("session_type")).unwrap_or("startup")
    }

    /// The tool's input as the agent would run it.
    pub fn tool_input(&self) -> Option<&Value> {
        self.raw.get("tool_input")
    }

    /// The tool's result, for the events after a tool call.
    pub fn tool_response(&self) -> Option<&Value> {
        self.raw.get("tool_response")
    }

    /// The values that the event's matcher is compared with: any of them may match.
    pub fn subjects(&self) -> Vec<&str> {
        match self.kind.facts().subject {
            Subject::Nothing => Vec::new(),
            Subject::Field(field) => vec![self.text(field).unwrap_or_default()],
            Subject::Tool => match &self.tool {
                Some(tool) => tool.names().collect(),
                None => vec![""],
            },
            Subject::Basename => {
                let path = self.text("file_path").unwrap_or_default();
                vec![path.rsplit(['/', '\\']).next().unwrap_or(path)]
            }
            Subject::Model => {
                let model = self.text("to_model").unwrap_or_default();
                vec![model.split('[').next().unwrap_or(model)]
            }
        }
    }

    /// The event again, with the tool input replaced, so that the next hook sees what would run.
    pub fn with_tool_input(&self, input: &Value) -> Self {
        let mut next = self.clone();
        next.raw.insert("tool_input".to_owned(), input.clone());
        if let Some(tool) = &self.tool {
            next.tool = Some(ToolCall::new(&tool.name, &tool.native_name, input));
        }
        next
    }
}
