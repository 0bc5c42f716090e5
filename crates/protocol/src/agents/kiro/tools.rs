//! Its tools.

use crate::agents::fields::{ToolRow, same, tool};

const FILE: &[(&str, &str)] = &[("path", "file_path")];
const WRITE: &[(&str, &str)] = &[("path", "file_path"), ("file_text", "content"), ("text", "content")];
const EDIT: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
    ("oldStr", "old_string"),
    ("newStr", "new_string"),
];

pub(super) static TABLE: [ToolRow; 12] = [
    same("execute_bash", "Bash"),
    same("shell", "Bash"),
    tool("fs_read", "Read", FILE),
    tool("read", "Read", FILE),
    tool("fs_write", "Write", WRITE),
    tool("write", "Write", WRITE),
    tool("str_replace", "Edit", EDIT),
    same("grep", "Grep"),
    same("glob", "Glob"),
    same("web_fetch", "WebFetch"),
    same("web_search", "WebSearch"),
    same("subagent", "Agent"),
];
