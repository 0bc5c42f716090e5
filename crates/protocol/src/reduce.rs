//! JSON beyond the limits of the parser, made smaller: what is nested too deeply becomes `null`, a number that no float
//! holds becomes `0`. Without recursion, so that no depth of a payload can end the process.

use serde::de::IgnoredAny;

/// Deeper values are left out; the parser itself ends at 128.
const MAX_DEPTH: usize = 100;

/// The text without what is beyond the limits; `None` when it is no JSON.
pub(crate) fn reduce(text: &str) -> Option<String> {
    // The grammar alone, by a loop: no depth and no number is too much for it.
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let mut out = String::with_capacity(text.len().min(1 << 20));
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => string_end(rest),
            '-' | '0'..='9' => rest
                .find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
                .unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at_checked(end)?;
        match first {
            '{' | '[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    if depth == MAX_DEPTH + 1 {
                        out.push_str("null");
                    }
                } else {
                    out.push(first);
                }
            }
            '}' | ']' => {
                if depth <= MAX_DEPTH {
                    out.push(first);
                }
                depth = depth.saturating_sub(1);
            }
            _ if depth > MAX_DEPTH => {}
            '-' | '0'..='9' if !token.parse::<f64>().is_ok_and(f64::is_finite) => out.push('0'),
            _ => out.push_str(token),
        }
        rest = after;
    }
    Some(out)
}

/// The length of the string that a text begins with, quotes included.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// A value inside `depth` arrays and objects.
    fn nested(depth: usize, inner: &str) -> String {
        let open: String = (0..depth).map(|at| if at % 2 == 0 { "[" } else { "{\"k\":" }).collect();
        let close: String = (0..depth).rev().map(|at| if at % 2 == 0 { "]" } else { "}" }).collect();
        format!("{open}{inner}{close}")
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::hash_map(".*", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_within_the_limits_stays(value in json()) {
            let text = value.to_string();
            prop_assert_eq!(reduce(&text).unwrap(), text);
        }

        #[test]
        fn beside_any_depth_the_rest_stays(value in json(), depth in 0_usize..2_000, text in ".*") {
            let inner = serde_json::to_string(&text).unwrap();
            let payload = format!("{{\"deep\":{},\"beside\":{value}}}", nested(depth, &inner));
            let reduced = reduce(&payload).unwrap();
            let parsed: Value = serde_json::from_str(&reduced).unwrap();
            prop_assert_eq!(&parsed["beside"], &serde_json::from_str::<Value>(&value.to_string()).unwrap());
        }

        #[test]
        fn any_text_is_refused_or_becomes_json(text in ".*") {
            if let Some(reduced) = reduce(&text) {
                prop_assert!(serde_json::from_str::<Value>(&reduced).is_ok(), "{}", reduced);
            }
        }
    }
}
