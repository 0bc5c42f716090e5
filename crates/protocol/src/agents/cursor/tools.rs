//! Its tools, as hooks are told them.

use crate::agents::fields::{ToolRow, same, tool};

const FILE: &[(&str, &str)] = &[("path", "file_path"), ("target_file", "file_path"), ("contents", "content")];

pub(super) static TABLE: [ToolRow; 9] = [
    same("Shell", "Bash"),
    tool("Read", "Read", FILE),
    tool("Write", "Write", FILE),
    // What it makes of Claude Code's name.
    tool("Edit", "Edit", FILE),
    same("Grep", "Grep"),
    same("Task", "Agent"),
    same("WebFetch", "WebFetch"),
    same("WebSearch", "WebSearch"),
    tool("Delete", "Delete", FILE),
];
