//! The 33 events' own fields as typed data, borrowed from the payload.
//! Everything is optional: agents leave out, add and null fields from one version to the next.

use crate::kind::EventKind;
use serde_json::{Map, Value};

macro_rules! details {
    ($( $variant:ident { $( $field:ident : $kind:ident ),* $(,)? } )+) => {
        /// An event's own fields. Names are those of the payload.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "field names are the payload's own, documented by the agents")]
        pub enum Detail<'a> {
            $( $variant { $( $field: details!(@type $kind) ),* }, )+
            /// An event without fields of its own, or one that this version does not know.
            None,
        }

        impl<'a> Detail<'a> {
            /// Reads the fields of `kind` off a payload.
            pub fn of(kind: EventKind, raw: &'a Map<String, Value>) -> Self {
                match kind {
                    $( EventKind::$variant => Self::$variant {
                        $( $field: details!(@read raw, field_name(stringify!($field)), $kind) ),*
                    }, )+
                    _ => Self::None,
                }
            }
        }
    };
    (@type text) => { Option<&'a str> };
    (@type flag) => { bool };
    (@type number) => { Option<f64> };
    (@type list) => { &'a [Value] };
    (@type value) => { Option<&'a Value> };
    (@read $raw:ident, $name:expr, text) => { $raw.get($name).and_then(Value::as_str) };
    (@read $raw:ident, $name:expr, flag) => { $raw.get($name).and_then(Value::as_bool).unwrap_or(false) };
    (@read $raw:ident, $name:expr, number) => { $raw.get($name).and_then(Value::as_f64) };
    (@read $raw:ident, $name:expr, list) => {
        $raw.get($name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
    };
    (@read $raw:ident, $name:expr, value) => { $raw.get($name).filter(|v| !v.is_null()) };
}

/// The payload's name for a field whose Rust name had to be a raw identifier.
fn field_name(name: &'static str) -> &'static str {
    name.strip_prefix("r#").unwrap_or(name)
}

details! {
    SessionStart {
        source: text, model: text, agent_type: text, session_title: text, seconds_since_last_response: number,
        context_tokens: number, prompt_cache_likely_expired: flag, estimated_cache_write_usd: number,
    }
    Setup { trigger: text }
    InstructionsLoaded {
        file_path: text, memory_type: text, load_reason: text, globs: list, trigger_file_path: text,
        parent_file_path: text,
    }
    SessionEnd { reason: text }
    UserPromptSubmit { prompt: text, session_title: text, source: text }
    UserPromptExpansion {
        expansion_type: text, command_name: text, command_args: text, command_source: text, prompt: text,
    }
    MessageDisplay { turn_id: text, message_id: text, index: number, r#final: flag, delta: text }
    PreToolUse { tool_name: text, tool_input: value, tool_use_id: text, mcp_server: value }
    PermissionRequest { tool_name: text, tool_input: value, permission_suggestions: list, mcp_server: value }
    PermissionDenied {
        tool_name: text, tool_input: value, tool_use_id: text, reason: text, mcp_server: value,
    }
    PostToolUse {
        tool_name: text, tool_input: value, tool_response: value, tool_use_id: text, duration_ms: number,
        mcp_server: value,
    }
    PostToolUseFailure {
        tool_name: text, tool_input: value, tool_use_id: text, error: text, is_interrupt: flag,
        duration_ms: number, mcp_server: value,
    }
    PostToolBatch { tool_calls: list }
    Notification { message: text, title: text, notification_type: text }
    SubagentStart { agent_id: text, agent_type: text }
    SubagentStop {
        stop_hook_active: flag, agent_id: text, agent_type: text, agent_transcript_path: text,
        last_assistant_message: text, background_tasks: list, session_crons: list,
    }
    TaskCreated {
        task_id: text, task_subject: text, task_description: text, teammate_name: text, team_name: text,
    }
    TaskCompleted {
        task_id: text, task_subject: text, task_description: text, teammate_name: text, team_name: text,
    }
    Stop { stop_hook_active: flag, last_assistant_message: text, background_tasks: list, session_crons: list }
    StopFailure { error: text, error_details: text, last_assistant_message: text }
    TeammateIdle { teammate_name: text, team_name: text }
    ConfigChange { source: text, file_path: text }
    CwdChanged { old_cwd: text, new_cwd: text }
    DirectoryAdded { directory: text, source: text }
    FileChanged { file_path: text, event: text }
    WorktreeCreate { name: text }
    WorktreeRemove { worktree_path: text }
    PreCompact { trigger: text, custom_instructions: text }
    PostCompact { trigger: text, compact_summary: text }
    PreModelSwitch {
        from_model: text, to_model: text, requested_model: text, source: text, context_tokens: number,
        prompt_cache_warm: flag, cache_ttl: text, estimated_cache_write_usd: number, pricing: text,
    }
    PostModelSwitch { from_model: text, to_model: text, source: text }
    Elicitation {
        mcp_server_name: text, message: text, mode: text, url: text, elicitation_id: text,
        requested_schema: value,
    }
    ElicitationResult { mcp_server_name: text, action: text, content: value, mode: text, elicitation_id: text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_claude_event_has_typed_fields() {
        let raw = Map::new();
        let untyped: Vec<_> = EventKind::ALL
            .iter()
            .filter(|k| Detail::of(**k, &raw) == Detail::None)
            .map(|k| k.name())
            .collect();
        assert_eq!(untyped, ["Interrupt", "BeforeModel", "AfterModel", "BeforeToolSelection"]);
    }

    #[test]
    fn wrong_types_and_nulls_read_as_absent() {
        let Value::Object(raw) = json!({"prompt": 7, "session_title": null, "source": "user"}) else {
            panic!()
        };
        let detail = Detail::of(EventKind::UserPromptSubmit, &raw);
        assert_eq!(
            detail,
            Detail::UserPromptSubmit { prompt: None, session_title: None, source: Some("user") }
        );
    }

    #[test]
    fn a_raw_identifier_reads_the_payload_name() {
        let Value::Object(raw) = json!({"final": true, "index": 2}) else { panic!() };
        let Detail::MessageDisplay { r#final, index, .. } = Detail::of(EventKind::MessageDisplay, &raw)
        else {
            panic!()
        };
        assert!(r#final);
        assert_eq!(index, Some(2.0));
    }
}
