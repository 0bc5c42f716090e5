//! Messages and their parts in a database, read as one object for each message.

use crate::agents::AgentId;
use crate::agents::spec::{TranscriptDatabase, TranscriptFormat};
use crate::transcript::{
    Call, CallResult, Facts, Record, Role, Usage, count, joined, stopped_by_sprag, text,
};
use serde_json::Value;
use sprag_time::Stamp;

pub(super) const DATABASE: TranscriptDatabase =
    TranscriptDatabase { path: ".local/share/opencode/opencode.db", sessions: SESSIONS, lines: LINES };

pub(in crate::agents) const SESSIONS: &str = "select id from session order by id";

/// The format is that of the descendant too, which the path tells apart.
pub(in crate::agents) const LINES: &str = "select json_object('message_of', m.session_id, 'id', m.id, 'info', json(m.data), \
     'directory', (select directory from session where id = m.session_id), \
     'parts', json((select json_group_array(json(p.data)) from \
        (select data from part where message_id = m.id order by time_created, id) p))) \
     from message m where m.session_id = ?1 order by m.time_created, m.id";

pub(super) const FORMAT: TranscriptFormat = TranscriptFormat {
    skipped: &[],
    is_own: |value| value.get("message_of").is_some() && value.get("parts").is_some(),
    read: |value, facts| read(AgentId::Opencode, value, facts),
    whole_document: false,
};

pub(in crate::agents) fn read(agent: AgentId, value: &Value, facts: &mut Facts) -> Vec<Record> {
    facts.agent.get_or_insert(agent);
    Facts::first(&mut facts.session_id, text(value, "message_of"));
    Facts::first(&mut facts.cwd, text(value, "directory"));
    let (Some(info), Some(parts)) = (value.get("info"), value.get("parts")) else { return Vec::new() };
    let millis = info.get("time").and_then(|time| time.get("created")).and_then(Value::as_u64);
    let time = millis.and_then(|ms| ms.checked_mul(1_000)).map(Stamp);
    facts.see_time(time);
    let uuid = text(value, "id").unwrap_or_default();
    let mut said = Record { time, uuid: uuid.to_owned(), ..Record::default() };
    // What a plugin adds is marked.
    let spoken = |part: &Value| {
        text(part, "type") == Some("text") && part.get("synthetic").and_then(Value::as_bool) != Some(true)
    };
    said.text = joined(parts, spoken);
    if text(info, "role") != Some("assistant") {
        return vec![said];
    }
    said.role = Role::Assistant;
    Facts::latest(&mut facts.model, text(info, "modelID"));
    said.usage = info.get("tokens").map(|tokens| {
        let cache = tokens.get("cache").cloned().unwrap_or_default();
        Usage {
            answer: uuid.to_owned(),
            input: count(tokens, "input"),
            output: count(tokens, "output"),
            cache_read: count(&cache, "read"),
            cache_write: count(&cache, "write"),
            window: None,
        }
    });
    let mut results = Record { time, uuid: format!("{uuid}:results"), ..Record::default() };
    let calls = parts.as_array().into_iter().flatten().filter(|part| text(part, "type") == Some("tool"));
    for part in calls {
        let Some(state) = part.get("state") else { continue };
        let id = text(part, "callID").unwrap_or_default();
        let input = state.get("input").cloned().unwrap_or_default();
        said.calls.push(Call::new(agent, id, text(part, "tool").unwrap_or_default(), input));
        let (error, shown) = match text(state, "status") {
            Some("error") => (true, text(state, "error")),
            Some("completed") => (false, text(state, "output")),
            _ => continue,
        };
        let shown = shown.unwrap_or_default();
        results.results.push(CallResult {
            id: id.to_owned(),
            refused: stopped_by_sprag(shown),
            text: shown.to_owned(),
            error,
        });
    }
    if results.results.is_empty() { vec![said] } else { vec![said, results] }
}
