//! Its tools. Hooks with Claude Code's event names get its tool names too, but the tools' own fields.

use crate::agents::fields::{ToolRow, same, tool};
use crate::agents::spec::{MatcherSyntax, Tools};

pub(super) const TOOLS: Tools = Tools {
    aliases: &[],
    // Its matchers know the tools of today; sprag looks at each call itself.
    matcher: MatcherSyntax { names: |_, _| false, regex: false },
};

const FILE: &[(&str, &str)] = &[("path", "file_path")];
const CREATE: &[(&str, &str)] = &[("path", "file_path"), ("file_text", "content")];
const EDIT: &[(&str, &str)] = &[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")];

pub(super) static TABLE: [ToolRow; 23] = [
    same("Bash", "Bash"),
    tool("Read", "Read", FILE),
    tool("Write", "Write", CREATE),
    tool("Edit", "Edit", EDIT),
    same("Grep", "Grep"),
    same("Glob", "Glob"),
    same("WebFetch", "WebFetch"),
    same("WebSearch", "WebSearch"),
    same("Agent", "Agent"),
    same("TodoWrite", "TodoWrite"),
    same("AskUserQuestion", "AskUserQuestion"),
    // As its transcripts and hooks with names of its own spell them.
    same("bash", "Bash"),
    same("powershell", "Bash"),
    tool("view", "Read", FILE),
    tool("create", "Write", CREATE),
    tool("edit", "Edit", EDIT),
    tool("str_replace_editor", "Edit", EDIT),
    same("rg", "Grep"),
    same("grep", "Grep"),
    same("glob", "Glob"),
    same("web_fetch", "WebFetch"),
    same("web_search", "WebSearch"),
    same("task", "Agent"),
];
