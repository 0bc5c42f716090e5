//! Its tools.

use crate::agents::fields::{ToolRow, same, tool};
use crate::agents::spec::{MatcherSyntax, Tools};

pub(super) const TOOLS: Tools =
    Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } };

pub(super) static TABLE: [ToolRow; 11] = [
    same("run_terminal_command", "Bash"),
    same("monitor", "Monitor"),
    tool("read_file", "Read", &[("target_file", "file_path")]),
    same("write", "Write"),
    same("search_replace", "Edit"),
    same("grep", "Grep"),
    tool("list_dir", "LS", &[("target_directory", "path")]),
    same("spawn_subagent", "Agent"),
    same("todo_write", "TodoWrite"),
    same("ask_user_question", "AskUserQuestion"),
    same("web_fetch", "WebFetch"),
];
