//! Its tools take several commands, files or searches at once.

use crate::agents::fields::{ToolRow, same, tool};
use crate::agents::spec::{MatcherSyntax, Tools};
use crate::respell::NoSuchTool;
use crate::tool::line_of;
use serde_json::{Map, Value, json};

pub(super) const TOOLS: Tools =
    Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } };

const EDIT: &[(&str, &str)] =
    &[("path", "file_path"), ("old_text", "old_string"), ("new_text", "new_string")];

/// In its own spelling, and in that of its editor extension.
pub(super) static TABLE: [ToolRow; 12] = [
    same("run_commands", "Bash"),
    same("read_files", "Read"),
    tool("editor", "Edit", EDIT),
    same("search_codebase", "Grep"),
    same("fetch_web_content", "WebFetch"),
    same("spawn_agent", "Agent"),
    same("ask_question", "AskUserQuestion"),
    tool("write_to_file", "Write", &[("path", "file_path")]),
    same("execute_command", "Bash"),
    tool("read_file", "Read", &[("path", "file_path")]),
    tool("replace_in_file", "Edit", &[("path", "file_path")]),
    same("search_files", "Grep"),
];

/// The commands of a call, one a line.
pub(super) fn commands(input: &Value) -> Option<String> {
    let one = |command: &Value| line_of(command).or_else(|| line_of(command.get("command")?));
    let lines: Option<Vec<String>> = input.get("commands")?.as_array()?.iter().map(one).collect();
    lines.map(|lines| lines.join("\n"))
}

pub(super) fn input_to_canonical(raw: &mut Map<String, Value>) {
    let Some(Value::Object(input)) = raw.get_mut("tool_input") else { return };
    if let Some(command) = commands(&Value::Object(input.clone())) {
        input.insert("command".to_owned(), command.into());
    }
    if let Some(files) = input.get("files").and_then(Value::as_array) {
        let path = |file: &Value| file.as_str().or_else(|| file.get("path")?.as_str()).map(Value::from);
        let paths: Vec<Value> = files.iter().filter_map(path).collect();
        if let [only] = paths.as_slice() {
            input.insert("file_path".to_owned(), only.clone());
        }
        input.insert("files".to_owned(), paths.into());
    }
}

pub(super) fn input_from_canonical(raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    let name = raw.get("tool_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(Value::Object(input)) = raw.get_mut("tool_input") else { return Ok(()) };
    match name.as_str() {
        "run_commands" => {
            if let Some(command) = input.remove("command") {
                input.insert("commands".to_owned(), json!([{ "command": command }]));
            }
        }
        "read_files" => {
            if let Some(path) = input.remove("file_path") {
                input.insert("files".to_owned(), json!([{ "path": path }]));
            }
        }
        _ => {}
    }
    Ok(())
}
