//! The payload of a step: defaults or a recording, with the case's own fields over it.

use super::model::{Action, Step};
use super::places::{HOME, PROJECT, Places, each_text};
use serde_json::{Map, Value, json};
use sprag_protocol::respell::{RespellError, respell};
use sprag_protocol::{AgentId, EventKind, decode, dialects};

/// What the steps of a case share.
#[derive(Debug)]
pub(crate) struct Conversation {
    agent: AgentId,
    session: Option<String>,
    transcript: Option<String>,
    calls: usize,
}

/// Why a step has no payload.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PayloadError {
    /// It is a list of steps.
    #[error("a group is not an event")]
    Group,
    /// It is JSON of another kind.
    #[error("a payload is an object")]
    NotAnObject,
    /// The agent has no such event or tool.
    #[error(transparent)]
    Agent(#[from] RespellError),
}

/// A payload, ready to be sent.
#[derive(Debug)]
pub(crate) struct Ready {
    pub bytes: Vec<u8>,
    /// The canonical payload, for the result that may follow.
    pub canonical: Map<String, Value>,
    pub kind: EventKind,
}

/// The session of payloads that name none.
const SESSION: &str = "5e551011-0000-4000-8000-000000000001";

impl Conversation {
    pub(crate) fn new(agent: AgentId) -> Self {
        Self { agent, session: None, transcript: None, calls: 0 }
    }

    /// The payload of an event. `Err` says what the agent cannot.
    /// `round` is the number of the repetition, when there are several.
    pub(crate) fn payload(
        &mut self,
        action: &Action,
        round: Option<usize>,
        places: &Places,
    ) -> Result<Ready, PayloadError> {
        match action {
            Action::Raw(text) => Ok(Ready {
                bytes: places.inward(text).into_bytes(),
                canonical: Map::new(),
                kind: EventKind::Unknown,
            }),
            Action::Inline { kind, payload, remove } => {
                let mut raw = self.defaults(*kind);
                merge(&mut raw, payload.clone());
                remove_keys(&mut raw, remove);
                self.remember(&raw);
                self.ready(raw, *kind, AgentId::CANONICAL, round, places)
            }
            Action::Recorded { name, text, over, remove } => {
                let agent = agent_of(name);
                let mut raw: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
                self.join(&mut raw, round);
                merge(&mut raw, over.clone());
                remove_keys(&mut raw, remove);
                self.remember(&raw);
                let event = raw.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
                let kind = dialects::of(agent).kind_of(event);
                self.ready(raw, kind, agent, round, places)
            }
            Action::Group(_) => Err(PayloadError::Group),
        }
    }

    /// The PostToolUse that follows a call.
    pub(crate) fn result(
        &self,
        call: &Map<String, Value>,
        result: &Value,
        round: Option<usize>,
        places: &Places,
    ) -> Result<Ready, PayloadError> {
        let mut raw = call.clone();
        raw.insert("hook_event_name".to_owned(), EventKind::PostToolUse.name().into());
        let result = match result {
            Value::String(text) => json!({"stdout": text, "stderr": "", "interrupted": false}),
            other => other.clone(),
        };
        raw.insert("tool_response".to_owned(), result);
        self.ready(raw, EventKind::PostToolUse, AgentId::CANONICAL, round, places)
    }

    fn ready(
        &self,
        raw: Map<String, Value>,
        kind: EventKind,
        spelled: AgentId,
        round: Option<usize>,
        places: &Places,
    ) -> Result<Ready, PayloadError> {
        let mut value = Value::Object(raw);
        if let Some(round) = round {
            each_text(&mut value, &|text| text.replace("{n}", &round.to_string()));
        }
        places.value_inward(&mut value);
        let Value::Object(raw) = value else { return Err(PayloadError::NotAnObject) };
        let canonical = if spelled == AgentId::CANONICAL {
            raw.clone()
        } else {
            decode::read(raw.clone(), dialects::of(spelled)).raw
        };
        let sent = if spelled == self.agent { raw } else { respell(self.agent, kind, canonical.clone())? };
        Ok(Ready { bytes: Value::Object(sent).to_string().into_bytes(), canonical, kind })
    }

