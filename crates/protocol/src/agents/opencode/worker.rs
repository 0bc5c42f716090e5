//! How it is run for a task, and what it reports of that.

use crate::agents::spec::{TaskInput, WorkerMode, WorkerReport};
use serde_json::Value;

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "opencode",
    first: &["run", "--format", "json"],
    last: &[],
    task: TaskInput::Stdin,
    budget_option: None,
    read: read_line,
};

/// Also the form of its descendant.
pub(in crate::agents) fn read_line(line: &Value, report: &mut WorkerReport) {
    let part = line.get("part");
    if let Some(session) = line.get("sessionID").and_then(Value::as_str) {
        session.clone_into(&mut report.session);
    }
    match line.get("type").and_then(Value::as_str) {
        Some("step_start") => report.text.clear(),
        Some("text") => {
            let said = part.and_then(|part| part.get("text")?.as_str());
            report.text.push_str(said.unwrap_or_default());
        }
        Some("step_finish") => {
            let tokens = part.and_then(|part| part.get("tokens"));
            let number = |path: &str| tokens.and_then(|tokens| tokens.pointer(path)?.as_u64()).unwrap_or(0);
            report.input += number("/input") + number("/cache/write");
            report.cached += number("/cache/read");
            report.output += number("/output") + number("/reasoning");
            report.add_dollars(part.and_then(|part| part.get("cost")?.as_f64()));
        }
        Some("error") => {
            let why = line.pointer("/error/data/message").or_else(|| line.pointer("/error/name"));
            report.error = Some(why.and_then(Value::as_str).unwrap_or("error").to_owned());
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
            json!({"type": "step_start", "sessionID": "s1", "part": {}}),
            json!({"type": "text", "sessionID": "s1", "part": {"type": "text", "text": "I look."}}),
            json!({"type": "step_finish", "sessionID": "s1", "part": {"tokens": {"input": 60, "output": 5, "reasoning": 1, "cache": {"read": 40, "write": 2}}, "cost": 0.01}}),
            json!({"type": "step_start", "sessionID": "s1", "part": {}}),
            json!({"type": "text", "sessionID": "s1", "part": {"type": "text", "text": "all done"}}),
            json!({"type": "step_finish", "sessionID": "s1", "part": {"tokens": {"input": 60, "output": 5, "cache": {"read": 40}}, "cost": 0}}),
        ] {
            read_line(&line, &mut report);
        }
        assert_eq!((report.session.as_str(), report.text.as_str()), ("s1", "all done"));
        assert_eq!((report.input, report.cached, report.output), (122, 80, 11));
        assert_eq!((report.cost_micros, report.error), (Some(10_000), None));
    }
}
