//! What a chain decided about an event, before it is spelled for one agent.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The decision, from weakest to strictest. `Deny` is said of an action, `Block` of anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Pass: others decide.
    #[default]
    Pass,
    /// Approved: skips the user's own permission prompt.
    Allow,
    /// The user shall decide.
    Ask,
    /// The event must not take its course (a stop, a prompt, a compaction).
    Block,
    /// The action must not happen.
    Deny,
}

impl Decision {
    /// The name in the journal and in test cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Block => "block",
        }
    }

    /// True when the event must not go on.
    pub const fn stops(self) -> bool {
        matches!(self, Self::Deny | Self::Block)
    }
}

/// What the chain decided, in no agent's spelling.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The decision.
    pub decision: Decision,
    /// Why; for the model on deny and block, for the user on ask.
    pub reason: Option<String>,
    /// Text for the model.
    pub context: Option<String>,
    /// The tool input that shall be used instead, whole.
    pub rewrite: Option<Value>,
    /// The tool output that the model shall see instead.
    pub output: Option<Value>,
    /// A message for the user.
    pub message: Option<String>,
    /// The whole agent shall stop, with this reason.
    pub stop: Option<String>,
    /// Further fields of the event's own (`sessionTitle`, `watchPaths`, …), as the agent spells them.
    pub fields: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::Decision;

    #[test]
    fn deny_beats_ask_beats_allow_beats_pass() {
        assert!(Decision::Deny > Decision::Ask);
        assert!(Decision::Block > Decision::Ask);
        assert!(Decision::Ask > Decision::Allow);
        assert!(Decision::Allow > Decision::Pass);
    }
}
