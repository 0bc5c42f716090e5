//! Events named by the file that is run. A denied call gets an input that its tool refuses, and the model the reason:
//! `cancel` would end the whole task.

use super::tools::{TABLE, input_from_canonical, input_to_canonical};
use crate::agents::{AgentId, fields};
use crate::dialect::{Answer, ContextWay, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Cline,
    rows: &ROWS,
    // It cuts at 50,000 characters.
    context_limit: 9_800,
    detection_order: 10,
    event_aliases: &HOOK_NAMES,
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    can_ask: false,
    encode,
    is_host: |raw, _| {
        raw.contains_key("clineVersion") || raw.contains_key("hookName") && raw.contains_key("taskId")
    },
};

const fn row(kind: E, native: &'static str) -> Row {
    Row::observe(kind, native)
}

/// What each event reads from the answer. The names are those of the files.
static ROWS: [Row; 9] = [
    row(E::SessionStart, "TaskStart").waits_for(E::PreToolUse),
    row(E::SessionEnd, "SessionShutdown").patience(1),
    row(E::UserPromptSubmit, "UserPromptSubmit").stop(StopWay::Action).waits_for(E::PreToolUse),
    row(E::PreToolUse, "PreToolUse").stop(StopWay::Action).context().rewrite(),
    row(E::PostToolUse, "PostToolUse").context(),
    row(E::Stop, "TaskComplete").waits_for(E::PreToolUse),
    row(E::StopFailure, "TaskError"),
    row(E::Interrupt, "TaskCancel"),
    row(E::PreCompact, "PreCompact").waits_for(E::PreToolUse),
];

/// The events by the word of the payload.
static HOOK_NAMES: [(&str, E); 10] = [
    ("agent_start", E::SessionStart),
    ("agent_resume", E::SessionStart),
    ("agent_abort", E::Interrupt),
    ("agent_end", E::Stop),
    ("agent_error", E::StopFailure),
    ("tool_call", E::PreToolUse),
    ("tool_result", E::PostToolUse),
    ("prompt_submit", E::UserPromptSubmit),
    ("pre_compact", E::PreCompact),
    ("session_shutdown", E::SessionEnd),
];

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    let root = raw.get("workspaceRoots").and_then(|roots| roots.get(0)).cloned();
    if let Some(root) = root.filter(|_| !raw.contains_key("cwd")) {
        raw.insert("cwd".to_owned(), root);
    }
    let session = raw.get("sessionContext").and_then(|context| context.get("rootSessionId")).cloned();
    if let Some(session) = session.or_else(|| raw.get("taskId").cloned()) {
        raw.entry("session_id").or_insert(session);
    }
    // The main agent has an id too.
    if raw.get("parent_agent_id").is_some_and(Value::is_null) {
        raw.remove("agent_id");
    }
    for (key, field) in [("userPromptSubmit", "prompt"), ("prompt_submit", "prompt")] {
        if let Some(prompt) = raw.get(key).and_then(|said| said.get(field)).cloned() {
            raw.entry("prompt").or_insert(prompt);
        }
    }
    if let Some(text) = raw.get("turn").and_then(|turn| turn.get("outputText")).cloned() {
        raw.entry("last_assistant_message").or_insert(text);
    }
    if !kind.has_tool() {
        return;
    }
    let key = if kind == E::PreToolUse { "tool_call" } else { "tool_result" };
    if let Some(Value::Object(call)) = raw.get(key).cloned() {
        for (from, to) in [("name", "tool_name"), ("input", "tool_input"), ("id", "tool_use_id")] {
            if let Some(value) = call.get(from) {
                raw.entry(to).or_insert_with(|| value.clone());
            }
        }
        if let Some(output) = call.get("output") {
            let text = shown(output);
            raw.entry("tool_response").or_insert(Value::from(text));
        }
    }
    fields::to_canonical(&TABLE, raw);
    input_to_canonical(raw);
    if let Some(text) = raw.get("tool_response").and_then(Value::as_str).map(str::to_owned) {
        fields::set_result(raw, &text);
    }
}

/// What the calls of one tool gave, as text.
fn shown(output: &Value) -> String {
    match output.as_array() {
        Some(results) => {
            let text = |result: &Value| match result.get("result").or_else(|| result.get("error")) {
                Some(Value::String(text)) => text.clone(),
                _ => result.to_string(),
            };
            results.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        None => crate::agents::shared::result_text(output),
    }
}

fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    let word = HOOK_NAMES.iter().find(|(_, event)| *event == kind).map_or("", |(word, _)| *word);
    raw.insert("hookName".to_owned(), word.into());
    raw.insert("clineVersion".to_owned(), "".into());
    if !kind.has_tool() {
        return Ok(());
    }
    fields::from_canonical(&TABLE, raw)?;
    input_from_canonical(raw)
}

