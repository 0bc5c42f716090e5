//! Claude Code's event names; the fields of an answer are at its top level.

use super::tools::TABLE;
use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, ContextWay, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Copilot,
    rows: &ROWS,
    // It joins what all hooks say and cuts at 10 KB.
    context_limit: 9_000,
    detection_order: 4,
    event_aliases: &CAMEL_NAMES,
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    can_ask: true,
    encode,
    is_host: |raw, env| {
        let text = |key: &str| raw.get(key).and_then(Value::as_str).unwrap_or_default();
        env("COPILOT_CLI").is_some()
            || text("transcript_path").contains("/.copilot/")
            || raw.get("tool_result").is_some_and(|result| result.get("text_result_for_llm").is_some())
            // No other agent that has these event names sends a time and leaves out the transcript.
            || text("hook_event_name").starts_with(|first: char| first.is_ascii_uppercase())
                && text("timestamp").ends_with('Z')
                && !raw.contains_key("transcript_path")
                && !raw.contains_key("hookEventName")
    },
};

/// The events as hooks with names of its own are told them.
static CAMEL_NAMES: [(&str, E); 11] = [
    ("sessionStart", E::SessionStart),
    ("sessionEnd", E::SessionEnd),
    ("userPromptSubmitted", E::UserPromptSubmit),
    ("preToolUse", E::PreToolUse),
    ("postToolUse", E::PostToolUse),
    ("postToolUseFailure", E::PostToolUseFailure),
    ("permissionRequest", E::PermissionRequest),
    ("agentStop", E::Stop),
    ("subagentStart", E::SubagentStart),
    ("subagentStop", E::SubagentStop),
    ("preCompact", E::PreCompact),
];

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 12] = [
    row(E::SessionStart).context(),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit).stop(StopWay::Decision).context(),
    row(E::PreToolUse).stop(StopWay::Permission).context().rewrite(),
    row(E::PostToolUse).context().output(),
    row(E::PostToolUseFailure).context(),
    row(E::Notification),
    row(E::SubagentStart).context(),
    row(E::SubagentStop).stop(StopWay::Decision),
    row(E::Stop).stop(StopWay::Decision).waits_for(E::UserPromptSubmit),
    Row::observe(E::StopFailure, "ErrorOccurred"),
    row(E::PreCompact).waits_for(E::UserPromptSubmit),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    fields::copy(raw, "sessionId", "session_id");
    if !kind.has_tool() {
        return;
    }
    for (own, canonical) in
        [("toolName", "tool_name"), ("toolArgs", "tool_input"), ("toolInput", "tool_input")]
    {
        fields::copy(raw, own, canonical);
    }
    fields::to_canonical(&TABLE, raw);
    let result = raw.get("tool_result").and_then(|result| result.get("text_result_for_llm"));
    if let Some(text) = result.and_then(Value::as_str).map(without_trailer) {
        fields::set_result(raw, &text);
    }
}

/// A shell's result without the line that names the shell, whose number would make every result another one.
fn without_trailer(text: &str) -> String {
    match text.rsplit_once("\n<shellId: ") {
        Some((output, state)) if state.contains("exit code 0>") => output.to_owned(),
        Some((output, state)) => {
            let state = state.split_once(' ').map_or(state, |(_, state)| state).trim_end_matches('>');
            format!("{output}\n{state}")
        }
        None => text.to_owned(),
    }
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    if !kind.has_tool() {
        return Ok(());
    }
    fields::from_canonical(&TABLE, raw)?;
    if let Some(response) = raw.remove("tool_response") {
        let text = crate::agents::shared::result_text(&response);
        raw.insert("tool_result".to_owned(), json!({"result_type": "success", "text_result_for_llm": text}));
    }
    Ok(())
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    let mut context = verdict.context.clone();
    match row.stop {
        StopWay::Permission => permission(&mut answer, event, verdict),
        StopWay::Decision if verdict.decision.stops() => {
            answer.top("decision", "block");
            answer.top("reason", reason(verdict));
        }
        // After a tool a block is a note beside the result.
        _ if verdict.decision.stops() && row.context == ContextWay::Specific => {
            let parts = std::iter::once(reason(verdict).to_owned()).chain(context.take());
            context = Some(parts.collect::<Vec<_>>().join("\n\n"));
        }
        StopWay::Never if verdict.decision.stops() => answer.lost.push(Lost::Block),
        _ => {}
    }
    match context {
        Some(text) if row.context == ContextWay::Specific => answer.top("additionalContext", text),
        Some(_) => answer.lost.push(Lost::Context),
        None => {}
    }
    match &verdict.output {
        Some(output) if row.output => {
            let text = crate::agents::shared::result_text(output);
            answer.top("modifiedResult", json!({"resultType": "success", "textResultForLlm": text}));
        }
        Some(_) => answer.lost.push(Lost::Output),
        None => {}
    }
    answer.finish(row.native)
}

