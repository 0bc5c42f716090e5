//! Gemini CLI: 11 events with names of its own, seen with version 0.61. Timeouts in milliseconds.

use crate::agent::AgentId;
use crate::dialect::{
    Answer, AskFallback, ContextWay, Dialect, Encoded, Lost, Row, StopWay, TimeoutUnit, reason,
};
use crate::dialects::codex::{keep_result, shell_result};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The agent states no limit; a reader has one.
const CONTEXT_LIMIT: usize = 9_800;

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    agent: AgentId::Gemini,
    rows: &ROWS,
    unit: TimeoutUnit::Millis,
    context_limit: CONTEXT_LIMIT,
    ask_needs_person: true,
    is_event: |_, _| true,
    to_canonical,
    encode,
    is_host: |raw, env| {
        let event = raw.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        let path = raw.get("transcript_path").and_then(Value::as_str).unwrap_or_default();
        path.contains("/.gemini/")
            || env("GEMINI_SESSION_ID").is_some()
            || ROWS.iter().any(|row| row.native == event && row.native != row.kind.name())
            || event == "BeforeModel"
            || event == "AfterModel"
            || event == "BeforeToolSelection"
    },
};

const fn row(kind: E, native: &'static str) -> Row {
    Row::observe(kind, native)
}

/// What each event reads from the answer.
static ROWS: [Row; 11] = [
    row(E::SessionStart, "SessionStart").context().message(),
    row(E::SessionEnd, "SessionEnd").patience(1),
    row(E::UserPromptSubmit, "BeforeAgent").stop(StopWay::Verb).context().message().halt(),
    row(E::Stop, "AfterAgent").stop(StopWay::Verb).message().halt().waits_for(E::UserPromptSubmit),
    row(E::BeforeModel, "BeforeModel"),
    row(E::AfterModel, "AfterModel"),
    row(E::BeforeToolSelection, "BeforeToolSelection"),
    row(E::PreToolUse, "BeforeTool").stop(StopWay::Verb).message().halt().rewrite().waits_for(E::PostToolUse),
    row(E::PostToolUse, "AfterTool").stop(StopWay::Verb).context().message().halt().output(),
    // It comes before every turn, whether or not anything is compressed: what is said then does not wait.
    row(E::PreCompact, "PreCompress").message(),
    row(E::Notification, "Notification").message(),
];

/// The agent's tools by Claude Code's names; their arguments have the same names where it matters.
const TOOLS: [(&str, &str); 14] = [
    ("run_shell_command", "Bash"),
    ("read_file", "Read"),
    ("read_many_files", "Read"),
    ("write_file", "Write"),
    ("replace", "Edit"),
    ("edit", "Edit"),
    ("glob", "Glob"),
    ("grep_search", "Grep"),
    ("search_file_content", "Grep"),
    ("list_directory", "LS"),
    ("web_fetch", "WebFetch"),
    ("google_web_search", "WebSearch"),
    ("write_todos", "TodoWrite"),
    ("ask_user", "AskUserQuestion"),
];

/// A user's own words: the agent puts what hooks said at the session's start in front of the first prompt.
pub fn own_words(prompt: &str) -> &str {
    let mut rest = prompt;
    while let Some((_, after)) =
        rest.trim_start().strip_prefix("<hook_context>").and_then(|inner| inner.split_once("</hook_context>"))
    {
        rest = after.trim_start();
    }
    rest
}

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    tools_to_canonical(kind, raw);
    if let Some(Value::String(prompt)) = raw.get_mut("prompt") {
        let own = own_words(prompt);
        if own.len() < prompt.len() {
            *prompt = own.to_owned();
        }
    }
    if kind == E::Stop
        && let Some(answer) = raw.get("prompt_response").cloned()
    {
        raw.insert("last_assistant_message".to_owned(), answer);
    }
    if kind == E::SessionEnd && raw.get("reason").and_then(Value::as_str) == Some("exit") {
        raw.insert("reason".to_owned(), Value::from("prompt_input_exit"));
    }
}

