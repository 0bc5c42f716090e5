//! Lessons about a call that is planned.

use super::{Call, ToolResult};
use crate::error::ToolError;
use crate::page::page;
use serde_json::{Map, Value, json};
use sprag_lessons::call::{self, LessonCall};
use sprag_runtime::ask;

pub(crate) fn matching(call: &Call<'_>) -> ToolResult {
    let arguments = call.arguments;
    let mut input = Map::new();
    for (name, keys) in [
        ("command", &["command"][..]),
        ("path", &["file_path"][..]),
        ("content", &["content", "new_string"][..]),
    ] {
        if let Some(value) = arguments.given(name)? {
            input.extend(keys.iter().map(|key| ((*key).to_owned(), json!(value))));
        }
    }
    let tool = match (arguments.given("tool")?, input.contains_key("command")) {
        (Some(tool), _) => tool,
        (None, true) => "Bash",
        (None, false) => {
            return Err(ToolError::new(
                "which call?",
                "Give `command`, or `tool` with `path` and `content`.",
            ));
        }
    };
    let project = call.project()?;
    let event = ask::tool_call(tool, &Value::Object(input), &project.cwd.to_string_lossy())
        .map_err(|error| ToolError::new(error, "Give `command`, or `tool` with `path` and `content`."))?;
    let planned = LessonCall::of(&event, None).ok_or_else(|| {
        ToolError::new(format!("`{tool}` is no tool"), "Give `command`, or `tool` with `path`.")
    })?;
    let (found, _) = call::matching(call.host, &project, &planned);
    let lessons: Vec<Value> = found
        .iter()
        .filter(|found| !found.given_up)
        .map(|found| json!({"lesson": found.entry.slug, "effect": found.effect(), "text": found.entry.message}))
        .collect();
    Ok(page("lessons", lessons, 0, 50))
}
