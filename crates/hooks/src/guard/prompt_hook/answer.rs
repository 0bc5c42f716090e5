//! What the model answered: `{ok, reason}` or `{decision, reason, continue, stopReason, systemMessage}`, also fenced or
//! with prose around. Pure.

use serde_json::Value;
use sprag_llm::answer::best;
use sprag_protocol::Decision;

/// What a model said.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// Pass, ask or block.
    pub(super) decision: Decision,
    /// Why.
    pub(super) reason: Option<String>,
    /// A message for the user.
    pub(super) message: Option<String>,
    /// The whole agent shall stop.
    pub(super) stop: Option<String>,
    /// It says that the check cannot be met.
    pub(super) impossible: bool,
}

/// Why an answer cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    #[error("the model's answer has a wrong field: `{key}` is {value}")]
    Field { key: &'static str, value: String },
    #[error("the model's answer is none of the known shapes: {0:?}")]
    Unreadable(String),
}

/// The keys by which an answer is known.
const KEYS: [&str; 7] = ["ok", "decision", "reason", "continue", "stopReason", "systemMessage", "impossible"];

/// Reads an answer. Where its parts contradict each other, the stricter one counts.
pub(super) fn read(text: &str) -> Result<Said, AnswerError> {
    let object = best(text, &KEYS).ok_or_else(|| unreadable(text))?;
    let words = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let ok = object.get("ok").map(|value| switch(value).ok_or_else(|| wrong("ok", value))).transpose()?;
    let word = match object.get("decision") {
        None | Some(Value::Null) => None,
        Some(value) => Some(decision(value).ok_or_else(|| wrong("decision", value))?),
    };
    let goes_on = object
        .get("continue")
        .map(|value| switch(value).ok_or_else(|| wrong("continue", value)))
        .transpose()?;
    if ok.is_none() && word.is_none() && goes_on.is_none() {
        return Err(unreadable(text));
    }
    let decision = match (ok, word) {
        (Some(false), _) | (_, Some(Decision::Block)) => Decision::Block,
        (_, Some(word)) => word,
        _ => Decision::Pass,
    };
    let stop = (goes_on == Some(false)).then(|| {
        words("stopReason").or_else(|| words("reason")).unwrap_or_else(|| "stopped by a check".to_owned())
    });
    Ok(Said {
        decision,
        reason: words("reason"),
        message: words("systemMessage"),
        stop,
        impossible: object.get("impossible").and_then(switch).unwrap_or(false),
    })
}

/// `true`, also as models write it.
fn switch(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::String(word) if word.eq_ignore_ascii_case("true") => Some(true),
        Value::String(word) if word.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

fn decision(value: &Value) -> Option<Decision> {
    match value.as_str()?.to_ascii_lowercase().as_str() {
        "approve" | "allow" | "pass" | "continue" => Some(Decision::Pass),
        "ask" => Some(Decision::Ask),
        "block" | "deny" | "reject" => Some(Decision::Block),
        _ => None,
    }
}

fn wrong(key: &'static str, value: &Value) -> AnswerError {
    AnswerError::Field { key, value: value.to_string().chars().take(60).collect() }
}

fn unreadable(text: &str) -> AnswerError {
    AnswerError::Unreadable(text.trim().chars().take(120).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decided(text: &str) -> Option<(Decision, Option<String>)> {
        read(text).ok().map(|said| (said.decision, said.reason))
    }

    #[test]
    fn both_shapes_bare_fenced_and_with_prose_around() {
        let no = Some((Decision::Block, Some("no tests".to_owned())));
        for text in [
            r#"{"ok": false, "reason": "no tests"}"#,
            "```json\n{\"ok\": false, \"reason\": \"no tests\"}\n```",
            "I looked at it.\n\n{\"ok\": false, \"reason\": \"no tests\",}\nHope that helps {",
            r#"{"decision": "block", "reason": "no tests"}"#,
            "```\n{\"decision\": \"DENY\", \"reason\": \"no tests\"}\n```",
            r#"{"ok": "false", "reason": "no tests"}"#,
        ] {
            assert_eq!(decided(text), no, "{text}");
        }
        for text in
            [r#"{"ok": true}"#, r#"{"decision": "approve"}"#, r#"{"continue": true}"#, r#"{"ok":"True"}"#]
        {
            assert_eq!(decided(text), Some((Decision::Pass, None)), "{text}");
        }
        assert_eq!(
            decided(r#"{"decision": "ask", "reason": "?"}"#),
            Some((Decision::Ask, Some("?".to_owned())))
        );
    }

    #[test]
    fn the_whole_of_the_second_shape() {
        let said = read(
            r#"{"decision":"block","reason":"r","continue":false,"stopReason":"enough","systemMessage":"look"}"#,
        )
        .unwrap();
        assert_eq!(said.decision, Decision::Block);
        assert_eq!((said.stop.as_deref(), said.message.as_deref()), (Some("enough"), Some("look")));
        let alone = read(r#"{"continue": false, "reason": "r"}"#).unwrap();
        assert_eq!((alone.decision, alone.stop.as_deref()), (Decision::Pass, Some("r")));
    }

    #[test]
    fn what_contradicts_itself_is_a_no_and_what_says_nothing_an_error() {
        assert_eq!(decided(r#"{"ok": true, "decision": "block"}"#), Some((Decision::Block, None)));
        assert_eq!(decided(r#"{"ok": false, "decision": "approve"}"#), Some((Decision::Block, None)));
        for text in [
            "", "looks good to me", r#"{"reason": "no tests"}"#, r#"{"ok": 1}"#, r#"{"decision": "maybe"}"#,
            r#"{"answer": true}"#, "{\"ok\": tr",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[{}\":a-z ,truefalsok\n`]{0,120}") {
            let _ = read(&text);
        }
    }
}
