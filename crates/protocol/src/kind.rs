//! The lifecycle events: names, the field a matcher looks at, and how a chain of that event ends.
//! Claude Code's names are canonical; what one agent can do with an event is in its dialect.

use serde::{Deserialize, Serialize};

/// The payload field that an event's matcher is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The event has no matcher: it always fires.
    Nothing,
    /// A string field of the payload.
    Field(&'static str),
    /// The tool's name (and its aliases).
    Tool,
    /// The base name of `file_path`.
    Basename,
    /// `to_model` without a `[1m]` suffix.
    Model,
}

/// How a chain of this event ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainEnd {
    /// The first deny ends it: what is not going to happen needs no further opinion.
    FirstDeny,
    /// Every hook runs; reasons are joined.
    AllRun,
}

/// What is true of an event whichever agent sends it.
#[derive(Clone, Copy, Debug)]
pub struct KindFacts {
    /// The canonical (Claude Code) name.
    pub name: &'static str,
    /// The name in sprag's configuration.
    pub config: &'static str,
    /// What the matcher looks at.
    pub subject: Subject,
    /// The matcher's plain form allows only letters, digits, `_` and `|`.
    pub narrow: bool,
    /// How the chain ends.
    pub end: ChainEnd,
}

macro_rules! kinds {
    ($( $variant:ident $config:literal $subject:expr, $narrow:literal, $end:ident, $doc:literal; )+) => {
        /// A lifecycle point.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum EventKind {
            $( #[doc = $doc] $variant, )+
            /// An event that this version does not know. Accepted, answered with nothing.
            Unknown,
        }

        impl EventKind {
            /// Every known event, in the order of the reference.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )+];

            /// What is true of the event whichever agent sends it.
            pub const fn facts(self) -> KindFacts {
                match self {
                    $( Self::$variant => KindFacts {
                        name: stringify!($variant),
                        config: $config,
                        subject: $subject,
                        narrow: $narrow,
                        end: ChainEnd::$end,
                    }, )+
                    Self::Unknown => KindFacts {
                        name: "Unknown",
                        config: "unknown",
                        subject: Subject::Nothing,
                        narrow: false,
                        end: ChainEnd::AllRun,
                    },
                }
            }

            /// One line on when the event fires.
            pub const fn summary(self) -> &'static str {
                match self {
                    $( Self::$variant => $doc, )+
                    Self::Unknown => "An event that this version does not know.",
                }
            }
        }
    };
}

