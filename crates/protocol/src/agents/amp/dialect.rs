//! The events that sprag's plugin sends, in Claude Code's spelling with Amp's tools.

use super::tools::TABLE;
use crate::agents::{AgentId, encode_canonical, fields};
use crate::dialect::{Dialect, Encoded, Row, StopWay};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::Verdict;
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Amp,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 20,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical: |kind, raw| if kind.has_tool() { fields::from_canonical(&TABLE, raw) } else { Ok(()) },
    can_ask: false,
    encode,
    is_host: |raw, _| raw.get("plugin_of").and_then(Value::as_str) == Some("amp"),
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What the plugin reads from the answer.
static ROWS: [Row; 7] = [
    row(E::SessionStart).context(),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit).context(),
    row(E::PreToolUse).stop(StopWay::Permission).rewrite().waits_for(E::PostToolUse),
    row(E::PostToolUse).stop(StopWay::Decision).context().output(),
    row(E::PostToolUseFailure).stop(StopWay::Decision).context(),
    row(E::Stop).stop(StopWay::Decision).waits_for(E::UserPromptSubmit),
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
    fn a_call_is_read_and_rewritten_with_its_own_fields() {
        let payload = json!({"hook_event_name": "PreToolUse", "plugin_of": "amp", "session_id": "T-1", "cwd": "/w",
            "tool_name": "Bash", "tool_input": {"cmd": "rm -rf /"}, "tool_use_id": "toolu_1"});
        let shell = decode(payload.to_string().as_bytes(), None, &|_| None).unwrap();
        assert_eq!((shell.agent, shell.session_id.as_str()), (AgentId::Amp, "T-1"));
        assert_eq!(shell.tool.as_ref().unwrap().command.as_deref(), Some("rm -rf /"));
        let verdict = Verdict { rewrite: Some(json!({"command": "ls"})), ..Verdict::default() };
        let told: Value = serde_json::from_str(&DIALECT.answer(&shell, &verdict).stdout.unwrap()).unwrap();
        assert_eq!(told["hookSpecificOutput"]["updatedInput"], json!({"cmd": "ls"}));
    }
}