    /// What every payload of the event has.
    fn defaults(&mut self, kind: EventKind) -> Map<String, Value> {
        let session = self.session.clone().unwrap_or_else(|| SESSION.to_owned());
        let transcript = self.transcript.clone().unwrap_or_else(|| {
            format!(
                "{HOME}{}-home-dev-shop/{session}.jsonl",
                AgentId::CANONICAL.spec().transcript.sample_folder
            )
        });
        let mut raw = Map::new();
        let mut put = |key: &str, value: Value| raw.insert(key.to_owned(), value);
        put("session_id", session.into());
        put("transcript_path", transcript.into());
        put("cwd", PROJECT.into());
        put("hook_event_name", kind.name().into());
        match kind {
            EventKind::SessionStart => put("source", "startup".into()),
            EventKind::SessionEnd => put("reason", "other".into()),
            EventKind::PreCompact | EventKind::PostCompact => put("trigger", "manual".into()),
            EventKind::UserPromptSubmit => put("prompt", "go on".into()),
            EventKind::Stop | EventKind::SubagentStop => put("stop_hook_active", false.into()),
            _ => None,
        };
        if kind == EventKind::PreToolUse {
            self.calls += 1;
        }
        if kind.has_tool() && kind != EventKind::PermissionRequest {
            put("tool_use_id", format!("toolu_case_{}", self.calls.max(1)).into());
        }
        raw
    }

    /// Makes a recording part of this conversation: one session, and a call of its own in every round.
    fn join(&self, raw: &mut Map<String, Value>, round: Option<usize>) {
        if let Some(session) = &self.session {
            raw.insert("session_id".to_owned(), session.as_str().into());
        }
        if let Some(transcript) = self.transcript.as_ref().filter(|_| raw.contains_key("transcript_path")) {
            raw.insert("transcript_path".to_owned(), transcript.as_str().into());
        }
        if let (Some(round @ 2..), Some(id)) = (round, raw.get("tool_use_id").and_then(Value::as_str)) {
            let id = format!("{id}-{round}");
            raw.insert("tool_use_id".to_owned(), id.into());
        }
    }

    /// The first payload says which session it is.
    fn remember(&mut self, raw: &Map<String, Value>) {
        let text = |key: &str| raw.get(key).and_then(Value::as_str).map(str::to_owned);
        if self.session.is_none() {
            self.session = text("session_id");
            self.transcript = text("transcript_path");
        }
    }
}

/// The agent of a recording, by its name.
pub(crate) fn agent_of(recording: &str) -> AgentId {
    recording.split('/').next().and_then(AgentId::from_name).unwrap_or(AgentId::CANONICAL)
}

/// The events that a step sends.
pub(crate) fn kinds(step: &Step) -> Vec<EventKind> {
    let mut found = match &step.action {
        Action::Inline { kind, payload, .. } => {
            let named = payload.get("hook_event_name").and_then(Value::as_str);
            vec![named.map_or(*kind, |name| EventKind::from_name(name).unwrap_or(EventKind::Unknown))]
        }
        Action::Recorded { name, text, over, .. } => {
            let raw: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            let event = over.get("hook_event_name").or_else(|| raw.get("hook_event_name"));
            vec![dialects::of(agent_of(name)).kind_of(event.and_then(Value::as_str).unwrap_or_default())]
        }
        // Bytes may hold any event; what they decode to is what the chain is for.
        Action::Raw(text) => decode::decode(text.as_bytes(), Some(AgentId::CANONICAL), &|_| None)
            .map(|event| vec![event.kind])
            .unwrap_or_default(),
        Action::Group(steps) => steps.iter().flat_map(kinds).collect(),
    };
    if step.result.is_some() {
        found.push(EventKind::PostToolUse);
    }
    found.retain(|kind| *kind != EventKind::Unknown);
    found
}

