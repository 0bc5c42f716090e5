//! How it is run for a task, and what it reports of that.

use crate::agents::spec::{TaskInput, WorkerMode, WorkerReport};
use serde_json::Value;

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "droid",
    first: &["exec", "--output-format", "stream-json"],
    last: &[],
    task: TaskInput::Stdin,
    budget_option: None,
    read: read_line,
};

fn read_line(line: &Value, report: &mut WorkerReport) {
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    if let Some(session) = text("session_id") {
        session.clone_into(&mut report.session);
    }
    match text("type") {
        Some("system") => text("model").unwrap_or_default().clone_into(&mut report.model),
        Some("error") => report.error = Some(text("message").unwrap_or("error").to_owned()),
        Some("completion") => {
            text("finalText").unwrap_or_default().clone_into(&mut report.text);
            let number = |key: &str| line.get("usage").and_then(|used| used.get(key)?.as_u64()).unwrap_or(0);
            report.input = number("input_tokens") + number("cache_creation_input_tokens");
            report.cached = number("cache_read_input_tokens");
            report.output = number("output_tokens");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_lines_of_a_run() {
        let mut report = WorkerReport::default();
        for line in [
            json!({"type": "system", "subtype": "init", "session_id": "s1", "model": "gpt-5"}),
            json!({"type": "message", "role": "assistant", "text": "I look.", "session_id": "s1"}),
            json!({"type": "completion", "finalText": "all done", "session_id": "s1", "usage": {"input_tokens": 120, "output_tokens": 10, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 1}}),
        ] {
            read_line(&line, &mut report);
        }
        assert_eq!((report.session.as_str(), report.text.as_str()), ("s1", "all done"));
        assert_eq!(
            (report.model.as_str(), report.input, report.cached, report.output),
            ("gpt-5", 121, 80, 10)
        );
    }
}
