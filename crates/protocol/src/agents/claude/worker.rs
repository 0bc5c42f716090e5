//! How it is run for a task, and what it reports of that.

use crate::agents::spec::{TaskInput, WorkerMode, WorkerReport};
use serde_json::Value;

pub(super) const WORKER: WorkerMode = WorkerMode {
    program: "claude",
    first: &["-p", "--output-format", "stream-json", "--verbose"],
    last: &[],
    task: TaskInput::Stdin,
    budget_option: Some("--max-budget-usd"),
    read: read_line,
};

/// Also the form of agents that print theirs in the same words.
pub(crate) fn read_line(line: &Value, report: &mut WorkerReport) {
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    if let Some(session) = text("session_id") {
        session.clone_into(&mut report.session);
    }
    match text("type") {
        Some("system") if text("subtype") == Some("init") => {
            text("model").unwrap_or_default().clone_into(&mut report.model);
        }
        Some("result") => result(line, report),
        _ => {}
    }
}

fn result(line: &Value, report: &mut WorkerReport) {
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    text("result").unwrap_or_default().clone_into(&mut report.text);
    let failed = line.get("is_error").and_then(Value::as_bool) == Some(true)
        || text("subtype").is_some_and(|subtype| subtype != "success");
    if failed {
        let listed = line.get("errors").and_then(|all| all.get(0)?.as_str());
        let why =
            if report.text.is_empty() { listed.or(text("subtype")).unwrap_or("error") } else { &report.text };
        report.error = Some(why.to_owned());
    }
    report.refused =
        line.get("permission_denials").and_then(Value::as_array).map_or(0, |all| all.len() as u64);
    let dollars = line.get("total_cost_usd").and_then(Value::as_f64);
    report.cost_micros = dollars.map(|dollars| (dollars * 1e6).round() as i64);
    let number = |of: &Value, key: &str| of.get(key).and_then(Value::as_u64).unwrap_or(0);
    // By model, subagents included; the other field is the main conversation's.
    let by_model = line.get("modelUsage").and_then(Value::as_object).filter(|models| !models.is_empty());
    if let Some(models) = by_model {
        (report.input, report.cached, report.output) = (0, 0, 0);
        for used in models.values() {
            report.input += number(used, "inputTokens") + number(used, "cacheCreationInputTokens");
            report.cached += number(used, "cacheReadInputTokens");
            report.output += number(used, "outputTokens");
        }
    } else if let Some(used) = line.get("usage") {
        report.input = number(used, "input_tokens") + number(used, "cache_creation_input_tokens");
        report.cached = number(used, "cache_read_input_tokens");
        report.output = number(used, "output_tokens");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_lines_of_a_run() {
        let mut report = WorkerReport::default();
        read_line(
            &json!({"type": "system", "subtype": "init", "session_id": "s1", "model": "opus"}),
            &mut report,
        );
        read_line(&json!({"type": "assistant", "message": {"content": []}, "session_id": "s1"}), &mut report);
        read_line(
            &json!({
                "type": "result", "subtype": "success", "is_error": false, "result": "all done", "session_id": "s1",
                "total_cost_usd": 0.012_345, "permission_denials": [{}],
                "usage": {"input_tokens": 1, "output_tokens": 1},
                "modelUsage": {"opus": {"inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 100,
                    "cacheCreationInputTokens": 20}, "haiku": {"inputTokens": 3, "outputTokens": 1}}
            }),
            &mut report,
        );
        let expected = WorkerReport {
            session: "s1".into(),
            model: "opus".into(),
            text: "all done".into(),
            error: None,
            refused: 1,
            input: 33,
            cached: 100,
            output: 6,
            cost_micros: Some(12_345),
        };
        assert_eq!(report, expected);
        read_line(&json!({"type": "result", "subtype": "error_max_turns", "is_error": true}), &mut report);
        assert_eq!(report.error.as_deref(), Some("error_max_turns"));
    }

    #[test]
    fn nothing_that_skips_permissions_is_passed_unasked() {
        let line = WORKER.arguments("t", &["--model".into(), "opus".into()], Some(2_500_000));
        assert_eq!(
            line.join(" "),
            "-p --output-format stream-json --verbose --max-budget-usd 2.500000 --model opus"
        );
    }
}
