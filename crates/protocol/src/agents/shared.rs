//! What the folders of several agents need: results of tools and names in canonical spelling, and back.

use super::spec::WorkerReport;
use crate::dialect::reason;
use crate::respell::NoSuchTool;
use crate::tool::is_canonical;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The tools of Gemini CLI and of its fork Qwen Code, and their canonical names; the arguments have the same names where it
/// matters.
pub(super) const TOOL_NAMES: [(&str, &str); 14] = [
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

/// A block after the tool replaces the tool's result on some agents; on others it adds to it. A block that has no
/// other output to show therefore goes beside the result.
pub(super) fn keep_result(verdict: &mut Verdict) {
    if let Some(output) = verdict.output.take() {
        let shown = shown(&output);
        let reason = verdict.reason.take().filter(|_| verdict.decision.stops());
        verdict.decision = Decision::Block;
        verdict.reason = Some(match reason {
            Some(reason) => format!("{reason}\n\n{shown}"),
            None => shown,
        });
    } else if verdict.decision.stops() {
        let reason = reason(verdict).to_owned();
        verdict.context = Some(match verdict.context.take() {
            Some(context) => format!("{reason}\n\n{context}"),
            None => reason,
        });
        verdict.decision = Decision::Pass;
    }
}

/// A shell's result in canonical shape, beside what the agent sent.
pub(super) fn shell_result(raw: &mut Map<String, Value>) {
    if raw.get("tool_name").and_then(Value::as_str) != Some("Bash") {
        return;
    }
    let Some(response) = raw.get_mut("tool_response") else { return };
    if let Value::String(text) = response {
        *response = json!({"stdout": std::mem::take(text)});
    }
    let Value::Object(response) = response else { return };
    // The process's id would make every result another one.
    if let Some(Value::String(text)) = response.get_mut("llmContent") {
        let lines = text.lines().filter(|line| !line.starts_with("Process Group PGID: "));
        *text = lines.collect::<Vec<_>>().join("\n");
    }
    if let Some(shown) = response.get("returnDisplay").filter(|shown| shown.is_string()).cloned() {
        response.entry("stdout").or_insert(shown);
    }
    if response.contains_key("stdout") {
        for (key, value) in [("stderr", json!("")), ("interrupted", json!(false)), ("isImage", json!(false))]
        {
            response.entry(key).or_insert(value);
        }
    }
}

/// The text of an output, whichever tool's shape it has.
fn shown(output: &Value) -> String {
    let inner = ["stdout", "llmContent", "content"].iter().find_map(|key| output.get(key)?.as_str());
    match inner.or(output.as_str()) {
        Some(text) => text.to_owned(),
        None => output.to_string(),
    }
}

/// Tool names and MCP names (`mcp_server_tool`) in canonical spelling; `tools` has the agent's name and the canonical one.
pub(super) fn tool_name_to_canonical(tools: &[(&str, &str)], raw: &mut Map<String, Value>) {
    let Some(name) = raw.get("tool_name").and_then(Value::as_str) else { return };
    let canonical =
        tools.iter().find(|(native, _)| *native == name).map(|(_, canonical)| (*canonical).to_owned());
    let canonical = canonical.or_else(|| {
        let rest = name.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_'))?;
        let server = raw
            .get("mcp_context")
            .and_then(|context| context.get("server_name"))
            .and_then(Value::as_str)
            .filter(|server| rest.starts_with(*server));
        match server {
            Some(server) => {
                let tool = rest.strip_prefix(server)?.trim_start_matches('_');
                Some(format!("mcp__{server}__{tool}"))
            }
            None => rest.split_once('_').map(|(server, tool)| format!("mcp__{server}__{tool}")),
        }
    });
    if let Some(canonical) = canonical {
        raw.insert("tool_name".to_owned(), Value::from(canonical));
    }
}

/// The inverse of [`tool_name_to_canonical`]: of several tools with one canonical name, the first.
pub(super) fn tool_name_from_canonical(
    tools: &[(&str, &str)],
    raw: &mut Map<String, Value>,
) -> Result<(), NoSuchTool> {
    let Some(name) = raw.get("tool_name").and_then(Value::as_str).map(str::to_owned) else { return Ok(()) };
    if let Some((native, _)) = tools.iter().find(|(_, canonical)| *canonical == name) {
        raw.insert("tool_name".to_owned(), (*native).into());
    } else if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        raw.insert("tool_name".to_owned(), format!("mcp_{server}_{tool}").into());
        raw.insert("mcp_context".to_owned(), json!({ "server_name": server, "tool_name": tool }));
    } else if is_canonical(&name) {
        return Err(NoSuchTool(name));
    }
    Ok(())
}

/// A tool's result as text.
pub(super) fn result_text(result: &Value) -> String {
    match (result, result.get("stdout").and_then(Value::as_str)) {
        (Value::String(text), _) => text.clone(),
        (_, Some(stdout)) => stdout.to_owned(),
        _ => result.to_string(),
    }
}

/// The lines of an agent that prints nothing but what it says.
pub(super) fn read_text_line(line: &Value, report: &mut WorkerReport) {
    let said = line.as_str().map_or_else(|| line.to_string(), str::to_owned);
    if !report.text.is_empty() {
        report.text.push('\n');
    }
    report.text.push_str(&said);
}