/// Tool names, MCP names (`mcp_server_tool`) and shell results in Claude Code's spelling.
pub(crate) fn tools_to_canonical(_kind: E, raw: &mut Map<String, Value>) {
    names_to_canonical(raw);
    shell_result(raw);
}

fn names_to_canonical(raw: &mut Map<String, Value>) {
    let Some(name) = raw.get("tool_name").and_then(Value::as_str) else { return };
    let canonical =
        TOOLS.iter().find(|(native, _)| *native == name).map(|(_, canonical)| (*canonical).to_owned());
    let canonical = canonical.or_else(|| {
        let rest = name.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_'))?;
        let server = raw
            .get("mcp_context")
            .and_then(|context| context.get("server_name"))
            .and_then(Value::as_str)
            .filter(|server| rest.starts_with(*server));
        match server {
            Some(server) => {
                let tool = rest.strip_prefix(server)?.trim_start_matches('_');
                Some(format!("mcp__{server}__{tool}"))
            }
            None => rest.split_once('_').map(|(server, tool)| format!("mcp__{server}__{tool}")),
        }
    });
    if let Some(canonical) = canonical {
        raw.insert("tool_name".to_owned(), Value::from(canonical));
    }
}

fn encode(row: &Row, event: &Event, verdict: &Verdict, _ask: AskFallback) -> Encoded {
    let mut answer = Answer::default();
    let mut verdict = verdict.clone();
    if row.kind == E::PostToolUse {
        keep_result(&mut verdict);
    }
    answer.universal(row, &verdict);
    match (row.stop, verdict.decision) {
        (StopWay::Never, Decision::Deny | Decision::Block) => answer.lost.push(Lost::Block),
        (StopWay::Verb, Decision::Deny | Decision::Block) => {
            answer.top("decision", if row.kind == E::PreToolUse { "deny" } else { "block" });
            answer.top("reason", reason(&verdict));
        }
        (StopWay::Verb, Decision::Ask) if row.kind == E::PreToolUse => {
            answer.top("decision", "ask");
            answer.top("reason", reason(&verdict));
            // The question shows the message, not the reason.
            let message = answer.top.get("systemMessage").and_then(Value::as_str);
            let shown = match message {
                Some(message) => format!("{}\n{message}", reason(&verdict)),
                None => reason(&verdict).to_owned(),
            };
            answer.top("systemMessage", shown);
        }
        (StopWay::Verb, Decision::Allow) if row.kind == E::PreToolUse => answer.top("decision", "allow"),
        (_, Decision::Ask) => answer.lost.push(Lost::Ask),
        _ => {}
    }
    if let Some(input) = &verdict.rewrite {
        if row.rewrite && !verdict.decision.stops() {
            if drops_a_field(event.tool_input(), input) {
                // The agent merges: a field that the rewrite leaves out stays.
                answer.lost.push(Lost::RewriteRemoves);
            }
            answer.specific("tool_input", input.clone());
        } else if !row.rewrite {
            answer.lost.push(Lost::Rewrite);
        }
    }
    if let Some(context) = &verdict.context {
        if row.context == ContextWay::Specific {
            answer.specific("additionalContext", context.as_str());
        } else {
            answer.lost.push(Lost::Context);
        }
    }
    answer.finish(row.native)
}

fn drops_a_field(old: Option<&Value>, new: &Value) -> bool {
    let empty = json!({});
    let old = old.unwrap_or(&empty).as_object();
    old.is_some_and(|old| old.keys().any(|key| new.get(key).is_none()))
}

#[cfg(test)]
mod tests {
    use super::own_words;

    #[test]
    fn what_hooks_said_is_not_what_the_user_said() {
        assert_eq!(own_words("<hook_context>## Git\nBranch: main</hook_context>\n\nplease"), "please");
        assert_eq!(own_words("<hook_context>a</hook_context>\n<hook_context>b</hook_context>\nx"), "x");
        assert_eq!(
            own_words("  mend <hook_context>this</hook_context>"),
            "  mend <hook_context>this</hook_context>"
        );
        assert_eq!(own_words("<hook_context>never closed"), "<hook_context>never closed");
    }
}
