//! Tools whose names and fields differ from the canonical ones, as a table: both directions are read from it.

use crate::dialect::Encoded;
use crate::respell::NoSuchTool;
use crate::tool::is_canonical;
use crate::verdict::Verdict;
use serde_json::{Map, Value, json};

/// One tool of an agent.
pub(super) struct ToolRow {
    /// Its name.
    pub(super) native: &'static str,
    /// The canonical name.
    pub(super) canonical: &'static str,
    /// Fields of its input: the agent's name and the canonical one.
    pub(super) fields: &'static [(&'static str, &'static str)],
}

/// A tool whose fields have the canonical names where it matters.
pub(super) const fn same(native: &'static str, canonical: &'static str) -> ToolRow {
    ToolRow { native, canonical, fields: &[] }
}

/// A tool with fields of other names.
pub(super) const fn tool(
    native: &'static str,
    canonical: &'static str,
    fields: &'static [(&'static str, &'static str)],
) -> ToolRow {
    ToolRow { native, canonical, fields }
}

fn row<'t>(table: &'t [ToolRow], native: &str) -> Option<&'t ToolRow> {
    table.iter().find(|row| row.native == native)
}

/// Gives a call its canonical names. A text that is a patch is one, whatever the tool is called.
pub(super) fn to_canonical(table: &[ToolRow], raw: &mut Map<String, Value>) {
    let native = raw.get("tool_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let found = row(table, &native);
    if let Some(found) = found {
        raw.insert("tool_name".to_owned(), found.canonical.into());
    }
    let Some(input) = raw.get_mut("tool_input") else { return };
    if let Some(patch) = patch_text(input) {
        *input = json!({ "command": patch });
        raw.insert("tool_name".to_owned(), "apply_patch".into());
    } else if let (Some(found), Value::Object(fields)) = (found, input) {
        rename(fields, found.fields.iter().map(|(native, canonical)| (*native, *canonical)));
    }
}

/// The patch that an input is or holds.
fn patch_text(input: &Value) -> Option<String> {
    let held = ["patchText", "patch", "input", "patch_text"];
    let text = input.as_str().or_else(|| held.iter().find_map(|key| input.get(key)?.as_str()))?;
    text.trim_start().starts_with("*** Begin Patch").then(|| text.to_owned())
}

/// The inverse of [`to_canonical`]: of several tools with one canonical name, the first.
pub(super) fn from_canonical(table: &[ToolRow], raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    let Some(name) = raw.get("tool_name").and_then(Value::as_str).map(str::to_owned) else { return Ok(()) };
    let Some(found) = table.iter().find(|row| row.canonical == name) else {
        return if is_canonical(&name) { Err(NoSuchTool(name)) } else { Ok(()) };
    };
    raw.insert("tool_name".to_owned(), found.native.into());
    if let Some(Value::Object(fields)) = raw.get_mut("tool_input") {
        rename(fields, found.fields.iter().map(|(native, canonical)| (*canonical, *native)));
    }
    Ok(())
}

/// A rewritten input as the agent's tool reads it.
pub(super) fn native_input(table: &[ToolRow], native: &str, input: &Value) -> Value {
    let mut input = input.clone();
    if let (Some(found), Value::Object(fields)) = (row(table, native), &mut input) {
        rename(fields, found.fields.iter().map(|(native, canonical)| (*canonical, *native)));
    }
    input
}

fn rename<'n>(fields: &mut Map<String, Value>, names: impl Iterator<Item = (&'n str, &'n str)>) {
    for (from, to) in names {
        if !fields.contains_key(to)
            && let Some(value) = fields.remove(from)
        {
            fields.insert(to.to_owned(), value);
        }
    }
}

/// A shell's result in canonical shape; another tool's text stays what it is.
pub(super) fn set_result(raw: &mut Map<String, Value>, text: &str) {
    let shell = raw.get("tool_name").and_then(Value::as_str) == Some("Bash");
    let response = if shell {
        json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false})
    } else {
        Value::from(text)
    };
    raw.insert("tool_response".to_owned(), response);
}

/// An answer whose replaced output is a text, for a plugin that takes nothing else.
pub(super) fn plain_output(mut encoded: Encoded, verdict: &Verdict) -> Encoded {
    if let (Some(output), Some(told)) = (&verdict.output, &encoded.stdout)
        && let Ok(Value::Object(mut told)) = serde_json::from_str(told)
        && let Some(slot) =
            told.get_mut("hookSpecificOutput").and_then(|said| said.get_mut("updatedToolOutput"))
    {
        *slot = super::shared::result_text(output).into();
        encoded.stdout = Some(Value::Object(told).to_string());
    }
    encoded
}

/// Copies a text field to another name, unless that is there.
pub(super) fn copy(raw: &mut Map<String, Value>, from: &str, to: &str) {
    if !raw.contains_key(to)
        && let Some(value) = raw.get(from).cloned()
    {
        raw.insert(to.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: [ToolRow; 2] = [tool("view", "Read", &[("path", "file_path")]), same("bash", "Bash")];

    #[test]
    fn names_and_fields_go_there_and_back() {
        let native = json!({"tool_name": "view", "tool_input": {"path": "/a", "limit": 3}});
        let mut raw = native.as_object().cloned().unwrap();
        to_canonical(&TABLE, &mut raw);
        assert_eq!(
            Value::from(raw.clone()),
            json!({"tool_name": "Read", "tool_input": {"file_path": "/a", "limit": 3}})
        );
        let rewritten = native_input(&TABLE, "view", &raw["tool_input"]);
        assert_eq!(rewritten, native["tool_input"]);
        from_canonical(&TABLE, &mut raw).unwrap();
        assert_eq!(Value::from(raw), native);
    }

    #[test]
    fn a_patch_is_one_under_any_name() {
        for input in [json!("*** Begin Patch\n"), json!({"patchText": "*** Begin Patch\n"})] {
            let mut raw = json!({"tool_name": "Edit", "tool_input": input}).as_object().cloned().unwrap();
            to_canonical(&TABLE, &mut raw);
            assert_eq!(raw["tool_name"], "apply_patch");
            assert_eq!(raw["tool_input"]["command"], "*** Begin Patch\n");
        }
    }

    #[test]
    fn a_tool_that_the_agent_has_not_is_named() {
        let mut raw = json!({"tool_name": "Grep"}).as_object().cloned().unwrap();
        assert_eq!(from_canonical(&TABLE, &mut raw), Err(NoSuchTool("Grep".to_owned())));
    }
}
