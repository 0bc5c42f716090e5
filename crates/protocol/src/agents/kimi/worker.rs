//! How it is run for a task, and what it reports of that.

use crate::agents::spec::{TaskInput, WorkerMode, WorkerReport};
use serde_json::Value;

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "kimi",
    first: &["--output-format", "stream-json"],
    last: &["-p"],
    task: TaskInput::Argument,
    budget_option: None,
    read: read_line,
};

fn read_line(line: &Value, report: &mut WorkerReport) {
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    match text("role") {
        // It does not say how many tokens were used.
        Some("assistant") => text("content").unwrap_or_default().clone_into(&mut report.text),
        Some("meta") if text("type") == Some("session.resume_hint") => {
            text("session_id").unwrap_or_default().clone_into(&mut report.session);
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
            json!({"role": "meta", "type": "system.version", "version": "2.1.0"}),
            json!({"role": "assistant", "content": "I look.", "tool_calls": [{}]}),
            json!({"role": "tool", "tool_call_id": "t1", "content": "fine"}),
            json!({"role": "assistant", "content": "all done"}),
            json!({"role": "meta", "type": "session.resume_hint", "session_id": "s1", "content": "To resume"}),
        ] {
            read_line(&line, &mut report);
        }
        assert_eq!((report.session.as_str(), report.text.as_str()), ("s1", "all done"));
        assert_eq!(
            WORKER.arguments("wade", &["-m".into(), "k3".into()], None).join(" "),
            "--output-format stream-json -m k3 -p wade"
        );
    }
}
