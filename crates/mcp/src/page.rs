//! Answers that fit: lists in pages, texts cut, secrets taken out. Claude Code warns at 10,000 tokens of one answer and cuts at
//! 25,000; others cut earlier and say less, so no answer comes near.

use serde_json::{Map, Value, json};
use sprag_code::tokens::estimate;
use sprag_scan::scrub::scrub;

/// The most tokens of one answer, estimated.
pub(crate) const MAX_TOKENS: u64 = 8_000;
/// The most characters of one text inside an answer.
const MAX_TEXT_CHARS: usize = 12_000;

/// A text that is cut where it is too long for an answer; the cut says how much is missing.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.chars().count().saturating_sub(most) {
        0 => text.to_owned(),
        more => format!("{} ({more} more characters)", sprag_base::text::cut(text, most)),
    }
}

/// A page of a list: the items from `offset` on that fit, under `key`; `next` is where the following page begins.
pub(crate) fn page(key: &str, items: Vec<Value>, offset: u64, limit: u64) -> Map<String, Value> {
    let total = items.len() as u64;
    let mut shown = Vec::new();
    let mut tokens = 0;
    for item in items.into_iter().skip(offset as usize).take(limit as usize) {
        let item = clean(item);
        tokens += estimate(&item.to_string());
        if tokens > MAX_TOKENS && !shown.is_empty() {
            break;
        }
        shown.push(item);
    }
    let next = offset + shown.len() as u64;
    let mut answer = Map::new();
    answer.insert(key.to_owned(), Value::Array(shown));
    if next < total {
        answer.insert("next".to_owned(), json!(next));
        answer.insert("total".to_owned(), json!(total));
    }
    answer
}

/// Without secrets, empty members and endless texts.
pub(crate) fn clean(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(&scrub(&text), MAX_TEXT_CHARS)),
        Value::Array(items) => Value::Array(items.into_iter().map(clean).collect()),
        Value::Object(members) => {
            let is_empty = |value: &Value| match value {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
                _ => false,
            };
            // A list that is asked for is there when it is empty, too: only what is inside of its items goes.
            let members = members.into_iter().map(|(key, value)| (key, clean(value)));
            Value::Object(members.filter(|(_, value)| value.is_array() || !is_empty(value)).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_everything_once_and_stay_below_the_limit() {
        let items: Vec<Value> =
            (0..400).map(|n| json!({"n": n, "text": "a few words each ".repeat(20)})).collect();
        let (mut seen, mut offset) = (Vec::new(), 0);
        loop {
            let answer = page("items", items.clone(), offset, 1_000);
            assert!(estimate(&Value::Object(answer.clone()).to_string()) <= MAX_TOKENS + 50);
            seen.extend(answer["items"].as_array().unwrap().iter().map(|item| item["n"].as_u64().unwrap()));
            match answer.get("next") {
                Some(next) => offset = next.as_u64().unwrap(),
                None => break,
            }
        }
        assert_eq!(seen, (0..400).collect::<Vec<_>>());
    }

    #[test]
    fn one_item_is_shown_however_long_it_is_and_secrets_never_are() {
        let key = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
        let long = json!({"text": format!("{key} {}", "word ".repeat(20_000))});
        let answer = page("items", vec![long; 8], 0, 10);
        let shown = answer["items"].as_array().unwrap().len();
        assert!((1..8).contains(&shown) && answer["next"] == json!(shown), "{shown}");
        let text = answer["items"][0]["text"].as_str().unwrap();
        assert!(text.ends_with("more characters)") && !text.contains(&key), "{}", cut(text, 80));
    }
}
