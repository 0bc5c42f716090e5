//! Claude Code's event names and Gemini CLI's tools.
//! It reads less of an answer than Claude Code: no rewrite, no context before a tool, no decision after one.

use super::tools;
use crate::agents::shared::keep_result;
use crate::agents::{AgentId, encode_canonical};
use crate::dialect::{Answer, Dialect, Encoded, Lost, Row, StopWay};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::Verdict;
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Qwen,
    rows: &ROWS,
    // As Claude Code: over 10,000 characters the model sees a part.
    context_limit: 9_800,
    detection_order: 1,
    event_aliases: &[],
    is_event,
    to_canonical: |_, raw| tools::to_canonical(raw),
    from_canonical: |kind, raw| if kind.has_tool() { tools::from_canonical(raw) } else { Ok(()) },
    can_ask: true,
    encode,
    is_host: |raw, env| {
        env("QWEN_CODE").is_some()
            || raw.get("transcript_path").and_then(Value::as_str).is_some_and(|path| path.contains("/.qwen/"))
    },
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 19] = [
    row(E::SessionStart).context().message(),
    row(E::InstructionsLoaded),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit).stop(StopWay::Decision).context().message().halt(),
    row(E::UserPromptExpansion).stop(StopWay::Decision).context().message().halt(),
    row(E::MessageDisplay),
    row(E::PreToolUse).stop(StopWay::Permission).message().halt().waits_for(E::PostToolUse),
    row(E::PermissionRequest).stop(StopWay::Behavior).message().rewrite(),
    row(E::PermissionDenied),
    row(E::PostToolUse).context().message().output(),
    row(E::PostToolUseFailure).context().message(),
    row(E::PostToolBatch).context().message().halt(),
    row(E::Notification),
    row(E::SubagentStart).waits_for(E::PostToolUse),
    row(E::SubagentStop).stop(StopWay::Decision).message().halt(),
    row(E::Stop).stop(StopWay::Decision).message().halt().waits_for(E::UserPromptSubmit),
    row(E::StopFailure),
    // Here as JSON; Claude Code takes plain text.
    row(E::PreCompact).context(),
    row(E::PostCompact),
];

/// The results of tools go to the model as a prompt of their own, which is nobody's: it is empty.
fn is_event(kind: E, raw: &Map<String, Value>) -> bool {
    let text = |field: &str| raw.get(field).and_then(Value::as_str).unwrap_or_default();
    kind != E::UserPromptSubmit || !text("prompt").is_empty() || !text("submitted_prompt").is_empty()
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    if !matches!(row.kind, E::PostToolUse | E::PostToolUseFailure | E::PostToolBatch) {
        return encode_canonical(row, event, verdict);
    }
    // A decision after the tool is not read: a block goes beside the result. `continue: false` with a reason
    // puts the reason in the result's place and lets the turn go on, so that is how an output is replaced.
    let mut verdict = verdict.clone();
    if row.kind != E::PostToolUse && verdict.output.take().is_some() {
        let mut encoded = encode(row, event, &verdict);
        encoded.lost.push(Lost::Output);
        return encoded;
    }
    keep_result(&mut verdict);
    if !verdict.decision.stops() {
        return encode_canonical(row, event, &verdict);
    }
    let mut answer = Answer::default();
    answer.universal(row, &verdict);
    answer.top("continue", false);
    let parts: Vec<String> = verdict.reason.into_iter().chain(verdict.context).collect();
    answer.top("stopReason", parts.join("\n\n"));
    answer.finish(row.native)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use crate::verdict::Decision;
    use serde_json::json;

    fn event(name: &str, more: &Value) -> Event {
        let mut payload = json!({"hook_event_name": name, "session_id": "s", "cwd": "/",
            "tool_name": "run_shell_command", "tool_input": {"command": "ls"}});
        for (key, value) in more.as_object().unwrap() {
            payload.as_object_mut().unwrap().insert(key.clone(), value.clone());
        }
        decode(payload.to_string().as_bytes(), Some(AgentId::Qwen), &|_| None).unwrap()
    }

    fn answer(name: &str, verdict: &Verdict) -> (Value, Vec<Lost>) {
        let encoded = DIALECT.answer(&event(name, &json!({})), verdict);
        (serde_json::from_str(encoded.stdout.as_deref().unwrap_or("null")).unwrap(), encoded.lost)
    }

    #[test]
    fn a_tools_result_is_not_a_prompt() {
        assert_eq!(event("UserPromptSubmit", &json!({"prompt": "hi"})).kind, E::UserPromptSubmit);
        assert_eq!(event("UserPromptSubmit", &json!({"prompt": ""})).kind, E::Unknown);
        assert_eq!(event("UserPromptSubmit", &json!({})).kind, E::Unknown);
    }

    #[test]
    fn after_a_tool_a_block_is_context_and_an_output_replaces_the_result() {
        let block = Verdict { decision: Decision::Block, reason: Some("look".into()), ..Verdict::default() };
        let specific = json!({"hookEventName": "PostToolUse", "additionalContext": "look"});
        assert_eq!(answer("PostToolUse", &block), (json!({"hookSpecificOutput": specific}), vec![]));
        let output = Verdict { output: Some(json!("[gone]")), context: Some("note".into()), ..block };
        let whole = json!({"continue": false, "stopReason": "look\n\n[gone]\n\nnote"});
        assert_eq!(answer("PostToolUse", &output), (whole, vec![]));
        assert_eq!(answer("PostToolUseFailure", &output).1, [Lost::Output]);
    }

    #[test]
    fn what_it_does_not_read_is_lost() {
        let verdict = Verdict {
            rewrite: Some(json!({"command": "ls -a"})),
            context: Some("note".into()),
            ..Verdict::default()
        };
        assert_eq!(answer("PreToolUse", &verdict), (Value::Null, vec![Lost::Rewrite, Lost::Context]));
        let context = Verdict { context: Some("note".into()), ..Verdict::default() };
        let (told, lost) = answer("PreCompact", &context);
        assert_eq!((&told["hookSpecificOutput"]["additionalContext"], lost), (&json!("note"), vec![]));
    }
}
