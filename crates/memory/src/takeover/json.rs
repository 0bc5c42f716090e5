//! Memories in JSON: lines, a list, or an object with a list, with the names that other programs have for the same.

use crate::recall::Draft;
use crate::recall::chunks::chunks;
use serde_json::Value;

/// The memories of a text. Every line of JSON with a text is one; anything else is a text in parts.
pub fn drafts(text: &str, base: &Draft) -> Vec<Draft> {
    let lists = ["results", "memories", "data", "items"];
    let values: Option<Vec<Value>> = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(list)) => Some(list),
        Ok(value @ Value::Object(_)) => {
            let list = lists.iter().find_map(|key| value.get(key)?.as_array().cloned());
            Some(list.unwrap_or_else(|| vec![value]))
        }
        _ => text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| serde_json::from_str(line).ok())
            .collect(),
    };
    match values {
        Some(values) if !values.is_empty() => {
            values.iter().filter_map(|value| from_json(value, base)).collect()
        }
        _ => chunks(text).into_iter().map(|part| Draft { text: part, ..base.clone() }).collect(),
    }
}

/// A memory of JSON.
fn from_json(value: &Value, base: &Draft) -> Option<Draft> {
    let text = |keys: &[&str]| keys.iter().find_map(|key| value.get(key)?.as_str()).map(str::to_owned);
    let listed = |tags: &Value| -> Vec<String> {
        match tags {
            Value::Array(list) => list.iter().filter_map(|tag| tag.as_str().map(str::to_owned)).collect(),
            Value::String(text) => {
                text.split([',', ' ']).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    };
    let own: Vec<String> =
        ["tags", "categories"].iter().filter_map(|key| value.get(key)).flat_map(listed).collect();
    let mut tags = base.tags.clone();
    tags.extend(own);
    let kind = text(&["kind", "type", "learning_type"])
        .or_else(|| value.get("metadata")?.get("type")?.as_str().map(str::to_owned));
    Some(Draft {
        text: value
            .as_str()
            .map(str::to_owned)
            .or_else(|| text(&["text", "content", "learning", "memory"]))?,
        kind: kind.map_or_else(|| base.kind.clone(), |kind| kind.to_lowercase().replace('_', "-")),
        tags,
        session: text(&["session", "session_id", "run_id"]).unwrap_or_else(|| base.session.clone()),
        importance: value.get("importance").and_then(Value::as_i64).unwrap_or(base.importance),
        valid_from: text(&["valid_from", "created_at", "created"]).and_then(|at| super::time_of(&at)),
        ..base.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_lines_lists_and_plain_texts() {
        let base = Draft { kind: "note".into(), ..Draft::default() };
        let texts = |text: &str| -> Vec<(String, String)> {
            drafts(text, &base).into_iter().map(|draft| (draft.kind, draft.text)).collect()
        };
        let pair = |kind: &str, text: &str| (kind.to_owned(), text.to_owned());
        assert_eq!(
            texts("{\"text\":\"one\"}\n{\"content\":\"two\",\"type\":\"ERROR_FIX\"}\n"),
            [pair("note", "one"), pair("error-fix", "two")]
        );
        assert_eq!(texts("[\"one\", {\"text\": \"two\"}]"), [pair("note", "one"), pair("note", "two")]);
        assert_eq!(texts("# A\none\n# B\ntwo\n"), [pair("note", "A\none"), pair("note", "B\ntwo")]);
    }

    #[test]
    fn an_export_with_its_list_inside() {
        let text = r#"{"results": [{"id": "1", "memory": "Works at night", "categories": ["habits"], "created_at": "2026-03-01T10:00:00-07:00"}]}"#;
        let got = drafts(text, &Draft::default());
        assert_eq!(
            (got[0].text.as_str(), got[0].tags.as_slice()),
            ("Works at night", ["habits".to_owned()].as_slice())
        );
        assert_eq!(got[0].valid_from, super::super::time_of("2026-03-01 10:00:00"));
    }
}
