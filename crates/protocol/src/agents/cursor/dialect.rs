//! Its own names of events; the fields of an answer are at its top level. A hook from Claude Code's file is told Claude
//! Code's names, and answered in its spelling.

use super::tools::TABLE;
use crate::agents::{AgentId, encode_canonical, fields};
use crate::dialect::{Answer, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::tool::ToolKind;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Cursor,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 13,
    event_aliases: &[("beforeShellExecution", E::PreToolUse), ("beforeMCPExecution", E::PreToolUse)],
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    // `ask` is accepted before a tool and not acted on.
    can_ask: false,
    encode,
    is_host: |raw, env| raw.contains_key("cursor_version") || env("CURSOR_VERSION").is_some(),
};

const fn row(kind: E, native: &'static str) -> Row {
    Row::observe(kind, native)
}

/// What each event reads from the answer.
static ROWS: [Row; 10] = [
    row(E::SessionStart, "sessionStart").context(),
    row(E::SessionEnd, "sessionEnd").patience(1),
    row(E::UserPromptSubmit, "beforeSubmitPrompt").stop(StopWay::Continue).waits_for(E::PostToolUse),
    row(E::PreToolUse, "preToolUse").stop(StopWay::Permission).rewrite().waits_for(E::PostToolUse),
    row(E::PostToolUse, "postToolUse").context().output(),
    row(E::PostToolUseFailure, "postToolUseFailure"),
    row(E::SubagentStart, "subagentStart").stop(StopWay::Permission).waits_for(E::PostToolUse),
    row(E::SubagentStop, "subagentStop").stop(StopWay::Decision),
    row(E::Stop, "stop").stop(StopWay::Decision).waits_for(E::PostToolUse),
    row(E::PreCompact, "preCompact").message().waits_for(E::PostToolUse),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    fields::copy(raw, "conversation_id", "session_id");
    let root = raw.get("workspace_roots").and_then(|roots| roots.get(0)).cloned();
    if let Some(root) = root.filter(|_| !raw.contains_key("cwd")) {
        raw.insert("cwd".to_owned(), root);
    }
    for (own, canonical) in
        [("subagent_id", "agent_id"), ("subagent_type", "agent_type"), ("error_message", "error")]
    {
        fields::copy(raw, own, canonical);
    }
    if matches!(kind, E::Stop | E::SubagentStop) {
        let again = raw.get("loop_count").and_then(Value::as_u64).unwrap_or(0) > 0;
        raw.entry("stop_hook_active").or_insert(again.into());
    }
    if !kind.has_tool() {
        return;
    }
    // Hooks on shell commands alone name no tool.
    if !raw.contains_key("tool_name")
        && let Some(command) = raw.get("command").cloned()
    {
        raw.insert("tool_name".to_owned(), "Shell".into());
        raw.insert("tool_input".to_owned(), serde_json::json!({ "command": command }));
    }
    parsed(raw, "tool_input");
    parsed(raw, "tool_output");
    if let Some(tool) =
        raw.get("tool_name").and_then(Value::as_str).and_then(|name| name.strip_prefix("MCP:"))
    {
        let name = format!("mcp__cursor__{tool}");
        raw.insert("tool_name".to_owned(), name.into());
    }
    fields::to_canonical(&TABLE, raw);
    match raw.get("tool_output").cloned() {
        Some(Value::String(text)) => fields::set_result(raw, &text),
        Some(output) => {
            let text =
                ["output", "stdout"].iter().find_map(|key| output.get(key)?.as_str()).map(str::to_owned);
            match text {
                Some(text) => fields::set_result(raw, &text),
                None => drop(raw.insert("tool_response".to_owned(), output)),
            }
        }
        None => {}
    }
}

