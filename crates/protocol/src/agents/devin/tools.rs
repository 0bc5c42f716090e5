//! Its tools.

use crate::agents::fields::{ToolRow, same, tool};

const FILE: &[(&str, &str)] = &[("path", "file_path")];

pub(super) static TABLE: [ToolRow; 8] = [
    same("exec", "Bash"),
    tool("read", "Read", FILE),
    tool("write", "Write", FILE),
    tool("edit", "Edit", FILE),
    tool("notebook_edit", "NotebookEdit", FILE),
    same("grep", "Grep"),
    same("glob", "Glob"),
    same("webfetch", "WebFetch"),
];
