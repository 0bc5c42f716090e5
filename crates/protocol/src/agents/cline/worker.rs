//! How it is run for a task, and what it reports of that.

use crate::agents::spec::{TaskInput, WorkerMode, WorkerReport};
use serde_json::Value;

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "cline",
    first: &["--json"],
    last: &[],
    task: TaskInput::Argument,
    budget_option: None,
    read: read_line,
};

fn read_line(line: &Value, report: &mut WorkerReport) {
    let text = |path: &str| line.pointer(path).and_then(Value::as_str);
    match text("/type") {
        Some("hook_event") => text("/taskId").unwrap_or_default().clone_into(&mut report.session),
        Some("error") => report.error = Some(text("/message").unwrap_or("error").to_owned()),
        Some("run_result") => {
            text("/text").unwrap_or_default().clone_into(&mut report.text);
            text("/model/id").unwrap_or_default().clone_into(&mut report.model);
            if let Some(reason) = text("/finishReason").filter(|reason| *reason != "completed") {
                report.error = Some(reason.to_owned());
            }
            // With its subagents, where it has some.
            let used = line.get("aggregateUsage").or_else(|| line.get("usage"));
            let number = |key: &str| used.and_then(|used| used.get(key)?.as_u64()).unwrap_or(0);
            report.cached = number("cacheReadTokens");
            report.input = number("inputTokens").saturating_sub(report.cached);
            report.output = number("outputTokens");
            report.add_dollars(used.and_then(|used| used.get("totalCost")?.as_f64()));
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
            json!({"type": "hook_event", "hookEventName": "agent_start", "taskId": "s1"}),
            json!({"type": "agent_event", "event": {"type": "content_end", "contentType": "text", "text": "I look."}}),
            json!({"type": "run_result", "finishReason": "completed", "text": "all done", "model": {"id": "gpt-5"}, "usage": {"inputTokens": 1}, "aggregateUsage": {"inputTokens": 200, "outputTokens": 10, "cacheReadTokens": 80, "totalCost": 0}}),
        ] {
            read_line(&line, &mut report);
        }
        assert_eq!((report.session.as_str(), report.text.as_str()), ("s1", "all done"));
        assert_eq!((report.input, report.cached, report.output), (120, 80, 10));
        assert_eq!((report.cost_micros, report.error), (None, None));
    }
}
