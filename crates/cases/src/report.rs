//! What a person, a script or a CI server reads of a run: text, JSON, JUnit.

use super::check::Mismatch;
use super::pool::FileReport;
use super::run::{Failure, Finished, Status};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// How many cases ended how. A file that cannot be read counts as one failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases that were skipped.
    pub skipped: usize,
}

impl Totals {
    /// Counts the cases of all files.
    pub fn of(reports: &[FileReport]) -> Self {
        let mut totals = Self::default();
        for report in reports {
            totals.failed += usize::from(!report.faults.is_empty());
            for case in &report.cases {
                match case.status {
                    Status::Passed => totals.passed += 1,
                    Status::Failed(_) => totals.failed += 1,
                    Status::Skipped(_) => totals.skipped += 1,
                }
            }
        }
        totals
    }

    /// The last line of the report.
    pub fn line(self) -> String {
        format!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The lines of a report, without the summary. Lines begin with what colours them.
pub fn text(reports: &[FileReport], shown: impl Fn(&Path) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    for report in reports {
        let file = shown(&report.path);
        for fault in &report.faults {
            lines.push(format!("FAIL {file}:{}: {}", fault.line, fault.what));
            lines.push(format!("  {}", fault.hint));
            lines.push(String::new());
        }
        for case in &report.cases {
            match &case.status {
                Status::Passed => {}
                Status::Skipped(why) => {
                    lines.push(format!("skip {file}:{}: {} ({}): {why}", case.line, case.name, case.agent));
                }
                Status::Failed(failures) => {
                    for failure in failures {
                        lines.extend(failed(&file, case, failure));
                        lines.push(String::new());
                    }
                }
            }
        }
    }
    lines
}

fn failed(file: &str, case: &Finished, failure: &Failure) -> Vec<String> {
    let step = if failure.step.is_empty() { String::new() } else { format!(", {}", failure.step) };
    let mut lines = vec![format!("FAIL {file}:{}: {} ({}{step})", failure.line, case.name, case.agent)];
    for Mismatch { what, lines: detail } in &failure.mismatches {
        lines.push(format!("  {what}"));
        lines.extend(detail.iter().map(|line| format!("    {line}")));
    }
    lines.extend(failure.journal.iter().map(|line| format!("  journal: {line}")));
    lines
}

/// The report as JSON.
pub fn json(reports: &[FileReport]) -> Value {
    let totals = Totals::of(reports);
    let mut cases = Vec::new();
    let mut faults = Vec::new();
    for report in reports {
        let file = report.path.display().to_string();
        for fault in &report.faults {
            faults.push(json!({"file": file, "line": fault.line, "what": fault.what, "hint": fault.hint}));
        }
        for case in &report.cases {
            let (status, why) = match &case.status {
                Status::Passed => ("passed", None),
                Status::Failed(_) => ("failed", None),
                Status::Skipped(why) => ("skipped", Some(why)),
            };
            let failures: Vec<Value> = match &case.status {
                Status::Failed(failures) => failures.iter().map(failure_json).collect(),
                _ => Vec::new(),
            };
            cases.push(json!({
                "file": file, "line": case.line, "name": case.name, "agent": case.agent.name(),
                "status": status, "why": why, "us": case.took.as_micros() as u64, "failures": failures,
            }));
        }
    }
    json!({
        "passed": totals.passed, "failed": totals.failed, "skipped": totals.skipped,
        "faults": faults, "cases": cases,
    })
}

fn failure_json(failure: &Failure) -> Value {
    let found: Vec<Value> = failure
        .mismatches
        .iter()
        .map(|mismatch| json!({"what": mismatch.what, "detail": mismatch.lines.join("\n")}))
        .collect();
    json!({"line": failure.line, "step": failure.step, "mismatches": found, "journal": failure.journal})
}

/// The report as JUnit XML: a suite per file.
pub fn junit(reports: &[FileReport]) -> String {
    let totals = Totals::of(reports);
    let all = totals.passed + totals.failed + totals.skipped;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"sprag test\" tests=\"{all}\" failures=\"{}\" skipped=\"{}\">",
        totals.failed, totals.skipped
    );
    for report in reports {
        suite(report, &mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(report: &FileReport, out: &mut String) {
    let totals = Totals::of(std::slice::from_ref(report));
    let file = xml(&report.path.display().to_string());
    let seconds: f64 = report.cases.iter().map(|case| case.took.as_secs_f64()).sum();
    let _ = writeln!(
        out,
        "  <testsuite name=\"{file}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{seconds:.6}\">",
        totals.passed + totals.failed + totals.skipped,
        totals.failed,
        totals.skipped
    );
    if !report.faults.is_empty() {
        let text: Vec<String> = report
            .faults
            .iter()
            .map(|fault| {
                format!("{}:{}: {}\n  {}", report.path.display(), fault.line, fault.what, fault.hint)
            })
            .collect();
        let _ = writeln!(
            out,
            "    <testcase name=\"the file\" classname=\"{file}\"><failure message=\"the file cannot be used\">{}</failure></testcase>",
            xml(&text.join("\n"))
        );
    }
    for case in &report.cases {
        let name = xml(&format!("{} ({})", case.name, case.agent));
        let _ = write!(
            out,
            "    <testcase name=\"{name}\" classname=\"{file}\" time=\"{:.6}\"",
            case.took.as_secs_f64()
        );
        match &case.status {
            Status::Passed => out.push_str("/>\n"),
            Status::Skipped(why) => {
                let _ = writeln!(out, "><skipped message=\"{}\"/></testcase>", xml(why));
            }
            Status::Failed(failures) => {
                out.push('>');
                for failure in failures {
                    let message = failure.mismatches.first().map_or("", |mismatch| mismatch.what.as_str());
                    let text = failed(&report.path.display().to_string(), case, failure).join("\n");
                    let _ = write!(out, "<failure message=\"{}\">{}</failure>", xml(message), xml(&text));
                }
                out.push_str("</testcase>\n");
            }
        }
    }
    out.push_str("  </testsuite>\n");
}

/// A text inside XML. Characters that XML cannot hold become a question mark.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
