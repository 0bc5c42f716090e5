//! How it is run for a task, and what it reports of that.

use crate::agents::spec::{TaskInput, WorkerMode, WorkerReport};
use serde_json::Value;

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "codex",
    first: &["exec", "--json"],
    last: &["-"],
    task: TaskInput::Stdin,
    budget_option: None,
    read: read_line,
};

fn read_line(line: &Value, report: &mut WorkerReport) {
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    match text("type") {
        Some("thread.started") => text("thread_id").unwrap_or_default().clone_into(&mut report.session),
        Some("item.completed") => {
            let item = line.get("item");
            let of_item = |key: &str| item.and_then(|item| item.get(key)).and_then(Value::as_str);
            match of_item("type") {
                Some("agent_message") => of_item("text").unwrap_or_default().clone_into(&mut report.text),
                Some("command_execution" | "file_change") if of_item("status") == Some("declined") => {
                    report.refused += 1;
                }
                _ => {}
            }
        }
        Some("turn.completed") => {
            let number = |key: &str| line.get("usage").and_then(|used| used.get(key)?.as_u64()).unwrap_or(0);
            // What it reads from the cache is a part of what it reads.
            let cached = number("cached_input_tokens");
            report.input += number("input_tokens").saturating_sub(cached);
            report.cached += cached;
            report.output += number("output_tokens");
            report.error = None;
        }
        Some("turn.failed") => {
            let why = line.get("error").and_then(|error| error.get("message")?.as_str());
            report.error = Some(why.unwrap_or("the turn failed").to_owned());
        }
        Some("error") => report.error = Some(text("message").unwrap_or("error").to_owned()),
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
            json!({"type": "thread.started", "thread_id": "t1"}),
            json!({"type": "turn.started"}),
            json!({"type": "item.completed", "item": {"type": "command_execution", "status": "declined"}}),
            json!({"type": "item.completed", "item": {"type": "agent_message", "text": "all done"}}),
            json!({"type": "turn.completed",
                "usage": {"input_tokens": 120, "cached_input_tokens": 100, "output_tokens": 7}}),
        ] {
            read_line(&line, &mut report);
        }
        assert_eq!((report.session.as_str(), report.text.as_str()), ("t1", "all done"));
        assert_eq!((report.input, report.cached, report.output, report.refused), (20, 100, 7, 1));
        assert_eq!(report.error, None);
        read_line(&json!({"type": "turn.failed", "error": {"message": "no quota"}}), &mut report);
        assert_eq!(report.error.as_deref(), Some("no quota"));
        assert_eq!(WORKER.arguments("t", &[], Some(1)).join(" "), "exec --json -");
    }
}
