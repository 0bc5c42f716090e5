//! Its tools.

use crate::agents::fields::{ToolRow, same, tool};

const FILE: &[(&str, &str)] = &[("path", "file_path")];
const EDIT: &[(&str, &str)] = &[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")];

pub(super) static TABLE: [ToolRow; 11] = [
    tool("Bash", "Bash", &[("cmd", "command")]),
    same("shell_command", "Bash"),
    tool("Read", "Read", FILE),
    tool("create_file", "Write", FILE),
    tool("edit_file", "Edit", EDIT),
    same("Grep", "Grep"),
    tool("glob", "Glob", &[("filePattern", "pattern")]),
    same("Task", "Agent"),
    same("read_web_page", "WebFetch"),
    same("web_search", "WebSearch"),
    same("todo_write", "TodoWrite"),
];
