//! Its tools.

use crate::agents::fields::{ToolRow, same, tool};
use crate::agents::spec::{MatcherSyntax, Tools};

pub(super) const TOOLS: Tools =
    Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } };

const FILE: &[(&str, &str)] = &[("path", "file_path")];

pub(super) static TABLE: [ToolRow; 8] = [
    same("terminal", "Bash"),
    tool("read_file", "Read", FILE),
    tool("write_file", "Write", FILE),
    tool("patch", "Edit", FILE),
    same("search_files", "Grep"),
    same("delegate_task", "Agent"),
    same("todo", "TodoWrite"),
    same("browser_navigate", "WebFetch"),
];
