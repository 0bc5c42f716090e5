//! What an external hook printed, read as Claude Code reads it (and the older `result` shape).

use crate::kind::EventKind;
use crate::verdict::{Decision, Verdict};
use serde_json::{Map, Value};

/// Why an external hook's answer does not count. The hook is skipped, or denies when it is a gate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// It ended with an error and gave no answer.
    #[error("exit code {code}{}", last_line(.stderr))]
    Exit {
        /// The exit code.
        code: i32,
        /// What it said on standard error.
        stderr: String,
    },
    /// It printed a JSON object that cannot be read.
    #[error("printed JSON that cannot be read: {0}")]
    Json(String),
    /// It printed an object whose fields are wrong.
    #[error("printed an answer with a wrong field: {0}")]
    Field(String),
}

/// Where programs put the error itself, below its trace.
fn last_line(stderr: &str) -> String {
    match stderr.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => format!(": {line}"),
        None => String::new(),
    }
}

/// Events on which plain text is context for the model.
pub const fn plain_text_is_context(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::SessionStart
            | EventKind::UserPromptSubmit
            | EventKind::UserPromptExpansion
            | EventKind::PostModelSwitch
            | EventKind::SubagentStart
            | EventKind::PreCompact
            | EventKind::WorktreeCreate
    )
}

/// Reads the answer of an external hook: standard output, exit code, standard error.
pub fn read(kind: EventKind, stdout: &str, code: i32, stderr: &str) -> Result<Verdict, AnswerError> {
    let text = stdout.trim();
    let object = (text.starts_with('{') && text.ends_with('}')).then(|| {
        serde_json::from_str::<Map<String, Value>>(text).map_err(|e| AnswerError::Json(e.to_string()))
    });
    let parsed = match object {
        Some(Ok(object)) => Some(from_object(kind, &object)),
        Some(Err(error)) => Some(Err(error)),
        None => None,
    };
    if code == 2 {
        return Ok(exit_two(kind, parsed, text, stderr));
    }
    match parsed {
        Some(Ok(verdict)) => Ok(verdict),
        Some(Err(error)) => Err(error),
        None if code != 0 => Err(AnswerError::Exit { code, stderr: stderr.to_owned() }),
        None => Ok(Verdict {
            context: (plain_text_is_context(kind) && !text.is_empty()).then(|| text.to_owned()),
            ..Verdict::default()
        }),
    }
}

/// Exit code 2 blocks whatever the JSON says; the JSON still gives the reason and other fields.
fn exit_two(
    kind: EventKind,
    parsed: Option<Result<Verdict, AnswerError>>,
    text: &str,
    stderr: &str,
) -> Verdict {
    let mut verdict = match parsed {
        Some(Ok(verdict)) => verdict,
        _ => Verdict::default(),
    };
    if !verdict.decision.stops() || verdict.reason.is_none() {
        let said = [stderr.trim(), text].into_iter().find(|said| !said.is_empty());
        verdict.reason =
            Some(said.unwrap_or("the hook ended with exit code 2 and gave no reason").to_owned());
    }
    verdict.decision = stop_of(kind);
    verdict
}

/// How a stop of this event is called.
pub const fn stop_of(kind: EventKind) -> Decision {
    match kind {
        EventKind::PreToolUse | EventKind::PermissionRequest | EventKind::PreModelSwitch => Decision::Deny,
        _ => Decision::Block,
    }
}

