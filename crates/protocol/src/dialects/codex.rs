//! Codex: 12 events with Claude's names and stricter answers, seen with version 0.166.
//! An unknown field, `ask`, or `allow` without a rewrite fails the hook, and the action goes on.

use crate::agent::AgentId;
use crate::dialect::{
    Answer, AskFallback, ContextWay, Dialect, Encoded, Lost, Row, StopWay, TimeoutUnit, ask_as, reason,
};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// The agent spills over 2,500 tokens to a file; this stays below for any script but Chinese prose.
const CONTEXT_LIMIT: usize = 8_000;

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    agent: AgentId::Codex,
    rows: &ROWS,
    unit: TimeoutUnit::Seconds,
    context_limit: CONTEXT_LIMIT,
    ask_needs_person: false,
    is_event: |_, _| true,
    to_canonical: |_, raw| {
        // A tool of a namespace has the namespace's name before its own, with nothing between.
        let name = raw.get("tool_name").and_then(Value::as_str).unwrap_or_default();
        if matches!(name, "spawn_agent" | "collaborationspawn_agent") {
            raw.insert("tool_name".to_owned(), Value::from("Agent"));
        }
        shell_result(raw);
    },
    encode,
    is_host: |raw, env| {
        let path = raw.get("transcript_path").and_then(Value::as_str).unwrap_or_default();
        path.contains("/.codex/")
            || (raw.contains_key("turn_id") && raw.contains_key("model"))
            || (env("CLAUDECODE").is_none() && env("CODEX_HOME").is_some() && env("GEMINI_CLI").is_none())
    },
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 12] = [
    row(E::SessionStart).context().message().halt(),
    row(E::UserPromptSubmit).stop(StopWay::Decision).context().message().halt(),
    row(E::PreToolUse).stop(StopWay::Permission).context().message().rewrite(),
    row(E::PermissionRequest).stop(StopWay::Behavior).message(),
    row(E::PostToolUse).stop(StopWay::Decision).context().message().halt().output(),
    // What should survive a compaction is said at the start after it.
    row(E::PreCompact).stop(StopWay::Continue).message().halt().waits_for(E::SessionStart),
    row(E::PostCompact).message().halt(),
    row(E::SubagentStart).context().message().halt(),
    row(E::SubagentStop).stop(StopWay::Decision).message().halt(),
    row(E::Stop).stop(StopWay::Decision).message().halt().waits_for(E::UserPromptSubmit),
    row(E::Interrupt).message(),
    row(E::SessionEnd).patience(1),
];

fn encode(row: &Row, _event: &Event, verdict: &Verdict, ask: AskFallback) -> Encoded {
    let mut answer = Answer::default();
    let mut verdict = verdict.clone();
    verdict.decision = ask_as(verdict.decision, ask, &mut answer.lost);
    if row.kind == E::PostToolUse {
        keep_result(&mut verdict);
    }
    answer.universal(row, &verdict);
    match row.stop {
        StopWay::Permission => pre_tool(&mut answer, &verdict),
        StopWay::Behavior => match verdict.decision {
            Decision::Deny | Decision::Block => {
                answer.specific("decision", json!({"behavior": "deny", "message": reason(&verdict)}));
            }
            Decision::Allow => answer.specific("decision", json!({"behavior": "allow"})),
            Decision::Ask | Decision::Pass => {}
        },
        StopWay::Decision if verdict.decision.stops() => {
            answer.top("decision", "block");
            answer.top("reason", reason(&verdict));
        }
        StopWay::Continue if verdict.decision.stops() => {
            answer.top("continue", false);
            answer.top("stopReason", reason(&verdict));
        }
        StopWay::Never if verdict.decision.stops() => answer.lost.push(Lost::Block),
        _ => {}
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

/// `allow` is an error here unless it carries a rewrite, and a rewrite is one without `allow`.
fn pre_tool(answer: &mut Answer, verdict: &Verdict) {
    match (verdict.decision, &verdict.rewrite) {
        (Decision::Deny | Decision::Block, _) => {
            answer.specific("permissionDecision", "deny");
            answer.specific("permissionDecisionReason", reason(verdict));
        }
        (_, Some(input)) => {
            answer.specific("permissionDecision", "allow");
            answer.specific("updatedInput", input.clone());
        }
        (Decision::Allow, None) => answer.lost.push(Lost::Allow),
        _ => {}
    }
}

/// A block after the tool replaces the tool's result here; elsewhere it adds to it. A block that has no
/// other output to show therefore goes beside the result.
pub(crate) fn keep_result(verdict: &mut Verdict) {
    if let Some(output) = verdict.output.take() {
        let shown = shown(&output);
        let reason = verdict.reason.take().filter(|_| verdict.decision.stops());
        verdict.decision = Decision::Block;
        verdict.reason = Some(match reason {
            Some(reason) => format!("{reason}\n\n{shown}"),
            None => shown,
        });
    } else if verdict.decision.stops() {
        let reason = reason(verdict).to_owned();
        verdict.context = Some(match verdict.context.take() {
            Some(context) => format!("{reason}\n\n{context}"),
            None => reason,
        });
        verdict.decision = Decision::Pass;
    }
}

/// A shell's result as Claude Code has it, beside what the agent sent.
pub(crate) fn shell_result(raw: &mut Map<String, Value>) {
    if raw.get("tool_name").and_then(Value::as_str) != Some("Bash") {
        return;
    }
    let Some(response) = raw.get_mut("tool_response") else { return };
    if let Value::String(text) = response {
        *response = json!({"stdout": std::mem::take(text)});
    }
    let Value::Object(response) = response else { return };
    // The process's id would make every result another one.
    if let Some(Value::String(text)) = response.get_mut("llmContent") {
        let lines = text.lines().filter(|line| !line.starts_with("Process Group PGID: "));
        *text = lines.collect::<Vec<_>>().join("\n");
    }
    if let Some(shown) = response.get("returnDisplay").filter(|shown| shown.is_string()).cloned() {
        response.entry("stdout").or_insert(shown);
    }
    if response.contains_key("stdout") {
        for (key, value) in [("stderr", json!("")), ("interrupted", json!(false)), ("isImage", json!(false))]
        {
            response.entry(key).or_insert(value);
        }
    }
}

/// The text of an output, whichever tool's shape it has.
fn shown(output: &Value) -> String {
    let inner = ["stdout", "llmContent", "content"].iter().find_map(|key| output.get(key)?.as_str());
    match inner.or(output.as_str()) {
        Some(text) => text.to_owned(),
        None => output.to_string(),
    }
}