/// A field that is JSON inside of a text.
fn parsed(raw: &mut Map<String, Value>, field: &str) {
    let inner = raw.get(field).and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    if let Some(inner @ Value::Object(_)) = inner {
        raw.insert(field.to_owned(), inner);
    }
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    raw.entry("cursor_version").or_insert_with(|| "3.0.0".into());
    if let Some(session) = raw.remove("session_id") {
        raw.insert("conversation_id".to_owned(), session);
    }
    if !kind.has_tool() {
        return Ok(());
    }
    fields::from_canonical(&TABLE, raw)?;
    if let Some(response) = raw.remove("tool_response") {
        raw.insert("tool_output".to_owned(), crate::agents::shared::result_text(&response).into());
    }
    Ok(())
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    if event.native_name.starts_with(|first: char| first.is_ascii_uppercase()) {
        return encode_canonical(row, event, verdict);
    }
    let mut answer = Answer::default();
    if verdict.stop.is_some() {
        answer.lost.push(Lost::Stop);
    }
    if let Some(message) = &verdict.message {
        if row.message {
            answer.top("user_message", message.as_str());
        } else {
            answer.lost.push(Lost::Message);
        }
    }
    let stops = verdict.decision.stops() || verdict.decision == Decision::Ask;
    match row.stop {
        StopWay::Permission if stops => {
            answer.top("permission", "deny");
            answer.top("user_message", reason(verdict));
            answer.top("agent_message", reason(verdict));
        }
        StopWay::Permission if verdict.decision == Decision::Allow => answer.top("permission", "allow"),
        StopWay::Continue if verdict.decision.stops() => {
            answer.top("continue", false);
            answer.top("user_message", reason(verdict));
        }
        StopWay::Decision if verdict.decision.stops() => answer.top("followup_message", reason(verdict)),
        _ if verdict.decision.stops() && row.kind != E::PostToolUse => answer.lost.push(Lost::Block),
        _ => {}
    }
    if let Some(input) = verdict.rewrite.as_ref().filter(|_| !stops) {
        let native = event.tool.as_ref().map_or("", |tool| tool.native_name.as_str());
        answer.top("updated_input", fields::native_input(&TABLE, native, input));
    }
    // After a tool a block is a note beside the result.
    let note = (row.kind == E::PostToolUse && verdict.decision.stops()).then(|| reason(verdict).to_owned());
    let told: Vec<String> = note.into_iter().chain(verdict.context.clone()).collect();
    if !told.is_empty() {
        if row.context == crate::dialect::ContextWay::Specific {
            answer.top("additional_context", told.join("\n\n"));
        } else {
            answer.lost.push(Lost::Context);
        }
    }
    if let Some(output) = &verdict.output {
        // Only the results of MCP servers can be replaced.
        if event.tool.as_ref().is_some_and(|tool| tool.kind == ToolKind::Mcp) && row.output {
            answer.top("updated_mcp_tool_output", output.clone());
        } else {
            answer.lost.push(Lost::Output);
        }
    }
    answer.finish(row.native)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use serde_json::json;

    fn event(name: &str, more: &Value) -> Event {
        let mut payload = json!({"conversation_id": "c", "generation_id": "g", "model": "m",
            "hook_event_name": name, "cursor_version": "2.4.0", "workspace_roots": ["/w"], "user_email": null,
            "transcript_path": null});
        payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    fn told(event: &Event, verdict: &Verdict) -> Value {
        serde_json::from_str(DIALECT.answer(event, verdict).stdout.as_deref().unwrap_or("null")).unwrap()
    }

    #[test]
    fn a_shell_call_is_read_denied_and_rewritten() {
        let call = json!({"tool_name": "Shell", "tool_input": {"command": "rm -rf /", "working_directory": "/w"},
            "tool_use_id": "t", "cwd": "/w", "agent_message": "x"});
        let shell = event("preToolUse", &call);
        assert_eq!(
            (shell.agent, shell.session_id.as_str(), shell.cwd.as_str()),
            (AgentId::Cursor, "c", "/w")
        );
        assert_eq!(shell.tool.as_ref().unwrap().command.as_deref(), Some("rm -rf /"));
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        assert_eq!(
            told(&shell, &deny),
            json!({"permission": "deny", "user_message": "no", "agent_message": "no"})
        );
        let rewrite = Verdict { rewrite: Some(json!({"command": "ls"})), ..Verdict::default() };
        assert_eq!(told(&shell, &rewrite), json!({"updated_input": {"command": "ls"}}));
    }

    #[test]
    fn a_result_is_json_in_a_text_and_takes_context() {
        let read = event(
            "postToolUse",
            &json!({"tool_name": "Shell", "tool_input": {"command": "ls"},
            "tool_output": "{\"output\":\"a b\",\"exitCode\":0}", "duration": 12}),
        );
        assert_eq!(read.tool_response().unwrap()["stdout"], "a b");
        let verdict =
            Verdict { context: Some("note".into()), output: Some(json!("x")), ..Verdict::default() };
        assert_eq!(told(&read, &verdict), json!({"additional_context": "note"}));
        assert_eq!(DIALECT.answer(&read, &verdict).lost, [Lost::Output]);
        let server = event("postToolUse", &json!({"tool_name": "MCP:query", "tool_input": "{\"q\":1}"}));
        assert_eq!(server.tool.as_ref().unwrap().name, "mcp__cursor__query");
        assert_eq!(told(&server, &verdict)["updated_mcp_tool_output"], "x");
    }

    #[test]
    fn a_stop_is_followed_up_once_and_a_prompt_blocked() {
        let block = Verdict { decision: Decision::Block, reason: Some("more".into()), ..Verdict::default() };
        let stop = event("stop", &json!({"status": "completed", "loop_count": 1}));
        assert!(stop.flag("stop_hook_active"));
        assert_eq!(told(&stop, &block), json!({"followup_message": "more"}));
        let prompt = event("beforeSubmitPrompt", &json!({"prompt": "hi", "attachments": []}));
        assert_eq!(prompt.kind, E::UserPromptSubmit);
        assert_eq!(told(&prompt, &block), json!({"continue": false, "user_message": "more"}));
    }

    #[test]
    fn a_hook_from_the_canonical_file_is_answered_in_its_spelling() {
        let call = event("PreToolUse", &json!({"tool_name": "Shell", "tool_input": {"command": "x"}}));
        assert_eq!(call.agent, AgentId::Cursor);
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        assert_eq!(told(&call, &deny)["hookSpecificOutput"]["permissionDecision"], "deny");
    }
}
