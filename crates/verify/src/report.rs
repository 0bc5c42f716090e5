//! Findings as text for the model: the worst first, capped, with what was left out said.

use crate::diagnostic::Diagnostic;

/// The list under a heading; at most `most` of it.
pub fn list(found: &[&Diagnostic], most: usize) -> String {
    let mut sorted: Vec<&&Diagnostic> = found.iter().collect();
    sorted.sort_by(|a, b| {
        b.severity.cmp(&a.severity).then_with(|| (&a.file, a.line, a.col).cmp(&(&b.file, b.line, b.col)))
    });
    let mut out = String::new();
    for diagnostic in sorted.iter().take(most) {
        out.push_str(&format!("\n- {}", diagnostic.shown()));
    }
    if found.len() > most {
        out.push_str(&format!("\n- and {} more", found.len() - most));
    }
    out
}

/// What a checker found after an edit.
pub fn news(checker: &str, found: &[Diagnostic], gone: usize, first: bool, most: usize) -> String {
    let what = match found.len() {
        1 => "a new problem".to_owned(),
        count => format!("{count} new problems"),
    };
    let refs: Vec<&Diagnostic> = found.iter().collect();
    let mut out = format!("{checker}: {what} after the last edits:{}", list(&refs, most));
    match gone {
        0 => {}
        1 => out.push_str("\nOne that was told before is gone."),
        gone => out.push_str(&format!("\n{gone} that were told before are gone.")),
    }
    if first {
        out.push_str("\nThis was the first check of the project: some may be older than the edits.");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Severity;

    #[test]
    fn errors_first_and_a_cap_that_says_so() {
        let one = |line, severity| Diagnostic::new("a.py", line, 0, "", &format!("m{line}"), severity);
        let found = [one(1, Severity::Warning), one(9, Severity::Error), one(2, Severity::Error)];
        assert_eq!(
            news("ruff", &found, 1, false, 2),
            "ruff: 3 new problems after the last edits:\n- a.py:2: error: m2\n- a.py:9: error: m9\n- and 1 more\n\
             One that was told before is gone."
        );
    }
}
