//! What was asked for against what was changed: files and symbols that the request names and the diff does not touch,
//! files that it says not to touch, large changes of files that nobody spoke of, and requests after which nothing was
//! changed at all. Advice, one line each.

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
    /// The text of the diff; `None` when only some files were looked at, and nothing is known of the others.
    pub diff: Option<&'a str>,
    /// Files that were edited with a tool.
    pub edited: &'a [String],
}

/// The advice; empty when nothing was changed at all: then the request was a question.
pub fn lines(compared: &RequestAndDiff<'_>, is_file: &dyn Fn(&str) -> bool) -> Vec<String> {
    if compared.changed.files().next().is_none() {
        return Vec::new();
    }
    let request = Request::of(compared.prompt);
    let words = words(&request.wanted);
    let mut out = Vec::new();
    for kept in self::words(&request.unwanted) {
        let folder = format!("{}/", kept.trim_end_matches('/'));
        for file in compared.changed.files().filter(|file| **file == *kept || file.starts_with(&folder)) {
            out.push(format!("{file} was changed, and the request says not to touch it"));
        }
    }
    for file in words.iter().filter(|word| is_file(word)) {
        if !compared.changed.has(file) {
            out.push(format!("{file} is named in the request and was not changed"));
        }
    }
    for symbol in symbols(&request.wanted) {
        if compared.diff.is_some_and(|diff| !diff.contains(symbol)) {
            out.push(format!("`{symbol}` is named in the request and is not in the diff"));
        }
    }
    let spoken_of = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        compared.prompt.contains(name) || compared.edited.iter().any(|edited| edited == file)
    };
    for file in compared.changed.files().filter(|file| compared.diff.is_some() && !spoken_of(file)) {
        if let Some(count) = compared.changed.count(file).filter(|count| *count >= LARGE) {
            out.push(format!("{file} has {count} changed lines, and nobody named or edited it"));
        }
    }
    out.truncate(MAX_ADVICE);
    out
}

/// A request that asks for a change of a file that is there, after which nothing was changed.
pub fn nothing_done(prompt: &str, is_file: &dyn Fn(&str) -> bool) -> Option<String> {
    let request = Request::of(prompt);
    let mut said =
        request.wanted.split_whitespace().map(|word| word.trim_matches([',', '.', ':', '!']).to_lowercase());
    let verb = said.find(|word| !POLITE.contains(&word.as_str()))?;
    if !CHANGES.contains(&verb.as_str()) {
        return None;
    }
    let file = words(&request.wanted).into_iter().find(|word| is_file(word))?;
    Some(format!("the request is about {file}, and nothing was changed"))
}

/// Words before the verb of a request.
const POLITE: [&str; 14] = [
    "please", "can", "could", "would", "will", "you", "now", "then", "ok", "okay", "so", "and", "first",
    "just",
];
/// Verbs of requests that end in a change.
const CHANGES: [&str; 22] = [
    "fix", "change", "rename", "add", "remove", "delete", "implement", "update", "replace", "refactor",
    "rewrite", "write", "edit", "extend", "correct", "move", "convert", "create", "make", "insert",
    "simplify", "adjust",
];
/// What begins the part of a request that says what must stay.
const KEEPS: [&str; 22] = [
    "do not touch", "don't touch", "dont touch", "do not change", "don't change", "do not modify",
    "don't modify", "do not edit", "don't edit", "do not alter", "don't alter", "do not rewrite",
    "never touch", "must not touch", "must not change", "without touching", "without changing",
    "without modifying", "without editing", "leave ", "keep ", "hands off",
];
/// With `leave` and `keep`: what makes them say that something stays.
const STAYS: [&str; 6] = ["alone", "as is", "as it is", "as they are", "unchanged", "untouched"];

/// A request, taken apart: what shall be done, and what shall not be touched.
struct Request {
    wanted: String,
    unwanted: String,
}

