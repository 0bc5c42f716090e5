//! Plain text is context where there is any; a denial is exit code 2.

use super::tools::TABLE;
use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, ContextWay, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Kiro,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 16,
    event_aliases: &[
        ("agentSpawn", E::SessionStart),
        ("userPromptSubmit", E::UserPromptSubmit),
        ("preToolUse", E::PreToolUse),
        ("postToolUse", E::PostToolUse),
        ("stop", E::Stop),
        ("agentStop", E::Stop),
    ],
    is_event: |_, _| true,
    to_canonical,
    from_canonical: |kind, raw| if kind.has_tool() { fields::from_canonical(&TABLE, raw) } else { Ok(()) },
    can_ask: false,
    encode,
    is_host: |raw, _| raw.get("hook_event_name").and_then(Value::as_str) == Some("agentSpawn"),
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 5] = [
    row(E::SessionStart).context(),
    row(E::UserPromptSubmit).stop(StopWay::ExitCode).context(),
    row(E::PreToolUse).stop(StopWay::ExitCode).waits_for(E::UserPromptSubmit),
    row(E::PostToolUse).waits_for(E::UserPromptSubmit),
    row(E::Stop).waits_for(E::UserPromptSubmit),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    fields::copy(raw, "conversation_id", "session_id");
    if !kind.has_tool() {
        return;
    }
    // `@server/tool`
    let server = raw.get("tool_name").and_then(Value::as_str).and_then(|name| name.strip_prefix('@'));
    if let Some((server, tool)) = server.and_then(|name| name.split_once('/')) {
        let name = format!("mcp__{server}__{tool}");
        raw.insert("tool_name".to_owned(), name.into());
    }
    fields::to_canonical(&TABLE, raw);
    if let Some(text) = raw.get("tool_response").and_then(shown) {
        fields::set_result(raw, &text);
    }
}

/// What the model sees of a result.
fn shown(response: &Value) -> Option<String> {
    let parts = response.get("result").or_else(|| response.get("content")).unwrap_or(response);
    match parts {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()))
                .collect();
            Some(texts.join("\n"))
        }
        _ => None,
    }
}

fn encode(row: &Row, _event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    let stops = verdict.decision.stops() || verdict.decision == Decision::Ask;
    let refusal = (row.stop == StopWay::ExitCode && stops).then(|| reason(verdict).to_owned());
    if refusal.is_none() && verdict.decision.stops() {
        answer.lost.push(Lost::Block);
    }
    if verdict.rewrite.is_some() && !stops {
        answer.lost.push(Lost::Rewrite);
    }
    if verdict.output.is_some() {
        answer.lost.push(Lost::Output);
    }
    let text = verdict.context.clone().filter(|text| !text.trim().is_empty());
    let takes = row.context == ContextWay::Specific && refusal.is_none();
    if text.is_some() && !takes {
        answer.lost.push(Lost::Context);
    }
    Encoded { stdout: text.filter(|_| takes), refusal, lost: answer.lost }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use serde_json::json;

    fn event(more: &Value) -> Event {
        let mut payload = json!({"cwd": "/w"});
        payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        decode(payload.to_string().as_bytes(), Some(AgentId::Kiro), &|_| None).unwrap()
    }

    #[test]
    fn a_call_is_read_and_denied_by_the_exit_code() {
        let shell = event(&json!({"hook_event_name": "preToolUse", "tool_name": "execute_bash",
            "tool_input": {"command": "rm -rf /"}}));
        assert_eq!(shell.tool.as_ref().unwrap().command.as_deref(), Some("rm -rf /"));
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        assert_eq!(DIALECT.answer(&shell, &deny).refusal.as_deref(), Some("no"));
        let write = event(&json!({"hook_event_name": "PreToolUse", "tool_name": "fs_write",
            "tool_input": {"command": "create", "path": "/w/a", "file_text": "x"}}));
        assert_eq!(write.tool.as_ref().unwrap().paths[0].path, "/w/a");
        let server =
            event(&json!({"hook_event_name": "preToolUse", "tool_name": "@git/status", "tool_input": {}}));
        assert_eq!(server.tool.unwrap().name, "mcp__git__status");
    }

    #[test]
    fn text_is_plain_and_only_at_the_start_and_with_a_prompt() {
        let verdict = Verdict { context: Some("note".into()), ..Verdict::default() };
        for name in ["agentSpawn", "userPromptSubmit"] {
            let prompt = event(&json!({"hook_event_name": name, "prompt": "hi"}));
            assert_eq!(DIALECT.answer(&prompt, &verdict).stdout.as_deref(), Some("note"), "{name}");
        }
        let result = event(&json!({"hook_event_name": "postToolUse", "tool_name": "fs_read",
            "tool_input": {"path": "/a"}, "tool_response": {"success": true, "result": ["text"]}}));
        assert_eq!(result.tool_response().unwrap(), "text");
        assert_eq!(DIALECT.answer(&result, &verdict).lost, [Lost::Context]);
    }
}