fn from_object(kind: EventKind, object: &Map<String, Value>) -> Result<Verdict, AnswerError> {
    let mut verdict = Verdict::default();
    let text = |map: &Map<String, Value>, key: &str| -> Result<Option<String>, AnswerError> {
        match map.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(AnswerError::Field(format!("`{key}` must be text, not {other}"))),
        }
    };
    verdict.message = text(object, "systemMessage")?;
    if object.get("continue") == Some(&Value::Bool(false)) {
        verdict.stop = Some(text(object, "stopReason")?.unwrap_or_else(|| "stopped by a hook".to_owned()));
    }
    if let Some(word) = text(object, "decision")? {
        verdict.decision = word_of(kind, &word)?;
        verdict.reason = text(object, "reason")?;
    } else if let Some(word) = text(object, "result")? {
        let message = text(object, "message")?;
        match word.as_str() {
            "continue" => verdict.context = message.filter(|m| !m.is_empty()),
            "block" => {
                verdict.decision = stop_of(kind);
                verdict.reason = message;
            }
            _ => return Err(AnswerError::Field(format!("`result` must be continue or block, not {word}"))),
        }
    } else if let Some(message) = object.get("message").and_then(Value::as_str) {
        // A bare `{"message": …}` is for the model where the event can tell it something, else for the user.
        if plain_text_is_context(kind) || kind.has_tool() {
            verdict.context = Some(message.to_owned());
        } else if !message.is_empty() {
            verdict.message.get_or_insert_with(|| message.to_owned());
        }
    }
    if let Some(context) = text(object, "additionalContext")? {
        verdict.context = Some(context);
    }
    if let Some(sequence) = object.get("terminalSequence") {
        verdict.fields.insert("terminalSequence".to_owned(), sequence.clone());
    }
    match object.get("hookSpecificOutput") {
        None | Some(Value::Null) => {}
        Some(Value::Object(specific)) => {
            if let Some(name) = text(specific, "hookEventName")?
                && EventKind::from_name(&name) != Some(kind)
            {
                let want = kind.name();
                return Err(AnswerError::Field(format!(
                    "`hookEventName` is {name}, but the event is {want}"
                )));
            }
            specific_output(kind, specific, &mut verdict, &text)?;
        }
        Some(other) => {
            return Err(AnswerError::Field(format!("`hookSpecificOutput` must be an object, not {other}")));
        }
    }
    if verdict.context.as_ref().is_some_and(|context| context.trim().is_empty()) {
        verdict.context = None;
    }
    Ok(verdict)
}

type Text<'a> = &'a dyn Fn(&Map<String, Value>, &str) -> Result<Option<String>, AnswerError>;

fn specific_output(
    kind: EventKind,
    specific: &Map<String, Value>,
    verdict: &mut Verdict,
    text: Text<'_>,
) -> Result<(), AnswerError> {
    if let Some(word) = text(specific, "permissionDecision")? {
        verdict.decision = match word.as_str() {
            "allow" => Decision::Allow,
            "ask" => Decision::Ask,
            "deny" => Decision::Deny,
            "defer" => Decision::Pass,
            _ => {
                let hint = "must be allow, ask, deny or defer";
                return Err(AnswerError::Field(format!("`permissionDecision` {hint}, not {word}")));
            }
        };
        verdict.reason = text(specific, "permissionDecisionReason")?.or(verdict.reason.take());
    }
    if let Some(Value::Object(decision)) = specific.get("decision") {
        match text(decision, "behavior")?.as_deref() {
            Some("allow") => {
                verdict.decision = Decision::Allow;
                verdict.rewrite = decision.get("updatedInput").cloned();
                if let Some(permissions) = decision.get("updatedPermissions") {
                    verdict.fields.insert("updatedPermissions".to_owned(), permissions.clone());
                }
            }
            Some("deny") => {
                verdict.decision = Decision::Deny;
                verdict.reason = text(decision, "message")?;
                if let Some(interrupt) = decision.get("interrupt") {
                    verdict.fields.insert("interrupt".to_owned(), interrupt.clone());
                }
            }
            other => {
                let got = other.unwrap_or("nothing").to_owned();
                return Err(AnswerError::Field(format!(
                    "`decision.behavior` must be allow or deny, not {got}"
                )));
            }
        }
    }
    for (key, value) in specific {
        match (key.as_str(), value) {
            ("hookEventName" | "permissionDecision" | "permissionDecisionReason" | "decision", _)
            | (_, Value::Null) => {}
            ("additionalContext", _) => verdict.context = text(specific, key)?,
            ("updatedInput", Value::Object(_)) => verdict.rewrite = Some(value.clone()),
            ("updatedInput", other) => {
                return Err(AnswerError::Field(format!("`updatedInput` must be an object, not {other}")));
            }
            ("updatedToolOutput", _) => verdict.output = Some(value.clone()),
            ("action", Value::String(action)) if action != "accept" && kind == EventKind::Elicitation => {
                verdict.fields.insert(key.clone(), value.clone());
            }
            _ => {
                verdict.fields.insert(key.clone(), value.clone());
            }
        }
    }
    Ok(())
}

