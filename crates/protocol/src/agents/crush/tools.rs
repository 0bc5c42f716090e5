//! Its tools; their fields have the canonical names.

use crate::agents::fields::{ToolRow, same, tool};

const FILE: &[(&str, &str)] = &[("path", "file_path")];

pub(super) static TABLE: [ToolRow; 11] = [
    same("bash", "Bash"),
    tool("view", "Read", FILE),
    tool("write", "Write", FILE),
    tool("edit", "Edit", FILE),
    tool("multiedit", "MultiEdit", FILE),
    same("grep", "Grep"),
    same("glob", "Glob"),
    same("ls", "LS"),
    same("fetch", "WebFetch"),
    same("agent", "Agent"),
    same("todos", "TodoWrite"),
];
