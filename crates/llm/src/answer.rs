//! JSON objects in a model's answer: bare, fenced, with prose around, several of them, with trailing commas. Pure.

use serde_json::Value;

/// So many broken pieces are fixed before the rest of the text is passed over.
const MAX_REPAIRS: usize = 64;

/// Every JSON object in the text, in order. What stands inside another is not told again.
pub fn objects(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut repairs = 0;
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('{')).map(|offset| at + offset) {
        let rest = text.get(start..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            at = start + stream.byte_offset();
            found.push(value);
            continue;
        }
        at = start + 1;
        if repairs == MAX_REPAIRS {
            continue;
        }
        repairs += 1;
        let piece = balanced(rest).and_then(|length| rest.get(..length)).unwrap_or_default();
        if let Ok(value) = serde_json::from_str(&without_trailing_commas(piece)) {
            at = start + piece.len();
            found.push(value);
        }
    }
    found
}

/// The object with most of these keys; of equal ones the last, which is what the model settled on.
pub fn best(text: &str, keys: &[&str]) -> Option<Value> {
    let score = |value: &Value| keys.iter().filter(|key| value.get(**key).is_some()).count();
    objects(text).into_iter().filter(|value| score(value) > 0).max_by_key(score)
}

/// How long the piece is until its first brace is closed again.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The same without a comma before a closing brace or bracket.
fn without_trailing_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if !in_string && matches!(c, '}' | ']') {
            let end = out.trim_end().len();
            if out.get(..end).is_some_and(|kept| kept.ends_with(',')) {
                out.truncate(end - 1);
            }
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn bare_fenced_and_with_prose_around() {
        let want = json!({"handoff": ["a } \" {"], "n": {"x": 1}});
        let bare = want.to_string();
        for text in [
            bare.clone(),
            format!("```json\n{bare}\n```"),
            format!("Here it is:\n\n```\n{bare}\n```\nDone."),
            format!("I looked at {{the files}} and {{ \"broken\": }} first. {bare} Hope that helps {{"),
            format!("[{bare}]"),
            "{\"handoff\": [\"a } \\\" {\",], \"n\": {\"x\": 1,},\n}".to_owned(),
        ] {
            assert_eq!(best(&text, &["handoff"]), Some(want.clone()), "{text}");
        }
    }

    #[test]
    fn of_several_objects_the_fullest_then_the_last() {
        let text = r#"{"a":1} {"a":2,"b":1} {"a":3,"b":2} {"other":1}"#;
        assert_eq!(best(text, &["a", "b"]), Some(json!({"a":3,"b":2})));
        assert_eq!(objects(text).len(), 4);
        assert_eq!(best("no object at all", &["a"]), None);
        assert_eq!(best("{\"other\": 1}", &["a"]), None);
        assert_eq!(best("{\"cut\": \"off", &["cut"]), None);
    }

    #[test]
    fn a_flood_of_braces_ends_soon() {
        assert!(objects(&"{".repeat(1 << 16)).is_empty());
        assert!(objects(&"{ x }".repeat(1 << 14)).is_empty());
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[{}\\[\\],:\"\\\\a1 \n]{0,200}") {
            let _ = objects(&text);
        }

        #[test]
        fn an_object_is_found_in_any_prose(before in "[a-z .`\n]{0,40}", after in "[a-z .`}\n]{0,40}", word in "[^\"\\\\]{0,20}") {
            let want = json!({"key": word});
            prop_assert_eq!(best(&format!("{before}{want}{after}"), &["key"]), Some(want));
        }
    }
}
