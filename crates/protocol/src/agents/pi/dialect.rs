//! The events that sprag's extension sends, in Claude Code's spelling with Pi's tools.

use super::TABLE;
use crate::agents::{AgentId, encode_canonical, fields};
use crate::dialect::{Dialect, Encoded, Row, StopWay};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::Verdict;
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Pi,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 12,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical: |kind, raw| if kind.has_tool() { fields::from_canonical(&TABLE, raw) } else { Ok(()) },
    can_ask: false,
    encode,
    is_host: |raw, _| raw.get("plugin_of").and_then(Value::as_str) == Some("pi"),
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What the extension reads from the answer.
static ROWS: [Row; 7] = [
    row(E::SessionStart).context(),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit).stop(StopWay::Decision).context(),
    row(E::PreToolUse).stop(StopWay::Permission).rewrite().waits_for(E::PostToolUse),
    row(E::PostToolUse).stop(StopWay::Decision).context().output(),
    row(E::Stop).stop(StopWay::Decision).waits_for(E::UserPromptSubmit),
    row(E::PostCompact),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    if !kind.has_tool() {
        return;
    }
    fields::to_canonical(&TABLE, raw);
    if let Some(text) = raw.get("tool_response").and_then(Value::as_str).map(str::to_owned) {
        fields::set_result(raw, &text);
    }
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    let native = event.tool.as_ref().map_or("", |tool| tool.native_name.as_str());
    let mut verdict = verdict.clone();
    verdict.rewrite = verdict.rewrite.map(|input| fields::native_input(&TABLE, native, &input));
    fields::plain_output(encode_canonical(row, event, &verdict), &verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use serde_json::json;

    #[test]
    fn a_call_and_its_result() {
        let event = |more: Value| {
            let mut payload = json!({"plugin_of": "pi", "session_id": "s", "cwd": "/"});
            payload.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
        };
        let write = event(json!({"hook_event_name": "PreToolUse", "tool_name": "write",
            "tool_input": {"path": "/a", "content": "x"}}));
        assert_eq!((write.agent, write.tool.as_ref().unwrap().paths[0].path.as_str()), (AgentId::Pi, "/a"));
        let shell = event(json!({"hook_event_name": "PostToolUse", "tool_name": "bash",
            "tool_input": {"command": "ls"}, "tool_response": "out"}));
        let verdict = Verdict { output: Some(json!("[gone]")), ..Verdict::default() };
        let told: Value = serde_json::from_str(&DIALECT.answer(&shell, &verdict).stdout.unwrap()).unwrap();
        assert_eq!(told["hookSpecificOutput"]["updatedToolOutput"], "[gone]");
    }
}
