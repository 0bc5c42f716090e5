//! Its tools have Claude Code's names and fields of their own.

use crate::agents::fields::{ToolRow, same, tool};
use crate::agents::spec::{MatcherSyntax, Tools};

pub(super) const TOOLS: Tools =
    Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } };

const FILE: &[(&str, &str)] = &[("path", "file_path")];

pub(super) static TABLE: [ToolRow; 11] = [
    same("Bash", "Bash"),
    tool("Read", "Read", FILE),
    tool("Write", "Write", FILE),
    tool("Edit", "Edit", FILE),
    same("Grep", "Grep"),
    same("Glob", "Glob"),
    same("FetchURL", "WebFetch"),
    same("SearchWeb", "WebSearch"),
    same("Agent", "Agent"),
    same("TodoList", "TodoWrite"),
    same("AskUserQuestion", "AskUserQuestion"),
];
