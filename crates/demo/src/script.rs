//! The session that is played: which recorded payloads, in which order, with what changed in them.

use serde_json::{Value, json};
use sprag_protocol::AgentId;

/// One event: a recording and what is different here.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) agent: AgentId,
    pub(super) recording: &'static str,
    /// Top-level fields that replace the recorded ones.
    pub(super) fields: Vec<(&'static str, Value)>,
}

/// Steps that belong together, under a line that says what happens.
pub(super) struct Part {
    pub(super) title: &'static str,
    pub(super) steps: Vec<Step>,
    /// Played again and again until something stops it.
    pub(super) circle: bool,
    /// The answers are shown as the agents read them.
    pub(super) raw: bool,
}

pub(super) fn step(recording: &'static str) -> Step {
    let agent = recording.split('/').next().and_then(AgentId::from_name).unwrap_or(AgentId::CANONICAL);
    Step { agent, recording, fields: Vec::new() }
}

impl Step {
    /// True for the event that follows a tool call that ran.
    pub(super) fn is_result(&self) -> bool {
        self.recording.contains("/PostToolUse")
    }

    pub(super) fn with(mut self, field: &'static str, value: impl Into<Value>) -> Self {
        self.fields.push((field, value.into()));
        self
    }
}

fn part(title: &'static str, steps: Vec<Step>) -> Part {
    Part { title, steps, circle: false, raw: false }
}

/// The command that the scratch project's own hook does not let through.
pub(super) const FORBIDDEN: &str = "pip install requests";

/// The session.
pub(super) fn session() -> Vec<Part> {
    let pip = || json!({ "command": FORBIDDEN });
    let bash = |id: &str, command: &str| {
        step("claude/PreToolUse.Bash")
            .with("tool_input", json!({ "command": command }))
            .with("tool_use_id", id)
    };
    let tests = || json!({ "command": "python3 -m pytest -q", "description": "Run the tests" });
    vec![
        part("A session starts in a small project", vec![step("claude/SessionStart.startup")]),
        part("The user asks for something", vec![step("claude/UserPromptSubmit")]),
        part(
            "The model looks around and fixes the bug",
            vec![
                step("claude/PreToolUse.Bash"),
                step("claude/PostToolUse.Bash"),
                step("claude/PreToolUse.Read"),
                step("claude/PostToolUse.Read"),
                step("claude/PreToolUse.Edit"),
                step("claude/PostToolUse.Edit"),
            ],
        ),
        part(
            "It tries what would lose work or leak a secret: the guards look at what the command does, not at its words",
            vec![
                bash("toolu_1", "git commit -m 'do not rm -rf ~ here'"),
                bash("toolu_2", "cat <<EOF | sh\nrm -rf ~\nEOF"),
                bash("toolu_3", "cat .env"),
            ],
        ),
        part(
            "It wants to install past the lock file: a hook of the user's own (nine lines of shell) says no",
            vec![step("claude/PreToolUse.Bash").with("tool_input", pip()).with("tool_use_id", "toolu_4")],
        ),
        Part {
            circle: true,
            ..part(
                "It runs the same failing command again and again",
                vec![
                    step("claude/PreToolUse.Bash").with("tool_input", tests()),
                    step("claude/PostToolUseFailure.Bash")
                        .with("tool_input", tests())
                        .with("error", "Exit code 1\n1 failed in 0.02s"),
                ],
            )
        },
        part(
            "It hands a review to a subagent",
            vec![
                step("claude/PreToolUse.Agent"),
                step("claude/SubagentStart"),
                step("claude/SubagentStop"),
                step("claude/PostToolUse.Agent"),
            ],
        ),
        part("The turn is done", vec![step("claude/Stop")]),
        part(
            "The session ends; what takes longer goes to the background queue",
            vec![step("claude/SessionEnd.other")],
        ),
        Part {
            raw: true,
            ..part(
                "The same hook under other agents: one configuration, each agent's own spelling",
                vec![
                    step("codex/PreToolUse.Bash").with("tool_input", pip()),
                    step("gemini/BeforeTool.run_shell_command").with("tool_input", pip()),
                ],
            )
        },
    ]
}
