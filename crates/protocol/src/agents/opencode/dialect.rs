//! The events that sprag's plugin sends, in Claude Code's spelling with OpenCode's tools.

use crate::agents::opencode::TABLE;
use crate::agents::{AgentId, encode_canonical, fields};
use crate::dialect::{Dialect, Encoded, Row, StopWay};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::Verdict;
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Opencode,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 8,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical: |kind, raw| if kind.has_tool() { fields::from_canonical(&TABLE, raw) } else { Ok(()) },
    can_ask: false,
    encode,
    is_host: |raw, _| raw.get("plugin_of").and_then(Value::as_str) == Some("opencode"),
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What the plugin reads from the answer.
pub(in crate::agents) static ROWS: [Row; 11] = [
    row(E::SessionStart).context(),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit).stop(StopWay::Decision).context(),
    row(E::PreToolUse).stop(StopWay::Permission).rewrite().waits_for(E::PostToolUse),
    row(E::PostToolUse).stop(StopWay::Decision).context().output(),
    row(E::SubagentStart).context(),
    row(E::SubagentStop),
    row(E::Stop).stop(StopWay::Decision).waits_for(E::UserPromptSubmit),
    row(E::StopFailure),
    row(E::PreCompact).context(),
    row(E::PostCompact),
];

pub(in crate::agents) fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    if !kind.has_tool() {
        return;
    }
    fields::to_canonical(&TABLE, raw);
    if let Some(text) = raw.get("tool_response").and_then(Value::as_str).map(str::to_owned) {
        fields::set_result(raw, &text);
    }
}

pub(in crate::agents) fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
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

    fn event(more: &Value) -> Event {
        let mut payload = json!({"hook_event_name": "PreToolUse", "plugin_of": "opencode", "session_id": "s",
            "cwd": "/"});
        for (key, value) in more.as_object().unwrap() {
            payload.as_object_mut().unwrap().insert(key.clone(), value.clone());
        }
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    #[test]
    fn a_rewrite_has_the_tools_own_fields() {
        let edit = event(&json!({"tool_name": "edit",
            "tool_input": {"filePath": "/a", "oldString": "x", "newString": "y"}}));
        assert_eq!((edit.agent, edit.tool.as_ref().unwrap().name.as_str()), (AgentId::Opencode, "Edit"));
        let rewrite = json!({"file_path": "/b", "old_string": "x", "new_string": "y"});
        let told =
            DIALECT.answer(&edit, &Verdict { rewrite: Some(rewrite), ..Verdict::default() }).stdout.unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["hookSpecificOutput"]["updatedInput"]["filePath"], "/b");
    }

    #[test]
    fn an_output_is_a_text() {
        let after = event(&json!({"hook_event_name": "PostToolUse", "tool_name": "bash",
            "tool_input": {"command": "ls"}, "tool_response": "out"}));
        assert_eq!(after.tool_response().unwrap()["stdout"], "out");
        let verdict = Verdict { output: Some(json!("[gone]")), ..Verdict::default() };
        let told: Value = serde_json::from_str(&DIALECT.answer(&after, &verdict).stdout.unwrap()).unwrap();
        assert_eq!(told["hookSpecificOutput"]["updatedToolOutput"], "[gone]");
    }
}
