//! How it is run for a task, and what it reports of that.

use crate::agents::spec::{TaskInput, WorkerMode, WorkerReport};
use serde_json::Value;

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "gemini",
    first: &["--output-format", "stream-json", "--prompt", "Do what is asked above."],
    last: &[],
    task: TaskInput::Stdin,
    budget_option: None,
    read: read_line,
};

fn read_line(line: &Value, report: &mut WorkerReport) {
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    match text("type") {
        Some("init") => {
            text("session_id").unwrap_or_default().clone_into(&mut report.session);
            text("model").unwrap_or_default().clone_into(&mut report.model);
        }
        Some("message") if text("role") == Some("assistant") => {
            let said = text("content").unwrap_or_default();
            if line.get("delta").and_then(Value::as_bool) == Some(true) {
                report.text.push_str(said);
            } else {
                said.clone_into(&mut report.text);
            }
        }
        Some("tool_use") => report.text.clear(),
        Some("error") if text("severity") != Some("warning") => {
            report.error = Some(text("message").unwrap_or("error").to_owned());
        }
        Some("result") => {
            if text("status").is_some_and(|status| status != "success") {
                let why = line.get("error").and_then(|error| error.get("message")?.as_str());
                report.error = Some(why.unwrap_or("it did not succeed").to_owned());
            }
            let number =
                |key: &str| line.get("stats").and_then(|stats| stats.get(key)?.as_u64()).unwrap_or(0);
            report.cached = number("cached");
            report.input = number("input_tokens").saturating_sub(report.cached);
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
            json!({"type": "init", "session_id": "s1", "model": "gemini-2.5-pro"}),
            json!({"type": "message", "role": "assistant", "content": "all ", "delta": true}),
            json!({"type": "message", "role": "assistant", "content": "done", "delta": true}),
            json!({"type": "result", "status": "success",
                "stats": {"input_tokens": 120, "cached": 100, "output_tokens": 7}}),
        ] {
            read_line(&line, &mut report);
        }
        assert_eq!((report.session.as_str(), report.text.as_str()), ("s1", "all done"));
        assert_eq!((report.input, report.cached, report.output), (20, 100, 7));
        assert_eq!(report.error, None);
    }
}
