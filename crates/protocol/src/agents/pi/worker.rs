//! How it is run for a task, and what it reports of that.

use crate::agents::spec::{TaskInput, WorkerMode, WorkerReport};
use serde_json::Value;

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "pi",
    first: &["-p", "--mode", "json"],
    last: &[],
    task: TaskInput::Stdin,
    budget_option: None,
    read: read_line,
};

fn read_line(line: &Value, report: &mut WorkerReport) {
    let text = |path: &str| line.pointer(path).and_then(Value::as_str);
    match text("/type") {
        Some("session") => text("/id").unwrap_or_default().clone_into(&mut report.session),
        Some("message_end") if text("/message/role") == Some("assistant") => {
            let parts = line.pointer("/message/content").and_then(Value::as_array);
            let said = parts.into_iter().flatten().filter_map(|part| part.get("text")?.as_str());
            report.text = said.collect();
            text("/message/model").unwrap_or_default().clone_into(&mut report.model);
            let failed = matches!(text("/message/stopReason"), Some("error" | "aborted"));
            report.error =
                failed.then(|| text("/message/errorMessage").unwrap_or("it was aborted").to_owned());
            let number = |key: &str| {
                let used = line.pointer("/message/usage");
                used.and_then(|used| used.get(key)?.as_u64()).unwrap_or(0)
            };
            report.input += number("input") + number("cacheWrite");
            report.cached += number("cacheRead");
            report.output += number("output");
            report.add_dollars(line.pointer("/message/usage/cost/total").and_then(Value::as_f64));
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
            json!({"type": "session", "version": 3, "id": "s1"}),
            json!({"type": "message_end", "message": {"role": "user", "content": [{"type": "text", "text": "please"}]}}),
            json!({"type": "message_end", "message": {"role": "assistant", "content": [{"type": "text", "text": "I look."}, {"type": "toolCall"}], "model": "m1", "usage": {"input": 60, "output": 5, "cacheRead": 40, "cost": {"total": 0.02}}, "stopReason": "toolUse"}}),
            json!({"type": "message_end", "message": {"role": "assistant", "content": [{"type": "text", "text": "all done"}], "model": "m1", "usage": {"input": 60, "output": 5, "cacheRead": 40, "cost": {"total": 0}}, "stopReason": "stop"}}),
        ] {
            read_line(&line, &mut report);
        }
        assert_eq!((report.session.as_str(), report.text.as_str()), ("s1", "all done"));
        assert_eq!((report.input, report.cached, report.output), (120, 80, 10));
        assert_eq!((report.cost_micros, report.error), (Some(20_000), None));
    }
}
