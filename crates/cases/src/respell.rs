//! A Claude-shaped payload in another agent's spelling: the inverse of what its dialect reads.
//! What the agent does not have is said, not invented.

use serde_json::{Map, Value, json};
use sprag_protocol::{AgentId, EventKind, dialects};

/// Spells a payload for an agent. `Err` says what the agent cannot.
pub(crate) fn respell(
    agent: AgentId,
    kind: EventKind,
    mut raw: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    if agent == AgentId::Claude || kind == EventKind::Unknown {
        return Ok(raw);
    }
    let Some(row) = dialects::of(agent).row(kind) else {
        return Err(format!("{agent} has no event {kind}"));
    };
    raw.insert("hook_event_name".to_owned(), row.native.into());
    if kind.has_tool() {
        match agent {
            AgentId::Codex => codex_tool(&mut raw)?,
            AgentId::Gemini | AgentId::Qwen => gemini_tool(agent, &mut raw)?,
            AgentId::Claude => {}
        }
    }
    transcript(agent, &mut raw);
    match agent {
        AgentId::Codex => {
            raw.remove("effort");
            raw.insert("model".to_owned(), "gpt-5".into());
            raw.insert("turn_id".to_owned(), "01a1de71-c35a-7430-8829-a34927ddcf2b".into());
        }
        AgentId::Gemini => {
            for key in ["effort", "prompt_id", "permission_mode", "tool_use_id"] {
                raw.remove(key);
            }
            raw.insert("timestamp".to_owned(), "2026-11-15T09:02:59.120Z".into());
            if let Some(said) = raw.remove("last_assistant_message") {
                raw.insert("prompt_response".to_owned(), said);
            }
            if raw.get("reason").and_then(Value::as_str) == Some("prompt_input_exit") {
                raw.insert("reason".to_owned(), "exit".into());
            }
        }
        AgentId::Claude | AgentId::Qwen => {}
    }
    Ok(raw)
}

/// A transcript lies where the agent keeps its own, unless the case put one somewhere else.
fn transcript(agent: AgentId, raw: &mut Map<String, Value>) {
    let Some(path) = raw.get("transcript_path").and_then(Value::as_str) else { return };
    let folder = match agent {
        AgentId::Codex => "/.codex/sessions/",
        AgentId::Gemini => "/.gemini/tmp/shop/chats/",
        AgentId::Qwen => "/.qwen/projects/shop/chats/",
        AgentId::Claude => return,
    };
    if let Some((home, rest)) = path.split_once("/.claude/projects/") {
        let name = rest.rsplit('/').next().unwrap_or(rest);
        let path = format!("{home}{folder}{name}");
        raw.insert("transcript_path".to_owned(), path.into());
    }
}

/// Claude Code's tools that another agent has under another name or not at all.
const CLAUDE_TOOLS: [&str; 17] = [
    "Bash",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Glob",
    "Grep",
    "LS",
    "WebFetch",
    "WebSearch",
    "TodoWrite",
    "AskUserQuestion",
    "Agent",
    "Task",
    "TaskCreate",
    "Skill",
];

fn no_tool(agent: AgentId, name: &str) -> String {
    format!("{agent} has no tool like {name}")
}

/// Gemini CLI's (and Qwen Code's) names of Claude Code's tools.
const GEMINI_TOOLS: [(&str, &str); 11] = [
    ("Bash", "run_shell_command"),
    ("Read", "read_file"),
    ("Write", "write_file"),
    ("Edit", "replace"),
    ("Glob", "glob"),
    ("Grep", "grep_search"),
    ("LS", "list_directory"),
    ("WebFetch", "web_fetch"),
    ("WebSearch", "google_web_search"),
    ("TodoWrite", "write_todos"),
    ("AskUserQuestion", "ask_user"),
];

