//! 33 events, whose names are the canonical ones.

use crate::agents::AgentId;
use crate::dialect::{Answer, ContextWay, Dialect, Encoded, Lost, Row, StopWay, reason};
use crate::event::Event;
use crate::kind::EventKind as E;
use crate::verdict::{Decision, Verdict};
use serde_json::{Value, json};

/// Over 10,000 characters the model sees the path of a file and 2,000 characters of it.
const CONTEXT_LIMIT: usize = 9_800;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    agent: AgentId::Claude,
    rows: &ROWS,
    context_limit: CONTEXT_LIMIT,
    detection_order: 3,
    event_aliases: &[],
    is_event: |_, _| true,
    to_canonical: |_, _| {},
    from_canonical: |_, _| Ok(()),
    can_ask: true,
    encode,
    is_host: |_, env| env("CLAUDECODE").is_some(),
};

const fn row(kind: E) -> Row {
    Row::observe(kind, kind.name())
}

/// What each event reads from the answer.
static ROWS: [Row; 33] = [
    row(E::SessionStart)
        .context()
        .message()
        .env_file()
        .fields(&["initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"]),
    row(E::Setup).env_file(),
    row(E::InstructionsLoaded),
    row(E::SessionEnd).patience(1),
    row(E::UserPromptSubmit)
        .stop(StopWay::Decision)
        .context()
        .message()
        .halt()
        .fields(&["sessionTitle", "suppressOriginalPrompt"])
        .patience(30),
    row(E::UserPromptExpansion)
        .stop(StopWay::Decision)
        .context()
        .message()
        .halt()
        .fields(&["suppressOriginalPrompt"]),
    row(E::MessageDisplay).fields(&["displayContent"]).patience(10),
    row(E::PreToolUse).stop(StopWay::Permission).context().message().halt().rewrite(),
    row(E::PermissionRequest).stop(StopWay::Behavior).message().halt().rewrite(),
    row(E::PermissionDenied).message().halt().fields(&["retry"]),
    row(E::PostToolUse)
        .stop(StopWay::Decision)
        .context()
        .message()
        .halt()
        .output()
        .fields(&["classifierContext", "updatedMCPToolOutput"]),
    row(E::PostToolUseFailure).stop(StopWay::Decision).context().message().halt(),
    row(E::PostToolBatch).stop(StopWay::Decision).context().message().halt(),
    row(E::Notification),
    row(E::SubagentStart).context().message(),
    row(E::SubagentStop).stop(StopWay::Decision).context().message().halt(),
    row(E::TaskCreated).stop(StopWay::Decision).message(),
    row(E::TaskCompleted).stop(StopWay::Decision).message().halt(),
    row(E::Stop).stop(StopWay::Decision).context().message().halt(),
    row(E::StopFailure),
    row(E::TeammateIdle).stop(StopWay::Decision).message().halt(),
    row(E::ConfigChange).stop(StopWay::Decision).message(),
    row(E::CwdChanged).message().env_file().fields(&["watchPaths"]),
    row(E::DirectoryAdded).message(),
    row(E::FileChanged).message().env_file().fields(&["watchPaths"]),
    row(E::WorktreeCreate).plain_context(),
    row(E::WorktreeRemove),
    row(E::PreCompact).stop(StopWay::Decision).plain_context(),
    row(E::PostCompact),
    row(E::PreModelSwitch).stop(StopWay::Permission).message().patience(30),
    row(E::PostModelSwitch).context().message().patience(30),
    row(E::Elicitation).stop(StopWay::Action).message().fields(&["action", "content"]),
    row(E::ElicitationResult).stop(StopWay::Action).message().fields(&["action", "content"]),
];

/// Spells a verdict as Claude Code reads it.
pub(crate) fn encode(row: &Row, event: &Event, verdict: &Verdict) -> Encoded {
    if row.context == ContextWay::Plain {
        return encode_plain(row, verdict);
    }
    let mut answer = Answer::default();
    answer.universal(row, verdict);
    decision(&mut answer, row, verdict);
    if let Some(context) = &verdict.context {
        if row.context == ContextWay::Specific {
            answer.specific("additionalContext", context.as_str());
        } else {
            answer.lost.push(Lost::Context);
        }
    }
    if let Some(output) = &verdict.output {
        if row.output {
            answer.specific("updatedToolOutput", in_shape(event.tool_response(), output));
        } else {
            answer.lost.push(Lost::Output);
        }
    }
    for (key, value) in &verdict.fields {
        if row.fields.contains(&key.as_str()) {
            answer.specific(key, value.clone());
        } else if key == "terminalSequence" || key == "env" {
            answer.top(key, value.clone());
        }
    }
    answer.finish(row.native)
}

