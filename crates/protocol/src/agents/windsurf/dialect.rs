//! An event for each kind of action. The only answer that is read is exit code 2 before an action.

use super::tools;
use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::tool::is_canonical;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Windsurf,
    rows: &ROWS,
    context_limit: 0,
    detection_order: 14,
    event_aliases: &[("post_cascade_response_with_transcript", E::Stop)],
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    can_ask: false,
    encode,
    is_host: |raw, _| raw.contains_key("agent_action_name") && raw.contains_key("trajectory_id"),
};

const fn before(native: &'static str) -> Row {
    Row::observe(E::PreToolUse, native).stop(StopWay::ExitCode)
}

const fn after(native: &'static str) -> Row {
    Row::observe(E::PostToolUse, native)
}

/// What each event reads from the answer.
static ROWS: [Row; 10] = [
    Row::observe(E::UserPromptSubmit, "pre_user_prompt").stop(StopWay::ExitCode),
    before("pre_run_command"),
    before("pre_write_code"),
    before("pre_read_code"),
    before("pre_mcp_tool_use"),
    after("post_run_command"),
    after("post_write_code"),
    after("post_read_code"),
    after("post_mcp_tool_use"),
    Row::observe(E::Stop, "post_cascade_response"),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    fields::copy(raw, "trajectory_id", "session_id");
    let action = raw.get("agent_action_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(Value::Object(info)) = raw.get("tool_info").cloned() else { return };
    for (own, canonical) in
        [("cwd", "cwd"), ("user_prompt", "prompt"), ("response", "last_assistant_message")]
    {
        if let Some(value) = info.get(own) {
            raw.entry(canonical).or_insert_with(|| value.clone());
        }
    }
    if kind.has_tool()
        && let Some((tool, input)) = tools::call(&action, &info)
    {
        raw.insert("tool_name".to_owned(), tool.into());
        raw.insert("tool_input".to_owned(), input);
    }
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    raw.insert("trajectory_id".to_owned(), raw.get("session_id").cloned().unwrap_or_default());
    let native = raw.remove("hook_event_name").unwrap_or_default();
    raw.insert("agent_action_name".to_owned(), native);
    if let Some(prompt) = raw.get("prompt").cloned().filter(|_| kind == E::UserPromptSubmit) {
        raw.insert("tool_info".to_owned(), json!({ "user_prompt": prompt }));
    }
    let Some(tool) = raw.get("tool_name").and_then(Value::as_str).filter(|_| kind.has_tool()) else {
        return Ok(());
    };
    let input = raw.get("tool_input").cloned().unwrap_or_default();
    match tools::action(tool, &input) {
        Some((action, info)) => {
            let when = if kind == E::PreToolUse { "pre" } else { "post" };
            raw.insert("agent_action_name".to_owned(), format!("{when}_{action}").into());
            raw.insert("tool_info".to_owned(), info);
            Ok(())
        }
        None if is_canonical(tool) => Err(NoSuchTool(tool.to_owned())),
        None => Ok(()),
    }
}

fn encode(row: &Row, _event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    let mut refusal = None;
    let stops = verdict.decision.stops() || verdict.decision == Decision::Ask;
    match row.stop {
        StopWay::ExitCode if stops => refusal = Some(reason(verdict).to_owned()),
        _ if verdict.decision.stops() => answer.lost.push(Lost::Block),
        _ => {}
    }
    let cannot = [
        (verdict.rewrite.is_some() && !stops, Lost::Rewrite),
        (verdict.context.is_some(), Lost::Context),
        (verdict.output.is_some(), Lost::Output),
    ];
    answer.lost.extend(cannot.into_iter().filter(|(lost, _)| *lost).map(|(_, lost)| lost));
    Encoded { refusal, ..answer.finish(row.native) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;

    fn event(name: &str, info: &Value) -> Event {
        let payload = json!({"agent_action_name": name, "trajectory_id": "t", "execution_id": "e",
            "timestamp": "2026-10-01T10:00:00Z", "tool_info": info});
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    #[test]
    fn each_action_is_a_call() {
        let shell = event("pre_run_command", &json!({"command_line": "rm -rf /", "cwd": "/w"}));
        assert_eq!(
            (shell.agent, shell.session_id.as_str(), shell.cwd.as_str()),
            (AgentId::Windsurf, "t", "/w")
        );
        assert_eq!(shell.tool.as_ref().unwrap().command.as_deref(), Some("rm -rf /"));
        let edits = json!([{"old_string": "a", "new_string": "b"}]);
        let write = event("pre_write_code", &json!({"file_path": "/w/a.py", "edits": edits}));
        assert_eq!(write.tool.as_ref().unwrap().paths[0].path, "/w/a.py");
        assert!(write.tool.as_ref().unwrap().changes_files());
        let server =
            json!({"mcp_server_name": "db", "mcp_tool_name": "query", "mcp_tool_arguments": {"q": 1}});
        assert_eq!(event("pre_mcp_tool_use", &server).tool.unwrap().name, "mcp__db__query");
        let prompt = event("pre_user_prompt", &json!({"user_prompt": "hi"}));
        assert_eq!((prompt.kind, prompt.text("prompt")), (E::UserPromptSubmit, Some("hi")));
        let done = event("post_cascade_response", &json!({"response": "done"}));
        assert_eq!((done.kind, done.text("last_assistant_message")), (E::Stop, Some("done")));
    }

    #[test]
    fn a_denial_is_an_exit_code_and_the_rest_is_lost() {
        let verdict = Verdict {
            decision: Decision::Deny,
            reason: Some("no".into()),
            context: Some("note".into()),
            ..Verdict::default()
        };
        let before = event("pre_read_code", &json!({"file_path": "/w/.env"}));
        let answer = DIALECT.answer(&before, &verdict);
        assert_eq!((answer.stdout, answer.refusal.as_deref()), (None, Some("no")));
        assert_eq!(answer.lost, [Lost::Context]);
        let after = event("post_read_code", &json!({"file_path": "/w/.env"}));
        let answer = DIALECT.answer(&after, &verdict);
        assert_eq!((answer.refusal, answer.lost), (None, vec![Lost::Block, Lost::Context]));
    }
}
