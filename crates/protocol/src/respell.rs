//! A canonical payload in another agent's spelling: the inverse of what its dialect reads.
//! What the agent does not have is an error, not invented.

use crate::agents::AgentId;
use crate::dialects;
use crate::kind::EventKind;
use serde_json::{Map, Value};

/// A canonical tool for which an agent has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchTool(pub String);

/// What an agent does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RespellError {
    /// The event.
    #[error("{0} has no event {1}")]
    NoEvent(AgentId, EventKind),
    /// A tool like this one.
    #[error("{0} has no tool like {1}")]
    NoTool(AgentId, String),
}

/// Spells a payload for an agent.
pub fn respell(
    agent: AgentId,
    kind: EventKind,
    mut raw: Map<String, Value>,
) -> Result<Map<String, Value>, RespellError> {
    if agent == AgentId::CANONICAL || kind == EventKind::Unknown {
        return Ok(raw);
    }
    let dialect = dialects::of(agent);
    let row = dialect.row(kind).ok_or(RespellError::NoEvent(agent, kind))?;
    raw.insert("hook_event_name".to_owned(), row.native.into());
    (dialect.from_canonical)(kind, &mut raw).map_err(|NoSuchTool(tool)| RespellError::NoTool(agent, tool))?;
    transcript(agent, &mut raw);
    Ok(raw)
}

/// A transcript lies where the agent keeps its own, unless the case put one somewhere else.
fn transcript(agent: AgentId, raw: &mut Map<String, Value>) {
    let Some(path) = raw.get("transcript_path").and_then(Value::as_str) else { return };
    let [canonical, own] = [AgentId::CANONICAL, agent].map(|agent| agent.spec().transcript.sample_folder);
    if let Some((home, rest)) = path.split_once(canonical) {
        let name = rest.rsplit('/').next().unwrap_or(rest);
        let path = format!("{home}{own}{name}");
        raw.insert("transcript_path".to_owned(), path.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;
    use crate::tool::{CANONICAL_TOOLS, ToolKind};
    use serde_json::json;

    fn raw(tool: &str, input: &Value) -> Map<String, Value> {
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "tool_name": tool,
            "tool_input": input, "transcript_path": "/h/.claude/projects/p/s.jsonl"})
        .as_object()
        .cloned()
        .unwrap()
    }

    /// What is spelled for an agent is read back by its dialect as what it was.
    #[test]
    fn every_tool_reads_back() {
        for agent in [AgentId::Gemini, AgentId::Qwen] {
            let mut known = 0;
            for tool in CANONICAL_TOOLS {
                let Ok(sent) = respell(agent, EventKind::PreToolUse, raw(tool, &json!({}))) else { continue };
                let event = decode::read(sent, dialects::of(agent));
                assert_eq!((event.kind, event.tool.unwrap().name.as_str()), (EventKind::PreToolUse, tool));
                known += 1;
            }
            assert_eq!(known, 11, "{agent}");
            let sent = respell(agent, EventKind::PreToolUse, raw("mcp__db__query", &json!({}))).unwrap();
            assert_eq!(decode::read(sent, dialects::of(agent)).tool.unwrap().name, "mcp__db__query");
        }
        let sent = respell(AgentId::Codex, EventKind::PreToolUse, raw("Agent", &json!({}))).unwrap();
        assert_eq!(decode::read(sent, dialects::of(AgentId::Codex)).tool.unwrap().name, "Agent");
    }

    #[test]
    fn edits_are_patches_on_codex() {
        let edit = json!({"file_path": "src/a.rs", "old_string": "a\nb", "new_string": "c"});
        let sent = respell(AgentId::Codex, EventKind::PreToolUse, raw("Edit", &edit)).unwrap();
        let call = decode::read(sent, dialects::of(AgentId::Codex)).tool.unwrap();
        assert_eq!((call.kind, call.paths[0].path.as_str()), (ToolKind::Patch, "src/a.rs"));
        assert!(call.names().any(|name| name == "Edit"));
    }

    #[test]
    fn what_an_agent_has_not_is_said() {
        let error = respell(AgentId::Codex, EventKind::PreToolUse, raw("Read", &json!({}))).unwrap_err();
        assert_eq!(error.to_string(), "codex has no tool like Read");
        let error = respell(AgentId::Gemini, EventKind::SubagentStart, Map::new()).unwrap_err();
        assert_eq!(error.to_string(), "gemini has no event SubagentStart");
    }

    /// Every event that an agent has reads back as itself.
    #[test]
    fn every_event_reads_back() {
        for agent in AgentId::ALL {
            for row in dialects::of(agent).rows {
                // A prompt without words is nobody's on one agent.
                let raw =
                    json!({"hook_event_name": row.kind.name(), "prompt": "x"}).as_object().cloned().unwrap();
                let sent = respell(agent, row.kind, raw).unwrap();
                assert_eq!(decode::read(sent, dialects::of(agent)).kind, row.kind, "{agent}");
            }
        }
    }
}