kinds! {
    SessionStart "session_start" Subject::Field("source"), false, AllRun, "A session starts, resumes, is cleared, compacted or forked.";
    Setup "setup" Subject::Field("trigger"), false, AllRun, "The agent was started to set a project up.";
    InstructionsLoaded "instructions_loaded" Subject::Field("load_reason"), false, AllRun, "An instruction file was loaded.";
    SessionEnd "session_end" Subject::Field("reason"), false, AllRun, "The session ends.";
    UserPromptSubmit "user_prompt_submit" Subject::Nothing, false, AllRun, "A prompt is about to reach the model.";
    UserPromptExpansion "user_prompt_expansion" Subject::Field("command_name"), false, AllRun, "A typed command expands to a prompt.";
    MessageDisplay "message_display" Subject::Nothing, false, AllRun, "A piece of the model's text is about to be shown.";
    PreToolUse "pre_tool_use" Subject::Tool, false, FirstDeny, "A tool is about to run.";
    PermissionRequest "permission_request" Subject::Tool, false, FirstDeny, "The agent is about to ask the user for permission.";
    PermissionDenied "permission_denied" Subject::Tool, false, AllRun, "A tool call was denied by the agent itself.";
    PostToolUse "post_tool_use" Subject::Tool, false, AllRun, "A tool ran.";
    PostToolUseFailure "post_tool_use_failure" Subject::Tool, false, AllRun, "A tool ran and failed.";
    PostToolBatch "post_tool_batch" Subject::Nothing, false, AllRun, "All tool calls of one model answer are done.";
    Notification "notification" Subject::Field("notification_type"), false, AllRun, "The agent notifies the user.";
    SubagentStart "subagent_start" Subject::Field("agent_type"), false, AllRun, "A subagent starts.";
    SubagentStop "subagent_stop" Subject::Field("agent_type"), false, AllRun, "A subagent is done.";
    TaskCreated "task_created" Subject::Nothing, false, AllRun, "A task was put on the task list.";
    TaskCompleted "task_completed" Subject::Nothing, false, AllRun, "A task is about to be ticked off.";
    Stop "session_stop" Subject::Nothing, false, AllRun, "The agent is done with its turn.";
    StopFailure "stop_failure" Subject::Field("error"), true, AllRun, "The turn ended in an API error.";
    TeammateIdle "teammate_idle" Subject::Nothing, false, AllRun, "A teammate is about to go idle.";
    ConfigChange "config_change" Subject::Field("source"), false, AllRun, "A settings file changed.";
    CwdChanged "cwd_changed" Subject::Nothing, false, AllRun, "The working directory changed.";
    DirectoryAdded "directory_added" Subject::Field("source"), false, AllRun, "A directory was added to the session.";
    FileChanged "file_changed" Subject::Basename, true, AllRun, "A watched file changed.";
    WorktreeCreate "worktree_create" Subject::Nothing, false, AllRun, "A worktree is to be made (a hook replaces git worktree).";
    WorktreeRemove "worktree_remove" Subject::Nothing, false, AllRun, "A worktree that a hook made is to be removed.";
    PreCompact "pre_compact" Subject::Field("trigger"), false, AllRun, "The conversation is about to be compacted.";
    PostCompact "post_compact" Subject::Field("trigger"), false, AllRun, "The conversation was compacted.";
    PreModelSwitch "pre_model_switch" Subject::Model, false, FirstDeny, "The model is about to be switched.";
    PostModelSwitch "post_model_switch" Subject::Model, false, AllRun, "The model was switched.";
    Elicitation "elicitation" Subject::Field("mcp_server_name"), false, AllRun, "An MCP server asks the user something.";
    ElicitationResult "elicitation_result" Subject::Field("mcp_server_name"), false, AllRun, "The user answered an MCP server.";
    Interrupt "interrupt" Subject::Nothing, false, AllRun, "The user cancelled the turn (Codex).";
    BeforeModel "before_model" Subject::Nothing, false, AllRun, "A request is about to go to the model (Gemini).";
    AfterModel "after_model" Subject::Nothing, false, AllRun, "A piece of the model's answer arrived (Gemini).";
    BeforeToolSelection "before_tool_selection" Subject::Nothing, false, AllRun, "The model is about to choose tools (Gemini).";
}

impl EventKind {
    /// The canonical name.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The name in sprag's configuration (snake case).
    pub const fn config_name(self) -> &'static str {
        self.facts().config
    }

    /// The event with this canonical name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The event that a person means: `SessionStart`, `session_start`, and `stop` for `session_stop`.
    pub fn from_any_name(name: &str) -> Option<Self> {
        if name == "stop" {
            return Some(Self::Stop);
        }
        Self::ALL.iter().copied().find(|kind| kind.name() == name || kind.config_name() == name)
    }

    /// True for the events that carry one tool call.
    pub const fn has_tool(self) -> bool {
        matches!(self.facts().subject, Subject::Tool)
    }
}

impl std::fmt::Display for EventKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claude_has_33_events_and_names_are_unique() {
        let claude = EventKind::ALL
            .iter()
            .filter(|k| {
                !matches!(
                    k,
                    EventKind::Interrupt
                        | EventKind::BeforeModel
                        | EventKind::AfterModel
                        | EventKind::BeforeToolSelection
                )
            })
            .count();
        assert_eq!(claude, 33);
        let mut names: Vec<_> = EventKind::ALL.iter().flat_map(|k| [k.name(), k.config_name()]).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        // `Stop` is the only event whose configuration name is not its own name in snake case.
        assert_eq!(names.len(), all);
    }

    #[test]
    fn a_person_may_write_either_name() {
        assert_eq!(EventKind::from_any_name("session_start"), Some(EventKind::SessionStart));
        assert_eq!(EventKind::from_any_name("SessionStart"), Some(EventKind::SessionStart));
        assert_eq!(EventKind::from_any_name("stop"), Some(EventKind::Stop));
        assert_eq!(EventKind::from_any_name("session_stop"), Some(EventKind::Stop));
        assert_eq!(EventKind::from_any_name("sessionstart"), None);
    }
}