fn gemini_tool(agent: AgentId, raw: &mut Map<String, Value>) -> Result<(), String> {
    let Some(name) = raw.get("tool_name").and_then(Value::as_str).map(str::to_owned) else { return Ok(()) };
    if let Some((_, native)) = GEMINI_TOOLS.iter().find(|(claude, _)| *claude == name) {
        raw.insert("tool_name".to_owned(), (*native).into());
    } else if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        raw.insert("tool_name".to_owned(), format!("mcp_{server}_{tool}").into());
        raw.insert("mcp_context".to_owned(), json!({ "server_name": server, "tool_name": tool }));
    } else if CLAUDE_TOOLS.contains(&name.as_str()) {
        return Err(no_tool(agent, &name));
    }
    if agent == AgentId::Gemini
        && let Some(result) = raw.get("tool_response")
        && result.get("llmContent").is_none()
    {
        let text = shown(result);
        let response = json!({ "llmContent": format!("Output: {text}"), "returnDisplay": text });
        raw.insert("tool_response".to_owned(), response);
    }
    Ok(())
}

/// Codex runs commands and applies patches; it reads and searches with commands.
fn codex_tool(raw: &mut Map<String, Value>) -> Result<(), String> {
    let Some(name) = raw.get("tool_name").and_then(Value::as_str).map(str::to_owned) else { return Ok(()) };
    let input = raw.get("tool_input").cloned().unwrap_or(Value::Null);
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let edit = |value: &Value| {
        format!(
            "@@\n{}{}",
            prefixed('-', &text(value, "old_string")),
            prefixed('+', &text(value, "new_string"))
        )
    };
    let path = text(&input, "file_path");
    let patch = match name.as_str() {
        "Write" => Some(format!("*** Add File: {path}\n{}", prefixed('+', &text(&input, "content")))),
        "Edit" => Some(format!("*** Update File: {path}\n{}", edit(&input))),
        "MultiEdit" => {
            let edits = input.get("edits").and_then(Value::as_array).into_iter().flatten();
            Some(format!("*** Update File: {path}\n{}", edits.map(edit).collect::<String>()))
        }
        _ => None,
    };
    match (patch, name.as_str()) {
        (Some(patch), _) => {
            raw.insert("tool_name".to_owned(), "apply_patch".into());
            let command = format!("*** Begin Patch\n{patch}*** End Patch\n");
            raw.insert("tool_input".to_owned(), json!({ "command": command }));
        }
        (None, "Bash") => {
            raw.insert("tool_input".to_owned(), json!({ "command": text(&input, "command") }));
        }
        (None, "Agent" | "Task") => {
            raw.insert("tool_name".to_owned(), "spawn_agent".into());
        }
        (None, "TodoWrite") => {
            raw.insert("tool_name".to_owned(), "update_plan".into());
        }
        (None, name) if CLAUDE_TOOLS.contains(&name) => return Err(no_tool(AgentId::Codex, name)),
        (None, _) => {}
    }
    if let Some(result) = raw.get("tool_response").filter(|result| !result.is_string()) {
        let text = shown(result);
        raw.insert("tool_response".to_owned(), text.into());
    }
    Ok(())
}

/// A tool's result as text.
fn shown(result: &Value) -> String {
    match (result, result.get("stdout").and_then(Value::as_str)) {
        (Value::String(text), _) => text.clone(),
        (_, Some(stdout)) => stdout.to_owned(),
        _ => result.to_string(),
    }
}

/// Every line with a sign before it.
fn prefixed(sign: char, text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        out.push(sign);
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_protocol::{ToolKind, decode};

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
            for (claude, _) in GEMINI_TOOLS {
                let sent = respell(agent, EventKind::PreToolUse, raw(claude, &json!({}))).unwrap();
                let event = decode::read(sent, dialects::of(agent));
                assert_eq!((event.kind, event.tool.unwrap().name.as_str()), (EventKind::PreToolUse, claude));
            }
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
        assert_eq!(error, "codex has no tool like Read");
        let error = respell(AgentId::Gemini, EventKind::SubagentStart, Map::new()).unwrap_err();
        assert_eq!(error, "gemini has no event SubagentStart");
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
