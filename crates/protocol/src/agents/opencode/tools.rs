//! Its tools.

use crate::agents::fields::{ToolRow, same, tool};
use crate::agents::spec::{MatcherSyntax, Tools};

pub(in crate::agents) const TOOLS: Tools =
    Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| false, regex: false } };

const FILE: &[(&str, &str)] = &[("filePath", "file_path")];
const EDIT: &[(&str, &str)] = &[
    ("filePath", "file_path"),
    ("oldString", "old_string"),
    ("newString", "new_string"),
    ("replaceAll", "replace_all"),
];

pub(in crate::agents) static TABLE: [ToolRow; 13] = [
    same("bash", "Bash"),
    tool("read", "Read", FILE),
    tool("write", "Write", FILE),
    tool("edit", "Edit", EDIT),
    tool("multiedit", "MultiEdit", FILE),
    same("grep", "Grep"),
    same("glob", "Glob"),
    same("list", "LS"),
    same("task", "Agent"),
    same("webfetch", "WebFetch"),
    same("websearch", "WebSearch"),
    same("todowrite", "TodoWrite"),
    same("skill", "Skill"),
];
