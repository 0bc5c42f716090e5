//! How it is run for a task, and what it reports of that.

use crate::agents::spec::{TaskInput, WorkerMode, WorkerReport};
use serde_json::Value;

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "copilot",
    first: &["--output-format", "json"],
    last: &[],
    task: TaskInput::Stdin,
    budget_option: None,
    read: read_line,
};

fn read_line(line: &Value, report: &mut WorkerReport) {
    let text = |key: &str| line.get("data").and_then(|data| data.get(key)?.as_str()).unwrap_or_default();
    match line.get("type").and_then(Value::as_str) {
        Some("assistant.message") => {
            text("content").clone_into(&mut report.text);
            text("model").clone_into(&mut report.model);
        }
        Some("session.error") => report.error = Some(text("message").to_owned()),
        // It does not say how many tokens were used.
        Some("result") => {
            let session = line.get("sessionId").and_then(Value::as_str);
            session.unwrap_or_default().clone_into(&mut report.session);
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
            json!({"type": "assistant.message", "data": {"model": "gpt-5", "content": "I look.", "toolRequests": [{}]}}),
            json!({"type": "assistant.message", "data": {"model": "gpt-5", "content": "all done", "toolRequests": []}}),
            json!({"type": "result", "sessionId": "s1", "exitCode": 0, "usage": {"premiumRequests": 1}}),
        ] {
            read_line(&line, &mut report);
        }
        assert_eq!((report.session.as_str(), report.text.as_str()), ("s1", "all done"));
        assert_eq!((report.model.as_str(), report.error), ("gpt-5", None));
    }
}
