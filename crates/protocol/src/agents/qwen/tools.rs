//! Its tools in canonical spelling, and back.

use crate::agents::shared;
use crate::agents::spec::{MatcherSyntax, Tools};
use crate::kind::Subject;
use crate::respell::NoSuchTool;
use serde_json::{Map, Value};

/// Its tools and their canonical names; the arguments have the same names where it matters.
const NAMES: [(&str, &str); 14] = [
    ("run_shell_command", "Bash"),
    ("read_file", "Read"),
    ("read_many_files", "Read"),
    ("write_file", "Write"),
    ("replace", "Edit"),
    ("edit", "Edit"),
    ("glob", "Glob"),
    ("grep_search", "Grep"),
    ("search_file_content", "Grep"),
    ("list_directory", "LS"),
    ("web_fetch", "WebFetch"),
    ("google_web_search", "WebSearch"),
    ("write_todos", "TodoWrite"),
    ("ask_user", "AskUserQuestion"),
];

pub(super) const TOOLS: Tools = Tools {
    aliases: &[],
    // It knows some of the canonical tools by name; one that it does not know would never be seen.
    matcher: MatcherSyntax { names: |subject, _| subject != Subject::Tool, regex: false },
};

pub(super) fn to_canonical(raw: &mut Map<String, Value>) {
    shared::tool_name_to_canonical(&NAMES, raw);
    shared::shell_result(raw);
}

pub(super) fn from_canonical(raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    shared::tool_name_from_canonical(&NAMES, raw)
}
