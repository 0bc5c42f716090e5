//! What was asked for against what was changed: files and symbols that the request names and the diff does not touch, and
//! large changes of files that nobody spoke of. Advice, one line each.

use crate::lines::ChangedLines;

/// A change of this many lines in a file that nobody named or edited with a tool is worth a line.
const LARGE: u32 = 80;
/// Lines of advice at most.
const MAX_ADVICE: usize = 6;

/// What is compared.
#[derive(Clone, Copy)]
pub struct RequestAndDiff<'a> {
    /// What the user wrote.
    pub prompt: &'a str,
    /// What was changed since.
    pub changed: &'a ChangedLines,
    /// The text of the diff.
    pub diff: &'a str,
    /// Files that were edited with a tool.
    pub edited: &'a [String],
}

/// The advice; empty when nothing was changed at all: then the request was a question.
pub fn lines(compared: &RequestAndDiff<'_>, is_file: &dyn Fn(&str) -> bool) -> Vec<String> {
    if compared.changed.files().next().is_none() {
        return Vec::new();
    }
    let words = words(compared.prompt);
    let mut out = Vec::new();
    for file in words.iter().filter(|word| is_file(word)) {
        if !compared.changed.has(file) {
            out.push(format!("{file} is named in the request and was not changed"));
        }
    }
    for symbol in symbols(compared.prompt) {
        if !compared.diff.contains(symbol) {
            out.push(format!("`{symbol}` is named in the request and is not in the diff"));
        }
    }
    let spoken_of = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        compared.prompt.contains(name) || compared.edited.iter().any(|edited| edited == file)
    };
    for file in compared.changed.files().filter(|file| !spoken_of(file)) {
        if let Some(count) = compared.changed.count(file).filter(|count| *count >= LARGE) {
            out.push(format!("{file} has {count} changed lines, and nobody named or edited it"));
        }
    }
    out.truncate(MAX_ADVICE);
    out
}

/// Words that may be paths, as they stand below the root.
fn words(prompt: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let apart = |c: char| c.is_whitespace() || "`'\"()[]{}<>,;".contains(c);
    for word in prompt.split(apart).take(4_000) {
        let word = word.trim_start_matches('@').trim_end_matches(['.', ':', '!', '?']);
        let word = word.strip_prefix("./").unwrap_or(word);
        let path = word.len() > 2 && (word.contains('/') || word.contains('.'));
        if path && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// Names between back quotes that are names of code: `parse_total`, `CartItem`, `total()`.
fn symbols(prompt: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for quoted in prompt.split('`').skip(1).step_by(2).take(50) {
        let called = quoted.ends_with("()");
        let name = quoted.trim_end_matches("()");
        let name = name.rsplit(['.', ':']).next().unwrap_or(name);
        let is_name = name.len() > 2
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        let mixed = name.chars().any(char::is_lowercase) && name.chars().skip(1).any(char::is_uppercase);
        let bare = !quoted.contains(['/', '.']);
        if is_name && bare && (called || mixed || name.contains('_')) && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "--- a/src/tax.py\n+++ b/src/tax.py\n@@ -1 +1,2 @@\n+RATE = 0.2\n+tax_rate = RATE\n";

    fn advice(prompt: &str, diff: &str, edited: &[&str]) -> Vec<String> {
        let edited: Vec<String> = edited.iter().map(|file| (*file).to_owned()).collect();
        let compared = RequestAndDiff { prompt, changed: &ChangedLines::parse(diff), diff, edited: &edited };
        lines(&compared, &|file| ["src/cart.py", "src/tax.py", "README.md"].contains(&file))
    }

    #[test]
    fn what_is_named_and_not_touched() {
        assert_eq!(
            advice("Change `total()` in ./src/cart.py and `tax_rate` in @src/tax.py.", DIFF, &["src/tax.py"]),
            [
                "src/cart.py is named in the request and was not changed",
                "`total` is named in the request and is not in the diff"
            ]
        );
        assert!(advice("Explain src/cart.py and `total()`", "", &[]).is_empty(), "a question");
        assert!(advice("Use the `default` `id` of src/tax.py, version 1.2", DIFF, &[]).is_empty());
    }

    #[test]
    fn a_large_change_that_nobody_spoke_of() {
        let diff = "--- a/x.py\n+++ b/x.py\n@@ -1,5 +1,200 @@\n";
        assert_eq!(
            advice("fix it", diff, &[]),
            ["x.py has 200 changed lines, and nobody named or edited it"]
        );
        assert!(advice("fix it", diff, &["x.py"]).is_empty());
        assert!(advice("rewrite x.py", diff, &[]).is_empty());
    }
}
