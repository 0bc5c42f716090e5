//! `sprag logs --sarif`: what was stopped, asked about or failed, as SARIF 2.1.0 for tools that collect findings.

use serde_json::{Value, json};
use sprag_runtime::journal::{Entry, Run};
use sprag_runtime::summary::hook_name;
use std::collections::BTreeMap;

/// True for an event in which something was stopped, asked about or warned of, or a hook failed.
pub(super) fn is_finding(entry: &Entry) -> bool {
    entry.error.is_some() || entry.runs.iter().any(|run| level(run).is_some())
}

/// How bad a run is; `None` for one that has nothing to report.
fn level(run: &Run) -> Option<&'static str> {
    if run.error.is_some() {
        return Some("error");
    }
    match run.verdict.as_str() {
        "deny" | "block" if !run.shadow => Some("error"),
        "deny" | "block" | "ask" => Some("warning"),
        // A guard that only warns says so in a note.
        _ if hook_name(run) == "injection-scan" && run.chars > 0 => Some("warning"),
        _ => None,
    }
}

/// The report of some entries.
pub(super) fn report(entries: &[&Entry]) -> Value {
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    let mut results = Vec::new();
    for entry in entries {
        for run in &entry.runs {
            let Some(level) = level(run) else { continue };
            let hook = hook_name(run);
            let rule = run.rule.as_ref().map_or_else(|| hook.to_owned(), |rule| format!("{hook}/{rule}"));
            rules.entry(rule.clone()).or_insert_with(|| hook.to_owned());
            results.push(result(entry, run, &rule, level));
        }
    }
    let rules: Vec<Value> = rules
        .into_iter()
        .map(|(id, hook)| json!({"id": id, "properties": {"hook": hook, "explain": format!("sprag hooks show {hook}")}}))
        .collect();
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": {"driver": {"name": "sprag", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    })
}

fn result(entry: &Entry, run: &Run, rule: &str, level: &str) -> Value {
    let failed = run.error.as_ref().map(|error| format!("the hook failed: {error}"));
    let said = failed.or_else(|| run.reason.clone()).unwrap_or_else(|| match run.verdict.as_str() {
        "" | "pass" => "a warning was given to the model".to_owned(),
        verdict => format!("{} was answered with {verdict}", entry.tool.as_deref().unwrap_or(&entry.event)),
    });
    let mut properties = json!({
        "time": entry.t, "agent": entry.agent, "session": entry.session, "event": entry.event,
        "verdict": run.verdict,
    });
    if let Some(fields) = properties.as_object_mut() {
        let more = [
            ("tool", entry.tool.as_deref()),
            ("stop", entry.stop.as_ref().map(|stop| stop.id.as_str())),
            ("call", entry.stop.as_ref().map(|stop| stop.shown.as_str()).filter(|shown| !shown.is_empty())),
            ("matched", run.matched.as_deref()),
        ];
        let known = more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?))));
        fields.extend(known);
        if run.shadow {
            fields.insert("shadow".to_owned(), json!(true));
        }
    }
    let mut result = json!({
        "ruleId": rule, "level": level, "message": {"text": said}, "properties": properties,
    });
    if let Some(fields) = result.as_object_mut()
        && !entry.cwd.is_empty()
    {
        let place = json!([{"physicalLocation": {"artifactLocation": {"uri": uri(&entry.cwd)}}}]);
        fields.insert("locations".to_owned(), place);
    }
    result
}

/// A folder as a `file:` address.
fn uri(folder: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::from("file://");
    for byte in folder.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(run: Run) -> Entry {
        Entry { cwd: "/a b".into(), tool: Some("Bash".into()), runs: vec![run], ..Entry::default() }
    }

    #[test]
    fn a_stop_is_an_error_with_its_rule_and_a_pass_is_nothing() {
        let stop = entry(Run {
            hook: "command-guard (again)".into(),
            verdict: "deny".into(),
            rule: Some("git.reset-hard".into()),
            reason: Some("loses work".into()),
            ..Run::default()
        });
        let pass = entry(Run { hook: "command-guard".into(), verdict: "pass".into(), ..Run::default() });
        assert!(is_finding(&stop) && !is_finding(&pass));
        let report = report(&[&stop, &pass]);
        let results = report["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["ruleId"], "command-guard/git.reset-hard");
        assert_eq!(results[0]["level"], "error");
        assert_eq!(results[0]["message"]["text"], "loses work");
        let place = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(place, "file:///a%20b");
        assert_eq!(report["runs"][0]["tool"]["driver"]["rules"][0]["id"], "command-guard/git.reset-hard");
    }

    #[test]
    fn shadow_and_ask_are_warnings_and_a_failure_is_an_error() {
        let of = |run: Run| {
            let entry = entry(run);
            report(&[&entry])["runs"][0]["results"][0]["level"].clone()
        };
        let deny = Run { hook: "x".into(), verdict: "deny".into(), ..Run::default() };
        assert_eq!(of(Run { shadow: true, ..deny.clone() }), "warning");
        assert_eq!(of(Run { verdict: "ask".into(), ..deny.clone() }), "warning");
        assert_eq!(of(Run { verdict: String::new(), error: Some("e".into()), ..deny }), "error");
    }
}
