//! One event; the fields of an answer are at its top level.

use super::tools::TABLE;
use crate::agents::shared::{tool_name_from_canonical, tool_name_to_canonical};
use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Crush,
    rows: &ROWS,
    context_limit: 9_800,
    detection_order: 18,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    can_ask: false,
    encode,
    is_host: |_, env| env("CRUSH_EVENT").is_some(),
};

/// What the event reads from the answer.
static ROWS: [Row; 1] =
    [Row::observe(E::PreToolUse, "PreToolUse").stop(StopWay::Permission).context().rewrite().halt()];

fn to_canonical(_kind: E, raw: &mut Map<String, Value>) {
    fields::to_canonical(&TABLE, raw);
    tool_name_to_canonical(&[], raw);
}

fn from_canonical(_kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    let native = raw.remove("hook_event_name").unwrap_or_default();
    raw.insert("event".to_owned(), native);
    if raw.get("tool_name").and_then(Value::as_str).is_some_and(|name| name.starts_with("mcp__")) {
        return tool_name_from_canonical(&[], raw);
    }
    fields::from_canonical(&TABLE, raw)
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    let stops = verdict.decision.stops() || verdict.decision == Decision::Ask;
    if let Some(stop) = &verdict.stop {
        answer.top("halt", true);
        answer.top("reason", stop.as_str());
    }
    if verdict.message.is_some() {
        answer.lost.push(Lost::Message);
    }
    if stops {
        answer.top("decision", "deny");
        answer.top("reason", reason(verdict));
    } else if verdict.decision == Decision::Allow {
        answer.top("decision", "allow");
    }
    if let Some(input) = verdict.rewrite.as_ref().filter(|_| !stops) {
        let native = event.tool.as_ref().map_or("", |tool| tool.native_name.as_str());
        let input = fields::native_input(&TABLE, native, input);
        // The fields are merged into what the call has.
        let had = event.tool_input().and_then(Value::as_object);
        let removes = had.is_some_and(|had| had.keys().any(|key| verdict_lacks(verdict, key)));
        answer.lost.extend(removes.then_some(Lost::RewriteRemoves));
        answer.top("updated_input", input);
    }
    if let Some(context) = &verdict.context {
        answer.top("context", context.as_str());
    }
    if !answer.top.is_empty() {
        answer.top("version", 1);
    }
    answer.finish(row.native)
}

/// True when the rewritten input has no such field.
fn verdict_lacks(verdict: &Verdict, key: &str) -> bool {
    verdict.rewrite.as_ref().is_some_and(|input| input.get(key).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use serde_json::json;

    fn event(tool: &str, input: &Value) -> Event {
        let payload = json!({"event": "PreToolUse", "session_id": "s", "cwd": "/w", "tool_name": tool, "tool_input": input});
        let env = |name: &str| (name == "CRUSH_EVENT").then(|| "PreToolUse".to_owned());
        decode(payload.to_string().as_bytes(), None, &env).unwrap()
    }

    fn told(event: &Event, verdict: &Verdict) -> Value {
        serde_json::from_str(DIALECT.answer(event, verdict).stdout.as_deref().unwrap_or("null")).unwrap()
    }

    #[test]
    fn a_call_is_denied_rewritten_and_commented() {
        let shell = event("bash", &json!({"command": "rm -rf /", "description": "x"}));
        assert_eq!((shell.agent, shell.kind), (AgentId::Crush, E::PreToolUse));
        assert_eq!(shell.tool.as_ref().unwrap().command.as_deref(), Some("rm -rf /"));
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        assert_eq!(told(&shell, &deny), json!({"version": 1, "decision": "deny", "reason": "no"}));
        let other = Verdict {
            rewrite: Some(json!({"command": "ls"})),
            context: Some("note".into()),
            ..Verdict::default()
        };
        assert_eq!(
            told(&shell, &other),
            json!({"version": 1, "updated_input": {"command": "ls"}, "context": "note"})
        );
        assert_eq!(DIALECT.answer(&shell, &other).lost, [Lost::RewriteRemoves]);
        assert_eq!(told(&shell, &Verdict::default()), Value::Null);
    }

    #[test]
    fn tools_of_servers_are_known() {
        assert_eq!(event("mcp_db_query", &json!({})).tool.unwrap().name, "mcp__db__query");
        assert_eq!(event("view", &json!({"file_path": "/w/.env"})).tool.unwrap().paths[0].path, "/w/.env");
    }
}