/// An output that is not in the tool's own shape is ignored, so a hook's plain text takes the place of the text
/// in the result: one hook serves every agent.
fn in_shape(response: Option<&Value>, output: &Value) -> Value {
    let (Some(Value::Object(response)), Value::String(text)) = (response, output) else {
        return output.clone();
    };
    let mut shaped = response.clone();
    if shaped.get("stdout").is_some_and(Value::is_string) {
        shaped.insert("stdout".to_owned(), Value::from(text.as_str()));
        if shaped.contains_key("stderr") {
            shaped.insert("stderr".to_owned(), Value::from(""));
        }
    } else if let Some(content) = shaped.get_mut("file").and_then(|file| file.get_mut("content")) {
        *content = Value::from(text.as_str());
    } else {
        return output.clone();
    }
    Value::Object(shaped)
}

fn decision(answer: &mut Answer, row: &Row, verdict: &Verdict) {
    let rewrite = verdict.rewrite.as_ref();
    match row.stop {
        StopWay::Permission => {
            let word = match verdict.decision {
                Decision::Pass => None,
                Decision::Allow => Some("allow"),
                Decision::Ask => Some("ask"),
                Decision::Deny | Decision::Block => Some("deny"),
            };
            if let Some(word) = word {
                answer.specific("permissionDecision", word);
                if verdict.decision != Decision::Allow || verdict.reason.is_some() {
                    answer.specific("permissionDecisionReason", reason(verdict));
                }
            }
            match rewrite {
                Some(input) if row.rewrite && !verdict.decision.stops() => {
                    answer.specific("updatedInput", input.clone());
                }
                Some(_) if !row.rewrite => answer.lost.push(Lost::Rewrite),
                _ => {}
            }
        }
        StopWay::Behavior => match verdict.decision {
            Decision::Deny | Decision::Block => {
                let mut deny = json!({"behavior": "deny", "message": reason(verdict)});
                if let (Some(deny), Some(interrupt)) = (deny.as_object_mut(), verdict.fields.get("interrupt"))
                {
                    deny.insert("interrupt".to_owned(), interrupt.clone());
                }
                answer.specific("decision", deny);
            }
            Decision::Allow => {
                let mut allow = serde_json::Map::new();
                allow.insert("behavior".to_owned(), Value::from("allow"));
                if let Some(input) = rewrite {
                    allow.insert("updatedInput".to_owned(), input.clone());
                }
                if let Some(permissions) = verdict.fields.get("updatedPermissions") {
                    allow.insert("updatedPermissions".to_owned(), permissions.clone());
                }
                answer.specific("decision", Value::Object(allow));
            }
            // The agent is about to ask: silence lets it.
            Decision::Ask | Decision::Pass => {}
        },
        StopWay::Decision | StopWay::Verb | StopWay::Continue => {
            if verdict.decision.stops() {
                answer.top("decision", "block");
                answer.top("reason", reason(verdict));
            } else if verdict.decision == Decision::Ask {
                answer.lost.push(Lost::Ask);
            }
        }
        StopWay::Action => {
            if verdict.decision.stops() {
                answer.specific("action", "decline");
            }
        }
        StopWay::Never | StopWay::ExitCode => {
            if verdict.decision.stops() {
                answer.lost.push(Lost::Block);
            }
        }
    }
}

/// Events whose answer is text: a JSON object there is either a block or pasted raw into the text.
fn encode_plain(row: &Row, verdict: &Verdict) -> Encoded {
    let mut lost = Vec::new();
    if verdict.message.is_some() {
        lost.push(Lost::Message);
    }
    if verdict.decision.stops() && row.stop == StopWay::Decision {
        let block = json!({"decision": "block", "reason": reason(verdict)});
        return Encoded { stdout: Some(block.to_string()), refusal: None, lost };
    }
    let stdout = verdict.context.clone().filter(|text| !text.trim().is_empty());
    Encoded { stdout, refusal: None, lost }
}
