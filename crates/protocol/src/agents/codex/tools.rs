//! It runs commands and applies patches; it reads and searches with commands.

use crate::agents::shared;
use crate::agents::spec::{MatcherSyntax, Tools};
use crate::kind::EventKind;
use crate::respell::NoSuchTool;
use crate::tool::is_canonical;
use serde_json::{Map, Value, json};

pub(super) const TOOLS: Tools = Tools {
    aliases: &[
        ("shell", "Bash"),
        ("exec_command", "Bash"),
        ("read_file", "Read"),
        ("apply_patch", "Edit"),
        ("write_file", "Write"),
        ("find_files", "Glob"),
    ],
    matcher: MatcherSyntax {
        // A hyphen or a blank would make it a regular expression there.
        names: |_, names| {
            names.iter().all(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        },
        regex: false,
    },
};

pub(super) fn to_canonical(_kind: EventKind, raw: &mut Map<String, Value>) {
    // A tool of a namespace has the namespace's name before its own, with nothing between.
    let name = raw.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    if matches!(name, "spawn_agent" | "collaborationspawn_agent") {
        raw.insert("tool_name".to_owned(), Value::from("Agent"));
    } else if name == "Bash"
        && let Some(patch) =
            raw.get("tool_input").and_then(|input| input.get("command")?.as_str()).and_then(patch_of)
    {
        let input = json!({ "command": patch });
        raw.insert("tool_name".to_owned(), "apply_patch".into());
        raw.insert("tool_input".to_owned(), input);
    }
    shared::shell_result(raw);
}

/// The patch of a shell command that does nothing else: `apply_patch <<'EOF'`, which the program carries out itself.
fn patch_of(command: &str) -> Option<&str> {
    let rest = command.trim().strip_prefix("apply_patch")?.trim_start().strip_prefix("<<")?;
    let (word, body) = rest.split_once('\n')?;
    let word = word.trim();
    let quoted = [('\'', '\''), ('"', '"')].iter().find_map(|(open, close)| {
        word.strip_prefix(*open)?.strip_suffix(*close).filter(|name| !name.contains([*open, ' ']))
    });
    let name = quoted.unwrap_or(word);
    let patch = body.strip_suffix(name)?;
    // Anything behind the end of the document would be another command; what a shell expands may be one.
    let whole = !name.is_empty() && patch.ends_with('\n') && !patch.lines().any(|line| line == name);
    let inert = quoted.is_some() || !patch.contains(['$', '`', '\\']);
    (whole && inert && patch.trim_start().starts_with("*** Begin Patch")).then_some(patch)
}

/// The inverse of [`to_canonical`], for cases that are written in canonical spelling.
pub(super) fn from_canonical(kind: EventKind, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    if kind.has_tool() {
        tool_from_canonical(raw)?;
    }
    raw.remove("effort");
    raw.insert("model".to_owned(), "gpt-5".into());
    raw.insert("turn_id".to_owned(), "01a1de71-c35a-7430-8829-a34927ddcf2b".into());
    Ok(())
}

fn tool_from_canonical(raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    let Some(name) = raw.get("tool_name").and_then(Value::as_str).map(str::to_owned) else { return Ok(()) };
    let input = raw.get("tool_input").cloned().unwrap_or(Value::Null);
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let edit = |value: &Value| {
        format!(
            "@@\n{}{}",
            prefixed('-', &text(value, "old_string")),
            prefixed('+', &text(value, "new_string"))
        )
    };
    let path = text(&input, "file_path");
    let patch = match name.as_str() {
        "Write" => Some(format!("*** Add File: {path}\n{}", prefixed('+', &text(&input, "content")))),
        "Edit" => Some(format!("*** Update File: {path}\n{}", edit(&input))),
        "MultiEdit" => {
            let edits = input.get("edits").and_then(Value::as_array).into_iter().flatten();
            Some(format!("*** Update File: {path}\n{}", edits.map(edit).collect::<String>()))
        }
        _ => None,
    };
    match (patch, name.as_str()) {
        (Some(patch), _) => {
            raw.insert("tool_name".to_owned(), "apply_patch".into());
            let command = format!("*** Begin Patch\n{patch}*** End Patch\n");
            raw.insert("tool_input".to_owned(), json!({ "command": command }));
        }
        (None, "Bash") => {
            raw.insert("tool_input".to_owned(), json!({ "command": text(&input, "command") }));
        }
        (None, "Agent" | "Task") => {
            raw.insert("tool_name".to_owned(), "spawn_agent".into());
        }
        (None, "TodoWrite") => {
            raw.insert("tool_name".to_owned(), "update_plan".into());
        }
        (None, name) if is_canonical(name) => return Err(NoSuchTool(name.to_owned())),
        (None, _) => {}
    }
    if let Some(result) = raw.get("tool_response").filter(|result| !result.is_string()) {
        let text = shared::result_text(result);
        raw.insert("tool_response".to_owned(), text.into());
    }
    Ok(())
}

/// Every line with a sign before it.
fn prefixed(sign: char, text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        out.push(sign);
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_through_the_shell_is_a_patch_and_what_does_more_is_a_command() {
        let patch = "*** Begin Patch\n*** Update File: cart.py\n@@\n-a\n+b\n*** End Patch\n";
        for (open, close) in [("'EOF'", "EOF"), ("\"P\"", "P"), ("EOF", "EOF")] {
            assert_eq!(patch_of(&format!("apply_patch <<{open}\n{patch}{close}\n")), Some(patch), "{open}");
        }
        for command in [
            format!("apply_patch <<'EOF'\n{patch}EOF\nrm -rf ~"),
            format!("apply_patch <<'EOF'; rm -rf ~\n{patch}EOF"),
            format!("apply_patch <<'EOF'\n{patch}EOF\nrm -rf ~\nEOF"),
            format!("apply_patch <<EOF\n{}EOF", patch.replace("+b", "+$(rm -rf ~)")),
            "apply_patch <<'EOF'\nrm -rf ~\nEOF".to_owned(),
        ] {
            assert_eq!(patch_of(&command), None, "{command}");
        }
    }
}
