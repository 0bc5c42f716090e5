//! Messages in a database, as the model's API has them.

use crate::agents::AgentId;
use crate::agents::spec::{TranscriptDatabase, TranscriptFormat};
use crate::transcript::{Call, CallResult, Facts, Record, Role, stopped_by_sprag, text};
use serde_json::Value;
use sprag_time::Stamp;

pub(super) const DATABASE: TranscriptDatabase = TranscriptDatabase {
    path: ".hermes/state.db",
    sessions: "select id from sessions order by id",
    lines: "select json_object('turn_of', m.session_id, 'id', m.id, 'role', m.role, 'content', m.content, \
        'call', m.tool_call_id, 'calls', m.tool_calls, 'at', m.timestamp, 'model', s.model, 'cwd', s.cwd) \
        from messages m join sessions s on s.id = m.session_id where m.session_id = ?1 order by m.id",
};

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[],
    is_own: |value| value.get("turn_of").is_some() && value.get("role").is_some(),
    read: |value, facts| read(value, facts).into_iter().collect(),
    whole_document: false,
};

fn read(value: &Value, facts: &mut Facts) -> Option<Record> {
    facts.agent.get_or_insert(AgentId::Hermes);
    Facts::first(&mut facts.session_id, text(value, "turn_of"));
    Facts::first(&mut facts.cwd, text(value, "cwd"));
    let seconds = value.get("at").and_then(Value::as_f64);
    let time = seconds.map(|seconds| Stamp((seconds * 1e6) as u64));
    facts.see_time(time);
    let uuid = value.get("id").and_then(Value::as_u64).map(|id| id.to_string()).unwrap_or_default();
    let mut record = Record { time, uuid, ..Record::default() };
    let content = text(value, "content").unwrap_or_default();
    match text(value, "role")? {
        "user" => content.clone_into(&mut record.text),
        "assistant" => {
            record.role = Role::Assistant;
            content.clone_into(&mut record.text);
            Facts::latest(&mut facts.model, text(value, "model"));
            let calls: Vec<Value> =
                text(value, "calls").and_then(|calls| serde_json::from_str(calls).ok()).unwrap_or_default();
            for call in &calls {
                let Some(function) = call.get("function") else { continue };
                let input = text(function, "arguments").and_then(|text| serde_json::from_str(text).ok());
                let (id, name) =
                    (text(call, "id").unwrap_or_default(), text(function, "name").unwrap_or_default());
                record.calls.push(Call::new(AgentId::Hermes, id, name, input.unwrap_or_default()));
            }
        }
        "tool" => {
            let shown: Value = serde_json::from_str(content).unwrap_or_default();
            let error = text(&shown, "error").filter(|error| !error.is_empty());
            let failed = shown.get("exit_code").and_then(Value::as_i64).is_some_and(|code| code != 0);
            let output = error.or_else(|| text(&shown, "output")).unwrap_or(content);
            record.results.push(CallResult {
                id: text(value, "call").unwrap_or_default().to_owned(),
                refused: stopped_by_sprag(output),
                error: error.is_some() || failed,
                text: output.to_owned(),
            });
        }
        _ => return None,
    }
    Some(record)
}
