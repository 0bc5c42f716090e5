//! What a checker printed, as findings. Machine-readable forms where the tool has one, else the line formats that
//! compilers have shared for decades.

mod json;
mod text;

use crate::diagnostic::Diagnostic;

/// The format of a checker's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `cargo --message-format=json`.
    Cargo,
    /// ESLint's (and oxlint's) `--format json`.
    Eslint,
    /// `ruff check --output-format json`.
    Ruff,
    /// `mypy --output json`: one object a line.
    Mypy,
    /// `pyright --outputjson`.
    Pyright,
    /// `rubocop --format json`.
    Rubocop,
    /// `phpstan --error-format=json`.
    Phpstan,
    /// SARIF, as qlty, biome and many others write it.
    Sarif,
    /// GitLab's code quality report, as biome and others write it.
    Gitlab,
    /// Published diagnostics of a language server: `{uri, diagnostics: [{range, severity, code, message}]}`, one or many.
    Lsp,
    /// `file:line:col: severity: message`: gcc, go, javac, ruby, …
    Gnu,
    /// `file(line,col): error CODE: message`: tsc, MSBuild.
    Paren,
    /// `[ERROR] file:[line,col] message`: Maven.
    Maven,
    /// `PHP Parse error: message in file on line 3`.
    Php,
    /// `node --check`: `file:line`, the line, `SyntaxError: message`.
    Node,
    /// `bash -n`: `file: line 3: syntax error near …`.
    Bash,
}

/// Every format by the word that a configuration uses.
const FORMATS: [(&str, Format); 16] = [
    ("gnu", Format::Gnu),
    ("paren", Format::Paren),
    ("sarif", Format::Sarif),
    ("lsp", Format::Lsp),
    ("gitlab", Format::Gitlab),
    ("cargo", Format::Cargo),
    ("eslint", Format::Eslint),
    ("ruff", Format::Ruff),
    ("mypy", Format::Mypy),
    ("pyright", Format::Pyright),
    ("rubocop", Format::Rubocop),
    ("phpstan", Format::Phpstan),
    ("maven", Format::Maven),
    ("php", Format::Php),
    ("node", Format::Node),
    ("bash", Format::Bash),
];

impl Format {
    /// The format with this name.
    pub fn named(name: &str) -> Option<Self> {
        FORMATS.iter().find(|(word, _)| *word == name).map(|(_, format)| *format)
    }
}

/// More findings of one run than this are not kept: past that nobody reads them, and a flood is a flood.
const MAX_FINDINGS: usize = 500;

/// The findings in what a checker printed. What it cannot read it leaves out; nothing fails.
pub fn parse(format: Format, stdout: &str, stderr: &str) -> Vec<Diagnostic> {
    let mut found = match format {
        Format::Cargo => json::cargo(stdout),
        Format::Eslint => json::eslint(stdout),
        Format::Ruff => json::ruff(stdout),
        Format::Mypy => json::mypy(stdout),
        Format::Pyright => json::pyright(stdout),
        Format::Rubocop => json::rubocop(stdout),
        Format::Phpstan => json::phpstan(stdout),
        Format::Sarif => json::sarif(stdout),
        Format::Lsp => json::lsp(stdout),
        Format::Gitlab => json::gitlab(stdout),
        Format::Gnu => both(stdout, stderr, text::gnu),
        Format::Paren => both(stdout, stderr, text::paren),
        Format::Maven => both(stdout, stderr, text::maven),
        Format::Php => both(stdout, stderr, text::php),
        Format::Node => text::node(stderr),
        Format::Bash => both(stdout, stderr, text::bash),
    };
    found.truncate(MAX_FINDINGS);
    found
}

fn both(stdout: &str, stderr: &str, line: fn(&str) -> Option<Diagnostic>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for diagnostic in stdout.lines().chain(stderr.lines()).filter_map(line) {
        // Some tools say the same once per target or once on each stream.
        if !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
        if found.len() >= MAX_FINDINGS {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever a checker prints, reading it ends well and is bounded.
        #[test]
        fn any_output_is_read(text in "(\\PC{0,30}|\\{\"[a-z]{1,9}\": ?[\\[\\{]|[a-z./]{1,9}:[0-9]{1,12}:[0-9]{0,12}: ?\\PC{0,9}|[a-z.]{1,9}\\([0-9]{1,12},[0-9]{1,3}\\): error TS1: x)(\n\\PC{0,40}){0,6}") {
            for (_, format) in FORMATS {
                for found in parse(format, &text, &text) {
                    prop_assert!(!found.message.is_empty() && found.message.chars().count() <= 300);
                }
            }
        }
    }

    #[test]
    fn a_flood_of_findings_is_cut() {
        let text: String = (0..5_000).map(|n| format!("a.c:{}:1: error: e{n}\n", n + 1)).collect();
        assert_eq!(parse(Format::Gnu, &text, "").len(), MAX_FINDINGS);
    }

    #[test]
    fn every_format_has_a_name() {
        assert_eq!(Format::named("sarif"), Some(Format::Sarif));
        assert_eq!(Format::named("xml"), None);
    }
}
