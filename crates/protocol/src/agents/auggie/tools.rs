//! Its tools.

use crate::agents::fields::{ToolRow, same, tool};

const FILE: &[(&str, &str)] = &[("path", "file_path")];
const WRITE: &[(&str, &str)] = &[("path", "file_path"), ("file_content", "content")];

pub(super) static TABLE: [ToolRow; 8] = [
    same("launch-process", "Bash"),
    tool("view", "Read", FILE),
    tool("save-file", "Write", WRITE),
    tool("str-replace-editor", "Edit", FILE),
    same("codebase-retrieval", "Grep"),
    same("web-fetch", "WebFetch"),
    same("web-search", "WebSearch"),
    same("update_tasks", "TodoWrite"),
];
