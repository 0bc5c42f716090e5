//! Imports that do not resolve, by module or by name. In doubt an import is fine: what cannot be known from the
//! project's files (a package of the system, a name that code makes) is never reported.

mod go;
mod python;
mod rust;
mod script;

use crate::detect::Tree;

/// A language whose imports are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python.
    Python,
    /// TypeScript and JavaScript.
    Script,
    /// Rust.
    Rust,
    /// Go.
    Go,
}

/// An import that does not resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its line, from 1.
    pub line: u32,
    /// The word that is wrong, as it stands in the file.
    pub about: String,
    /// What is wrong, and the nearest that is there.
    pub text: String,
    /// The names that were wanted, for whoever knows where they are defined.
    pub symbols: Vec<String>,
}

/// The most problems of one file, and the most imports that are looked at.
const MAX_PROBLEMS: usize = 200;

/// The language of a file by its name.
pub fn language_of(file: &str) -> Option<Language> {
    let ending = file.rsplit_once('.')?.1;
    Some(match ending {
        "py" | "pyi" => Language::Python,
        "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => Language::Script,
        "rs" => Language::Rust,
        "go" => Language::Go,
        _ => return None,
    })
}

/// The imports of a file (below the root) that do not resolve.
pub fn check(language: Language, file: &str, text: &str, tree: &dyn Tree) -> Vec<Problem> {
    let mut found = match language {
        Language::Python => python::check(file, text, tree),
        Language::Script => script::check(file, text, tree),
        Language::Rust => rust::check(file, text, tree),
        Language::Go => go::check(file, text, tree),
    };
    found.truncate(MAX_PROBLEMS);
    found
}

/// The line of a byte, from 1.
fn line_at(text: &str, at: usize) -> u32 {
    let before = text.get(..at).unwrap_or(text);
    before.matches('\n').count() as u32 + 1
}

/// The text with comments and, where wanted, the content of strings blanked out, byte for byte.
fn blank(text: &str, comments: Comments, strings: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    let wipe = |out: &mut Vec<u8>, from: usize, to: usize| {
        for byte in out.iter_mut().take(to).skip(from).filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    };
    let starts =
        |at: usize, word: &str| bytes.get(at..).is_some_and(|rest| rest.starts_with(word.as_bytes()));
    while at < bytes.len() {
        let line_comment = match comments {
            Comments::Hash => starts(at, "#"),
            Comments::Slashes => starts(at, "//"),
        };
        if line_comment {
            let end = at
                + bytes
                    .get(at..)
                    .unwrap_or_default()
                    .iter()
                    .position(|b| *b == b'\n')
                    .unwrap_or(bytes.len() - at);
            wipe(&mut out, at, end);
            at = end;
        } else if comments == Comments::Slashes && starts(at, "/*") {
            let rest = text.get(at + 2..).unwrap_or_default();
            let end = rest.find("*/").map_or(bytes.len(), |found| at + 2 + found + 2);
            wipe(&mut out, at, end);
            at = end;
        } else if let Some(end) = string_end(text, at, comments) {
            if strings {
                wipe(&mut out, at + 1, end.saturating_sub(1));
            }
            at = end;
        } else {
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// How a language writes comments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comments {
    Hash,
    Slashes,
}

/// Where a string that begins here ends; `None` when none begins.
fn string_end(text: &str, at: usize, comments: Comments) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(at)?;
    let triple = |quote: &str| text.get(at..).is_some_and(|rest| rest.starts_with(quote));
    if comments == Comments::Hash && (triple("\"\"\"") || triple("'''")) {
        let mark = text.get(at..at + 3)?;
        let rest = text.get(at + 3..)?;
        return Some(rest.find(mark).map_or(bytes.len(), |found| at + 3 + found + 3));
    }
    let many_lines = quote == b'`';
    if !matches!(quote, b'"' | b'`' | b'\'') {
        return None;
    }
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\\' => end += 1,
            b'\n' if !many_lines => return (quote != b'\'').then_some(end),
            byte if *byte == quote => return Some(end + 1),
            _ => {}
        }
        end += 1;
    }
    None
}

/// True when a word stands in a text on its own.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, _)| {
        !part(text.get(..at).and_then(|before| before.chars().next_back()))
            && !part(text.get(at + word.len()..).and_then(|after| after.chars().next()))
    })
}

/// The folder of a file.
fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path with `.` and `..` taken out; `None` when it leads out of the root.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The candidate with the smallest edit distance, when that is small enough for a typing error.
fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Candidates that are compared.
    const MAX_CANDIDATES: usize = 2_000;
    let length = word.chars().count();
    if length < 3 {
        return None;
    }
    let max_distance = (length / 3).clamp(1, 3);
    let lower = word.to_lowercase();
    let others = candidates.into_iter().take(MAX_CANDIDATES).filter(|candidate| *candidate != word);
    others
        // The distance is at least the difference of the lengths: most candidates need no comparison.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= max_distance)
        .map(|candidate| (strsim::osa_distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= max_distance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean …?)`, or nothing.
fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::memory::Memory;
    use proptest::prelude::*;

    #[test]
    fn comments_and_strings_are_blanked_in_place() {
        assert_eq!(blank("a = 'x#y' # c\nb", Comments::Hash, false), "a = 'x#y'    \nb");
        assert_eq!(blank("a /* x\ny */ b // c", Comments::Slashes, true), "a     \n     b     ");
        assert_eq!(
            blank("\"\"\"\nimport x\n\"\"\"\n", Comments::Hash, true).trim_matches(['"', ' ', '\n']),
            ""
        );
    }

    #[test]
    fn typing_errors_have_a_suggestion_and_other_names_do_not() {
        assert_eq!(nearest("totl", ["total", "tax"]), Some("total"));
        assert_eq!(nearest("CartItme", ["CartItem", "Cart"]), Some("CartItem"), "two letters swapped");
        assert_eq!(nearest("cartitem", ["Cart", "CartItem"]), Some("CartItem"), "another case");
        assert_eq!(nearest("totall", ["totals", "total"]), Some("totals"), "the first of the nearest");
        assert_eq!(nearest("parse", ["render", "x"]), None);
        assert_eq!(nearest("kitten", ["sitting"]), None, "three changes of six letters");
        assert_eq!(nearest("id", ["ids"]), None, "too short to tell");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(import|from|use|mod|export|\\{|\\}|\\(|\\)|,|'|\"|`|\\\\|#|/\\*|//|\\.|::|;|\n| |[a-z]{1,4}|é){0,60}") {
            let tree = Memory::of(&[("a.py", "x = 1"), ("a.ts", ""), ("Cargo.toml", ""), ("go.mod", "module m")]);
            for (file, language) in [("b.py", Language::Python), ("b.ts", Language::Script), ("src/b.rs", Language::Rust), ("b.go", Language::Go)] {
                let lines = text.lines().count() as u32 + 1;
                for problem in check(language, file, &text, &tree) {
                    prop_assert!(problem.line >= 1 && problem.line <= lines);
                }
            }
        }
    }
}
