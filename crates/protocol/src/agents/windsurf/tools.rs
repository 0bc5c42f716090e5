//! Its actions as calls of tools: each event is one tool.

use serde_json::{Map, Value, json};

/// Tool and input of an action.
pub(super) fn call(event: &str, info: &Map<String, Value>) -> Option<(String, Value)> {
    let text = |key: &str| info.get(key).and_then(Value::as_str).unwrap_or_default();
    let path = || json!({"file_path": text("file_path")});
    Some(match event.split_once('_')?.1 {
        "run_command" => ("Bash".to_owned(), json!({"command": text("command_line")})),
        "read_code" => ("Read".to_owned(), path()),
        "write_code" => {
            let edits = info.get("edits").cloned().unwrap_or_else(|| json!([]));
            ("MultiEdit".to_owned(), json!({"file_path": text("file_path"), "edits": edits}))
        }
        "mcp_tool_use" => {
            let name = format!("mcp__{}__{}", text("mcp_server_name"), text("mcp_tool_name"));
            (name, info.get("mcp_tool_arguments").cloned().unwrap_or_default())
        }
        _ => return None,
    })
}

/// The action of a canonical call, and its fields.
pub(super) fn action(tool: &str, input: &Value) -> Option<(&'static str, Value)> {
    let field = |key: &str| input.get(key).cloned().unwrap_or_default();
    Some(match tool {
        "Bash" => ("run_command", json!({"command_line": field("command")})),
        "Read" => ("read_code", json!({"file_path": field("file_path")})),
        "MultiEdit" => ("write_code", json!({"file_path": field("file_path"), "edits": field("edits")})),
        "Edit" => {
            let edit = json!({"old_string": field("old_string"), "new_string": field("new_string")});
            ("write_code", json!({"file_path": field("file_path"), "edits": [edit]}))
        }
        "Write" => {
            let edit = json!({"old_string": "", "new_string": field("content")});
            ("write_code", json!({"file_path": field("file_path"), "edits": [edit]}))
        }
        name => {
            let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
            let info = json!({"mcp_server_name": server, "mcp_tool_name": tool, "mcp_tool_arguments": input});
            ("mcp_tool_use", info)
        }
    })
}
