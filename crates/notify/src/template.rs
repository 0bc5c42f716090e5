//! The JSON of a webhook: a template of the user's, whose texts have words in braces. It is filled as a value, not as text, so
//! that nothing in a message can become a part of it.

use crate::Message;
use serde_json::{Map, Value};

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("[notify] template is not JSON: {0}")]
pub struct TemplateError(String);

/// The body for a message; without a template an object with all of it.
pub(crate) fn filled(template: &str, message: &Message) -> Result<Value, TemplateError> {
    let Ok(Value::Object(words)) = serde_json::to_value(message) else { return Ok(Value::Null) };
    if template.trim().is_empty() {
        return Ok(Value::Object(words));
    }
    let template = serde_json::from_str(template).map_err(|error| TemplateError(error.to_string()))?;
    Ok(fill(template, &words))
}

fn fill(value: Value, words: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) => Value::String(fill_text(&text, words)),
        Value::Array(items) => Value::Array(items.into_iter().map(|item| fill(item, words)).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, value)| (key, fill(value, words))).collect())
        }
        other => other,
    }
}

/// One pass: what a word stands for is not looked through again.
fn fill_text(text: &str, words: &Map<String, Value>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let word =
            after.split_once('}').and_then(|(name, behind)| Some((words.get(name)?.as_str()?, behind)));
        if let Some((value, behind)) = word {
            out.push_str(value);
            rest = behind;
        } else {
            out.push('{');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_replaced_in_texts_and_cannot_break_out() {
        let message = Message { title: "{text}\"}, {".into(), text: "a\nb".into(), ..Message::default() };
        let template = r#"{"content": "{title}: {text} {unknown} {", "n": 1, "list": ["{text}"]}"#;
        let body = filled(template, &message).unwrap();
        assert_eq!(body, json!({"content": "{text}\"}, {: a\nb {unknown} {", "n": 1, "list": ["a\nb"]}));
        assert_eq!(filled("", &message).unwrap()["text"], "a\nb");
        assert!(filled("{text}", &message).unwrap_err().to_string().contains("not JSON"));
    }
}
