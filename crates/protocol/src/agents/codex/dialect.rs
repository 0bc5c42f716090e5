//! 12 events with Claude Code's names and stricter answers.
//! An unknown field, `ask`, or `allow` without a rewrite fails the hook, and the action goes on.

use super::tools;
use crate::agents::AgentId;
use crate::agents::shared::keep_result;
use crate::dialect::{Answer, ContextWay, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::{Decision, Verdict};
use serde_json::{Value, json};

/// The agent spills over 2,500 tokens to a file; this stays below for any script but Chinese prose.
const CONTEXT_LIMIT: usize = 8_000;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Codex,
    rows: &ROWS,
    context_limit: CONTEXT_LIMIT,
    detection_order: 2,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical: tools::to_canonical,
    from_canonical: tools::from_canonical,
    can_ask: false,
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

fn encode(row: &Row, _event: &Event, verdict: &Verdict) -> Encoded {
    let mut answer = Answer::default();
    let mut verdict = verdict.clone();
    if verdict.decision == Decision::Ask {
        verdict.decision = Decision::Deny;
    }
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
