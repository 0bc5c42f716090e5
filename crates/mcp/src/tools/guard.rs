//! What the guards say about a command.

use super::{Call, ToolResult, members};
use crate::error::ToolError;
use serde_json::{Value, json};
use sprag_protocol::Decision;
use sprag_runtime::ask;
use std::path::Path;

pub(crate) fn explain(call: &Call<'_>) -> ToolResult {
    let command = call.arguments.text("command")?;
    let project = call.project()?;
    let cwd = match call.arguments.given("cwd")? {
        Some(cwd) => project.root.join(Path::new(cwd)),
        None => project.cwd.clone(),
    };
    let event = ask::tool_call("Bash", &json!({"command": command}), &cwd.to_string_lossy())
        .map_err(|error| ToolError::new(error, "Give the command as one line of shell."))?;
    let asked = ask::hooks(sprag_hooks::BUILTINS, &sprag_guard::COMMAND_GUARDS, &event, &project, call.host);
    let answers = asked.map_err(|(hook, error)| {
        ToolError::new(format!("{hook} failed: {error}"), "Tell the user to run `sprag doctor`.")
    })?;
    let decides = ask::strongest(&answers);
    let (verdict, rule, reason) = match decides {
        Some((decision, answer)) => (decision.name(), answer.rule().unwrap_or_default(), answer.reason()),
        None => {
            (Decision::Pass.name(), "", "no guard stops it; the agent's own permissions decide".to_owned())
        }
    };
    let guards: Vec<Value> = answers
        .iter()
        .filter(|answer| !matches!(answer.word(), "pass" | "off"))
        .filter(|answer| decides.is_none_or(|(_, decides)| decides.hook != answer.hook))
        .map(|answer| {
            json!({
                "guard": answer.hook, "verdict": answer.word(), "rule": answer.rule(), "reason": answer.reason(),
                "shadow": Some(answer.shadow).filter(|shadow| *shadow),
            })
        })
        .collect();
    Ok(members(json!({"verdict": verdict, "rule": rule, "reason": reason, "others": guards})))
}