impl Request {
    fn of(prompt: &str) -> Self {
        let mut out = Self { wanted: String::new(), unwanted: String::new() };
        let prompt = prompt.replace('\u{2019}', "'");
        for clause in clauses(&prompt) {
            // As long as the clause, so that positions in one are positions in the other.
            let lower = clause.to_ascii_lowercase();
            let keeps = KEEPS.iter().filter_map(|words| Some((lower.find(words)?, *words)));
            let keeps = keeps
                .filter(|(at, words)| {
                    let rest = lower.get(at + words.len()..).unwrap_or_default();
                    !words.ends_with(' ') || STAYS.iter().any(|stays| rest.contains(stays))
                })
                .min();
            let Some((at, words)) = keeps else {
                out.wanted.push_str(clause);
                out.wanted.push('\n');
                continue;
            };
            let (before, after) = clause.split_at_checked(at).unwrap_or((clause, ""));
            let from = words.len();
            let end = next_request(lower.get(at + from..).unwrap_or_default())
                .map_or(after.len(), |end| from + end);
            let (kept, rest) = after.split_at_checked(end).unwrap_or((after, ""));
            out.wanted.push_str(before);
            out.wanted.push_str(rest);
            out.wanted.push('\n');
            out.unwanted.push_str(kept);
            out.unwanted.push('\n');
        }
        out
    }
}

/// Sentences, lines and what is joined by `but` or a semicolon.
fn clauses(prompt: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for line in prompt.split(['\n', ';']).take(2_000) {
        for sentence in line.split(". ").flat_map(|part| part.split("! ")) {
            out.extend(sentence.split(" but "));
        }
    }
    out
}

/// Where the next request begins in what follows: `, and update src/c.rs`.
fn next_request(rest: &str) -> Option<usize> {
    let mut at = 0;
    for word in rest.split_inclusive(' ') {
        let plain = word.trim_matches([' ', ',', '.']);
        if at > 0 && CHANGES.contains(&plain) {
            return Some(at);
        }
        at += word.len();
    }
    None
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
        let changed = ChangedLines::parse(diff);
        let compared = RequestAndDiff { prompt, changed: &changed, diff: Some(diff), edited: &edited };
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
    fn what_must_not_be_touched() {
        let said = |prompt: &str| advice(prompt, DIFF, &["src/tax.py"]);
        for prompt in [
            "Fix the rate, but do not touch src/tax.py.",
            "Fix the rate and leave src/tax.py alone",
            "Don’t change src/tax.py. Fix the rate in the config.",
            "fix the rate without changing src/",
            "Keep src/tax.py as it is; the rate is wrong",
        ] {
            assert_eq!(
                said(prompt),
                ["src/tax.py was changed, and the request says not to touch it"],
                "{prompt}"
            );
        }
        // What stays is not missed, neither are its names.
        assert!(said("Change src/tax.py, do not touch src/cart.py or `total()`").is_empty());
        assert!(said("Don't touch src/cart.py, and update src/tax.py").is_empty());
        assert!(said("Leave a note in src/tax.py").is_empty());
        assert!(said("Keep the rate in src/tax.py").is_empty());
    }

    #[test]
    fn a_request_after_which_nothing_was_changed() {
        let said = |prompt: &str| nothing_done(prompt, &|file| file == "src/cart.py");
        for prompt in [
            "Fix the total in src/cart.py",
            "please rename `total` in src/cart.py",
            "Could you fix src/cart.py?",
        ] {
            assert_eq!(
                said(prompt).as_deref(),
                Some("the request is about src/cart.py, and nothing was changed")
            );
        }
        for prompt in [
            "Explain src/cart.py",
            "Why does src/cart.py fail to add up?",
            "Fix the total",
            "Fix src/gone.py",
            "Do not change src/cart.py",
            "",
        ] {
            assert_eq!(said(prompt), None, "{prompt}");
        }
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
