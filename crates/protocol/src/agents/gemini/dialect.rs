//! 11 events with names of its own.

use super::tools;
use crate::agents::AgentId;
use crate::agents::shared::keep_result;
use crate::dialect::{Answer, ContextWay, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::respell::NoSuchTool;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The agent states no limit; a reader has one.
const CONTEXT_LIMIT: usize = 9_800;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Gemini,
    rows: &ROWS,
    context_limit: CONTEXT_LIMIT,
    detection_order: 0,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical,
    from_canonical,
    can_ask: true,
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

/// A user's own words: the agent puts what hooks said at the session's start in front of the first prompt.
pub(super) fn own_words(prompt: &str) -> &str {
    let mut rest = prompt;
    while let Some((_, after)) =
        rest.trim_start().strip_prefix("<hook_context>").and_then(|inner| inner.split_once("</hook_context>"))
    {
        rest = after.trim_start();
    }
    rest
}

fn to_canonical(kind: E, raw: &mut Map<String, Value>) {
    tools::to_canonical(raw);
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

/// The inverse of [`to_canonical`], for cases that are written in canonical spelling.
fn from_canonical(kind: E, raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    if kind.has_tool() {
        tools::from_canonical(raw)?;
    }
    for key in ["effort", "prompt_id", "permission_mode", "tool_use_id"] {
        raw.remove(key);
    }
    raw.insert("timestamp".to_owned(), "2026-11-15T09:02:59.120Z".into());
    if let Some(said) = raw.remove("last_assistant_message") {
        raw.insert("prompt_response".to_owned(), said);
    }
    if raw.get("reason").and_then(Value::as_str) == Some("prompt_input_exit") {
        raw.insert("reason".to_owned(), "exit".into());
    }
    Ok(())
}

fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
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
            own_words("  fix <hook_context>this</hook_context>"),
            "  fix <hook_context>this</hook_context>"
        );
        assert_eq!(own_words("<hook_context>never closed"), "<hook_context>never closed");
    }
}