/// The first recording of a case says whose payloads it has.
pub(crate) fn first_agent(steps: &[Step]) -> Option<AgentId> {
    steps.iter().find_map(|step| match &step.action {
        Action::Recorded { name, .. } => Some(agent_of(name)),
        Action::Group(steps) => first_agent(steps),
        Action::Inline { .. } | Action::Raw(_) => None,
    })
}

/// Fields over fields, deep; `null` removes.
pub(crate) fn merge(all: &mut Map<String, Value>, own: Map<String, Value>) {
    for (key, value) in own {
        match (all.get_mut(&key), value) {
            (_, Value::Null) => {
                all.remove(&key);
            }
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            (_, Value::Object(new)) => {
                let mut fresh = Map::new();
                merge(&mut fresh, new);
                all.insert(key, Value::Object(fresh));
            }
            (_, value) => {
                all.insert(key, value);
            }
        }
    }
}

/// Takes fields out; a point leads into an object.
fn remove_keys(raw: &mut Map<String, Value>, keys: &[String]) {
    for key in keys {
        let mut parts: Vec<&str> = key.split('.').collect();
        let Some(last) = parts.pop() else { continue };
        let mut map = Some(&mut *raw);
        for part in parts {
            map = map.and_then(|map| map.get_mut(part)).and_then(Value::as_object_mut);
        }
        if let Some(map) = map {
            map.remove(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn sent(ready: &Ready) -> Value {
        serde_json::from_slice(&ready.bytes).unwrap()
    }

    #[test]
    fn fields_go_over_fields_and_null_takes_out() {
        let mut all = object(json!({"a": 1, "b": {"c": 2, "d": 3}}));
        merge(&mut all, object(json!({"a": null, "b": {"c": null, "e": {"f": null, "g": 1}}})));
        assert_eq!(Value::Object(all.clone()), json!({"b": {"d": 3, "e": {"g": 1}}}));
        remove_keys(&mut all, &["b.d".to_owned(), "nothing.here".to_owned()]);
        assert_eq!(Value::Object(all), json!({"b": {"e": {"g": 1}}}));
    }

    #[test]
    fn a_call_and_its_result_share_an_id_and_the_next_call_has_its_own() {
        let places = Places::new(Path::new("/t/home"));
        let mut talk = Conversation::new(AgentId::Claude);
        let action = |kind| Action::Inline {
            kind,
            payload: object(
                json!({"tool_name": "Bash", "tool_input": {"command": "ls /home/dev/shop # {n}"}}),
            ),
            remove: vec![],
        };
        let first = talk.payload(&action(EventKind::PreToolUse), Some(1), &places).unwrap();
        let post = talk.payload(&action(EventKind::PostToolUse), Some(1), &places).unwrap();
        let second = talk.payload(&action(EventKind::PreToolUse), Some(2), &places).unwrap();
        assert_eq!(sent(&first)["tool_use_id"], sent(&post)["tool_use_id"]);
        assert_ne!(sent(&first)["tool_use_id"], sent(&second)["tool_use_id"]);
        assert_eq!(sent(&second)["tool_input"]["command"], "ls /t/home/shop # 2");
        assert_eq!(sent(&second)["cwd"], "/t/home/shop");
    }

    #[test]
    fn recordings_of_several_agents_are_one_session_in_one_spelling() {
        let places = Places::new(Path::new("/t/home"));
        let mut talk = Conversation::new(AgentId::Claude);
        let recorded = |name: &str| Action::Recorded {
            name: name.to_owned(),
            text: sprag_protocol::recordings::get(name).unwrap().text,
            over: Map::new(),
            remove: vec![],
        };
        let first = sent(&talk.payload(&recorded("claude/PreToolUse.Bash"), None, &places).unwrap());
        let second = sent(&talk.payload(&recorded("gemini/BeforeTool.read_file"), None, &places).unwrap());
        assert_eq!(first["session_id"], second["session_id"]);
        assert_eq!(
            (&second["hook_event_name"], &second["tool_name"]),
            (&json!("PreToolUse"), &json!("Read"))
        );
        assert_eq!(second["tool_input"]["file_path"], "/t/home/shop/src/cart.py");
    }
}
