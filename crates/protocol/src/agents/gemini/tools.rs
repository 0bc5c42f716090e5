//! Its tools in canonical spelling, and back.

use crate::agents::shared;
use crate::agents::spec::{MatcherSyntax, Tools};
use crate::respell::NoSuchTool;
use serde_json::{Map, Value, json};

pub(super) const TOOLS: Tools = Tools {
    aliases: &[
        ("run_shell_command", "Bash"),
        ("read_file", "Read"),
        ("replace_in_file", "Edit"),
        ("replace", "Edit"),
        ("write_file", "Write"),
        ("find_files", "Glob"),
        ("glob", "Glob"),
        ("grep_search", "Grep"),
    ],
    // Its tools have other names, and its regular expressions are others.
    matcher: MatcherSyntax { names: |_, _| false, regex: false },
};

pub(super) fn to_canonical(raw: &mut Map<String, Value>) {
    shared::tool_name_to_canonical(&shared::TOOL_NAMES, raw);
    shared::shell_result(raw);
}

pub(super) fn from_canonical(raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    shared::tool_name_from_canonical(&shared::TOOL_NAMES, raw)?;
    if let Some(result) = raw.get("tool_response")
        && result.get("llmContent").is_none()
    {
        let text = shared::result_text(result);
        let response = json!({ "llmContent": format!("Output: {text}"), "returnDisplay": text });
        raw.insert("tool_response".to_owned(), response);
    }
    Ok(())
}