fn word_of(kind: EventKind, word: &str) -> Result<Decision, AnswerError> {
    Ok(match word {
        "block" | "deny" => stop_of(kind),
        "approve" | "allow" => Decision::Allow,
        "ask" => Decision::Ask,
        "" | "continue" | "pass" => Decision::Pass,
        _ => return Err(AnswerError::Field(format!("`decision` must be block, not {word}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_text_is_context_only_where_the_agent_says_so() {
        let context = |kind| read(kind, "hello\n", 0, "").unwrap().context;
        assert_eq!(context(EventKind::SessionStart).as_deref(), Some("hello"));
        assert_eq!(context(EventKind::UserPromptSubmit).as_deref(), Some("hello"));
        assert_eq!(context(EventKind::PreToolUse), None);
        assert_eq!(context(EventKind::Stop), None);
    }

    #[test]
    fn exit_two_blocks_whatever_the_json_says() {
        let allow = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
        let verdict = read(EventKind::PreToolUse, allow, 2, "no way\n").unwrap();
        assert_eq!((verdict.decision, verdict.reason.as_deref()), (Decision::Deny, Some("no way")));
        let verdict = read(EventKind::Stop, "", 2, "tests fail").unwrap();
        assert_eq!((verdict.decision, verdict.reason.as_deref()), (Decision::Block, Some("tests fail")));
        let verdict = read(EventKind::PreToolUse, "{broken}", 2, "").unwrap();
        assert!(verdict.decision.stops() && verdict.reason.is_some());
    }

    #[test]
    fn other_exit_codes_fail_unless_the_json_is_an_answer() {
        let error = read(EventKind::PreToolUse, "", 1, "\nTraceback\n  line 3\nValueError: no such table\n")
            .unwrap_err();
        assert_eq!(error.to_string(), "exit code 1: ValueError: no such table");
        let deny = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}"#;
        assert_eq!(read(EventKind::PreToolUse, deny, 1, "").unwrap().decision, Decision::Deny);
    }

    #[test]
    fn rubbish_is_named() {
        assert!(matches!(read(EventKind::Stop, "{a}", 0, ""), Err(AnswerError::Json(_))));
        assert!(matches!(read(EventKind::Stop, "{\"a\":1}\n{\"b\":2}", 0, ""), Err(AnswerError::Json(_))));
        let wrong = r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}"#;
        let error = read(EventKind::PreToolUse, wrong, 0, "").unwrap_err();
        assert!(error.to_string().contains("the event is PreToolUse"), "{error}");
        let maybe = r#"{"hookSpecificOutput":{"permissionDecision":"maybe"}}"#;
        assert!(read(EventKind::PreToolUse, maybe, 0, "").unwrap_err().to_string().contains("not maybe"));
    }

    #[test]
    fn the_older_shape_is_understood() {
        let block = read(EventKind::PreToolUse, r#"{"result":"block","message":"stop"}"#, 0, "").unwrap();
        assert_eq!((block.decision, block.reason.as_deref()), (Decision::Deny, Some("stop")));
        let go = read(EventKind::PreToolUse, r#"{"result":"continue","message":"note"}"#, 0, "").unwrap();
        assert_eq!((go.decision, go.context.as_deref()), (Decision::Pass, Some("note")));
    }

    /// Issue 18, 14: a bare message was dropped without a word.
    #[test]
    fn a_bare_message_is_told() {
        let said =
            |kind, text| read(kind, text, 0, "").map(|verdict| (verdict.context, verdict.message)).unwrap();
        let text = r#"{"message":"note"}"#;
        assert_eq!(said(EventKind::PostToolUse, text), (Some("note".to_owned()), None));
        assert_eq!(said(EventKind::SessionStart, text), (Some("note".to_owned()), None));
        assert_eq!(said(EventKind::Stop, text), (None, Some("note".to_owned())));
        assert_eq!(said(EventKind::Stop, r#"{"message":""}"#), (None, None));
        assert_eq!(said(EventKind::Stop, r#"{"message":{"a":1}}"#), (None, None));
    }

    #[test]
    fn a_permission_answer_carries_its_rewrite() {
        let text = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
            "decision": {"behavior": "allow", "updatedInput": {"command": "ls"}}}});
        let verdict = read(EventKind::PermissionRequest, &text.to_string(), 0, "").unwrap();
        assert_eq!((verdict.decision, verdict.rewrite), (Decision::Allow, Some(json!({"command": "ls"}))));
    }
}