fn permission(answer: &mut Answer, event: &Event, verdict: &Verdict) {
    let word = match verdict.decision {
        Decision::Pass => None,
        Decision::Allow => Some("allow"),
        Decision::Ask => Some("ask"),
        Decision::Deny | Decision::Block => Some("deny"),
    };
    if let Some(word) = word {
        answer.top("permissionDecision", word);
        if verdict.decision != Decision::Allow {
            answer.top("permissionDecisionReason", reason(verdict));
        }
    }
    if let Some(input) = verdict.rewrite.as_ref().filter(|_| !verdict.decision.stops()) {
        let native = event.tool.as_ref().map_or("", |tool| tool.native_name.as_str());
        answer.top("modifiedArgs", fields::native_input(&TABLE, native, input));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;

    fn event(name: &str, more: &Value) -> Event {
        let mut payload = json!({"hook_event_name": name, "session_id": "s", "cwd": "/",
            "timestamp": "2026-11-18T01:09:53.426Z"});
        for (key, value) in more.as_object().unwrap() {
            payload.as_object_mut().unwrap().insert(key.clone(), value.clone());
        }
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    fn answer(event: &Event, verdict: &Verdict) -> Value {
        let encoded = DIALECT.answer(event, verdict);
        serde_json::from_str(encoded.stdout.as_deref().unwrap_or("null")).unwrap()
    }

    #[test]
    fn a_file_tool_is_read_and_rewritten_with_its_own_fields() {
        let edit = json!({"tool_name": "Edit", "tool_input": {"path": "/a", "old_str": "x", "new_str": "y"}});
        let event = event("PreToolUse", &edit);
        assert_eq!(event.agent, AgentId::Copilot);
        assert_eq!(event.tool.as_ref().unwrap().paths[0].path, "/a");
        let rewrite = json!({"file_path": "/b", "old_string": "x", "new_string": "z"});
        let verdict = Verdict { rewrite: Some(rewrite), ..Verdict::default() };
        let own = json!({"modifiedArgs": {"path": "/b", "old_str": "x", "new_str": "z"}});
        assert_eq!(answer(&event, &verdict), own);
    }

    #[test]
    fn after_a_tool_a_block_is_context_and_an_output_is_replaced() {
        let result = json!({"tool_name": "Bash", "tool_input": {"command": "ls"},
            "tool_result": {"text_result_for_llm": "out\n<shellId: 3 completed with exit code 0>"}});
        let event = event("PostToolUse", &result);
        assert_eq!(event.tool_response().unwrap()["stdout"], "out");
        let verdict = Verdict {
            decision: Decision::Block,
            reason: Some("look".into()),
            context: Some("note".into()),
            output: Some(json!("[gone]")),
            ..Verdict::default()
        };
        assert_eq!(
            answer(&event, &verdict),
            json!({"additionalContext": "look\n\nnote",
                "modifiedResult": {"resultType": "success", "textResultForLlm": "[gone]"}})
        );
    }

    #[test]
    fn a_failed_command_keeps_its_code() {
        let text = without_trailer("oops\n<shellId: 12 completed with exit code 3>");
        assert_eq!(text, "oops\ncompleted with exit code 3");
    }
}
