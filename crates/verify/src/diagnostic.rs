//! One finding of a checker, and what makes two findings the same one after lines have moved.

use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Style, a smell, an unused name.
    #[default]
    Warning,
    /// It does not compile, or it will fail.
    Error,
}

/// One finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file, below the project's root where it lies there, with slashes.
    pub file: String,
    /// Its line, from 1; 0 is the whole file.
    pub line: u32,
    /// Its column, from 1; 0 is unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub col: u32,
    /// The checker's own code: `E0308`, `TS2322`, `F401`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// What is wrong, in one line.
    pub message: String,
    /// How bad.
    pub severity: Severity,
    /// The end of the output of a command that failed without a finding that could be read. It may differ from run to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The longest message that is kept of one finding.
const MAX_MESSAGE_CHARS: usize = 300;
/// The last lines that are kept of a command that failed.
const MAX_OUTPUT_LINES: usize = 20;

impl Diagnostic {
    /// A finding with its text made fit: one line, bounded, without control characters.
    pub fn new(file: &str, line: u32, col: u32, code: &str, message: &str, severity: Severity) -> Self {
        Self {
            file: tidy(file, 400),
            line,
            col,
            code: tidy(code, 80),
            message: tidy(message, MAX_MESSAGE_CHARS),
            severity,
            output: Vec::new(),
        }
    }

    /// A command that failed, with the last lines of what it printed.
    pub fn failed(file: &str, message: &str, output: &str) -> Self {
        let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines.iter().skip(lines.len().saturating_sub(MAX_OUTPUT_LINES));
        let output =
            last.map(|line| line.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_CHARS).collect());
        Self { output: output.collect(), ..Self::new(file, 0, 0, "", message, Severity::Error) }
    }

    /// What stays the same when lines above it come and go.
    pub fn identity(&self) -> String {
        format!("{}\u{1f}{}\u{1f}{}", self.file, self.code, self.message)
    }

    /// The finding as one line: `src/a.rs:2:18: error[E0308]: mismatched types`.
    pub fn shown(&self) -> String {
        let mut out = self.file.clone();
        for number in [self.line, self.col].into_iter().take_while(|number| *number > 0) {
            out.push(':');
            out.push_str(&number.to_string());
        }
        out.push_str(if self.severity == Severity::Error { ": error" } else { ": warning" });
        if !self.code.is_empty() {
            out.push_str(&format!("[{}]", self.code));
        }
        out.push_str(": ");
        out.push_str(&self.message);
        for line in &self.output {
            out.push_str("\n    ");
            out.push_str(line);
        }
        out
    }
}

/// One line of bounded length: white space folded, control characters gone.
pub(crate) fn tidy(text: &str, most: usize) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().filter(|c| !c.is_control()));
        if out.len() > 8 * most {
            break;
        }
    }
    if out.chars().count() > most {
        out = out.chars().take(most.saturating_sub(1)).collect();
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_bounded_line_and_is_known_again_after_lines_moved() {
        let mut one =
            Diagnostic::new("a.rs", 2, 18, "E0308", "mismatched\n  types\u{1b}[0m", Severity::Error);
        assert_eq!(one.shown(), "a.rs:2:18: error[E0308]: mismatched types[0m");
        let identity = one.identity();
        one.line = 40;
        assert_eq!(one.identity(), identity);
        assert_eq!(Diagnostic::new("a", 0, 3, "", "m", Severity::Warning).shown(), "a: warning: m");
        let long = Diagnostic::new("a", 1, 1, "", &"x".repeat(10_000), Severity::Error);
        assert_eq!(long.message.chars().count(), MAX_MESSAGE_CHARS);
    }
}
