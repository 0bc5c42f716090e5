//! Its tools.

use crate::agents::fields::{ToolRow, same, tool};
use crate::agents::spec::{MatcherSyntax, Tools};

pub(super) const TOOLS: Tools =
    Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } };

pub(super) static TABLE: [ToolRow; 12] = [
    same("Execute", "Bash"),
    same("Read", "Read"),
    same("Create", "Write"),
    tool(
        "Edit",
        "Edit",
        &[("old_str", "old_string"), ("new_str", "new_string"), ("change_all", "replace_all")],
    ),
    same("Grep", "Grep"),
    tool("Glob", "Glob", &[("folder", "path")]),
    tool("LS", "LS", &[("directory_path", "path")]),
    same("FetchUrl", "WebFetch"),
    same("WebSearch", "WebSearch"),
    same("TodoWrite", "TodoWrite"),
    same("Task", "Agent"),
    same("AskUser", "AskUserQuestion"),
];
