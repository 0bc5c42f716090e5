//! What was expected against what came, as a person reads it: aligned for one line, a line diff for more.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// Expected and got, one below the other.
pub(crate) fn aligned(expected: &str, got: &str) -> Vec<String> {
    vec![format!("expected  {expected}"), format!("got       {got}")]
}

/// A text in quotes; nothing is said to be nothing.
pub(crate) fn quoted(text: Option<&str>) -> String {
    match text {
        Some(text) => format!("{text:?}"),
        None => "nothing".to_owned(),
    }
}

/// A text that lacks something, or has something it should not have.
pub(crate) fn contains(wanted: &str, text: Option<&str>, wrong: &str) -> Vec<String> {
    match text {
        Some(text) if text.contains('\n') => {
            let mut lines = vec![format!("expected  {wrong} {wanted:?}"), "got".to_owned()];
            lines.extend(text.lines().map(|line| format!("  | {line}")));
            lines
        }
        text => aligned(&format!("{wrong} {wanted:?}"), &quoted(text)),
    }
}

/// A line diff: `-` was expected, `+` came.
pub(crate) fn lines(expected: &str, got: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(expected, got);
    let mut out = vec!["- expected, + got".to_owned()];
    for group in diff.grouped_ops(3) {
        if out.len() > 1 {
            out.push("  …".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            out.push(format!("{sign} {}", change.value().trim_end_matches('\n')));
        }
    }
    out
}

/// A line diff of values.
pub(crate) fn values(expected: &Value, got: &Value) -> Vec<String> {
    lines(&pretty(expected), &pretty(got))
}

/// A value over several lines, keys in their order; text is itself.
pub(crate) fn pretty(value: &Value) -> String {
    match value {
        Value::Null => "(nothing)\n".to_owned(),
        Value::String(text) => format!("{}\n", text.trim_end_matches('\n')),
        value => format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default()),
    }
}