/// Tools that refuse an input without the fields they need, before they do anything.
const STRICT: [&str; 5] = ["run_commands", "read_files", "editor", "search_codebase", "fetch_web_content"];

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    let native = event.tool.as_ref().map_or("", |tool| tool.native_name.as_str());
    let stops = verdict.decision.stops() || verdict.decision == Decision::Ask;
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    let mut context = verdict.context.clone();
    match row.kind {
        E::PreToolUse if stops && STRICT.contains(&native) => {
            answer.top("overrideInput", json!({"denied_by": "sprag"}));
            let parts = std::iter::once(denied(reason(verdict))).chain(context.take());
            context = Some(parts.collect::<Vec<_>>().join("\n\n"));
        }
        E::PreToolUse | E::UserPromptSubmit if stops => {
            answer.top("cancel", true);
            answer.top("errorMessage", reason(verdict));
        }
        E::PostToolUse if stops => {
            let parts = std::iter::once(reason(verdict).to_owned()).chain(context.take());
            context = Some(parts.collect::<Vec<_>>().join("\n\n"));
        }
        _ if verdict.decision.stops() => answer.lost.push(Lost::Block),
        _ => {}
    }
    if let Some(input) = verdict.rewrite.as_ref().filter(|_| !stops) {
        let mut raw = Map::new();
        raw.insert("tool_name".to_owned(), native.into());
        raw.insert("tool_input".to_owned(), fields::native_input(&TABLE, native, input));
        let _ = input_from_canonical(&mut raw);
        answer.top("overrideInput", raw.remove("tool_input").unwrap_or_default());
    }
    if verdict.output.is_some() {
        answer.lost.push(Lost::Output);
    }
    match context {
        Some(text) if row.context == ContextWay::Specific => answer.top("contextModification", text),
        Some(_) => answer.lost.push(Lost::Context),
        None => {}
    }
    answer.finish(row.native)
}

/// The tool's own error says only that its input is invalid.
fn denied(reason: &str) -> String {
    format!("The call was denied and did not run; \"Invalid input\" is how that shows. {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;

    fn call(tool: &str, input: &Value) -> Event {
        let payload = json!({"clineVersion": "", "taskId": "conv_1", "sessionContext": {"rootSessionId": "17"},
            "workspaceRoots": ["/p"], "agent_id": "agent_1", "parent_agent_id": null, "hookName": "tool_call",
            "tool_call": {"id": "call_1", "name": tool, "input": input}});
        decode(payload.to_string().as_bytes(), None, &|_| None).unwrap()
    }

    fn told(event: &Event, verdict: &Verdict) -> Value {
        serde_json::from_str(&DIALECT.answer(event, verdict).stdout.unwrap()).unwrap()
    }

    #[test]
    fn a_call_is_read_from_where_it_is() {
        let event = call("run_commands", &json!({"commands": [{"command": "ls"}, "pwd"]}));
        assert_eq!(
            (event.agent, event.kind, event.session_id.as_str()),
            (AgentId::Cline, E::PreToolUse, "17")
        );
        let tool = event.tool.as_ref().unwrap();
        assert_eq!((tool.name.as_str(), tool.command.as_deref()), ("Bash", Some("ls\npwd")));
        assert_eq!((event.cwd.as_str(), event.agent_id.as_deref()), ("/p", None));
        let files = call("read_files", &json!({"files": [{"path": "/a"}, {"path": "/b"}]}));
        assert_eq!(files.tool.unwrap().paths.len(), 2);
    }

    #[test]
    fn a_denial_spoils_the_input_and_tells_why() {
        let deny = Verdict { decision: Decision::Deny, reason: Some("no".into()), ..Verdict::default() };
        let shell = told(&call("run_commands", &json!({"commands": []})), &deny);
        assert_eq!(shell["overrideInput"], json!({"denied_by": "sprag"}));
        assert!(shell["contextModification"].as_str().unwrap().ends_with("no"));
        assert_eq!(
            told(&call("mcp_thing", &json!({})), &deny),
            json!({"cancel": true, "errorMessage": "no"})
        );
    }

    #[test]
    fn a_rewrite_is_a_list_of_commands() {
        let rewrite = Verdict { rewrite: Some(json!({"command": "ls -a"})), ..Verdict::default() };
        let told = told(&call("run_commands", &json!({"commands": [{"command": "ls"}]})), &rewrite);
        assert_eq!(told["overrideInput"], json!({"commands": [{"command": "ls -a"}]}));
    }
}
