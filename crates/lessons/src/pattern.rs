//! Patterns as people write them, and what they mean: a regular expression, or a glob on a path.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sprag_pattern::{Flags, Pattern, PatternError};

/// A pattern's text. With flags it is a regular expression as it stands; without, its place says how it is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternText {
    source: String,
    flags: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Flagged {
        source: String,
        #[serde(default)]
        flags: String,
    },
}

impl Serialize for PatternText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.flags {
            None => Form::Text(self.source.clone()),
            Some(flags) => Form::Flagged { source: self.source.clone(), flags: flags.clone() },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PatternText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Text(source) => Self { source, flags: None },
            Form::Flagged { source, flags } => Self { source, flags: Some(flags) },
        })
    }
}

impl PatternText {
    /// A pattern that its place gives a meaning.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), flags: None }
    }

    /// A regular expression with these flags.
    pub fn with_flags(source: impl Into<String>, flags: impl Into<String>) -> Self {
        Self { source: source.into(), flags: Some(flags.into()) }
    }

    /// Its text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// A bare word becomes a whole word: `tsc` must not match inside `tsconfig`.
    pub fn anchor(&mut self) {
        let bare = !self.source.is_empty()
            && self.source.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if bare && self.flags.is_none() {
            self.source = format!(r"\b{}\b", self.source);
        }
    }

    /// The regular expression of a pattern on a command, on content, or on a model's words.
    pub fn as_text_pattern(&self, ignore_case: bool) -> Result<Expression, PatternError> {
        let flags = self.flags.as_deref().map_or(Flags { ignore_case, ..Flags::default() }, flags_of);
        Expression::new(&self.source, flags)
    }

    /// The text of the regular expression of a pattern on a path.
    pub fn path_expression(&self) -> String {
        let as_it_is = self.flags.is_some()
            || looks_like_expression(&self.source) && Pattern::compile(&self.source).is_ok();
        if as_it_is { self.source.clone() } else { glob(&self.source) }
    }

    /// The regular expression of a pattern on a path: a glob is translated.
    pub fn as_path_pattern(&self) -> Result<Expression, PatternError> {
        if let Some(flags) = &self.flags {
            return Expression::new(&self.source, flags_of(flags));
        }
        let flags = Flags { ignore_case: true, ..Flags::default() };
        if !looks_like_expression(&self.source) {
            return Expression::new(&glob(&self.source), flags);
        }
        Expression::new(&self.source, flags).or_else(|error| {
            // `src/[ab]/**/*.{ts,tsx}` has brackets and is no expression.
            let globbed = self.source.contains('*') || self.source.contains('{');
            if globbed { Expression::new(&glob(&self.source), flags) } else { Err(error) }
        })
    }
}

fn flags_of(flags: &str) -> Flags {
    Flags { ignore_case: flags.contains('i'), multi_line: flags.contains('m'), dot_all: flags.contains('s') }
}

/// True for text with characters that only an expression has. Braces are an expression's only around numbers.
fn looks_like_expression(text: &str) -> bool {
    let counted = text.split('{').skip(1).any(|rest| {
        rest.split('}')
            .next()
            .is_some_and(|inner| !inner.is_empty() && inner.chars().all(|c| c.is_ascii_digit() || c == ','))
    });
    counted || text.contains(['\\', '^', '$', '|', '+', '(', ')', '[', ']'])
}

/// A glob as an expression: whole path components, to the end of the path.
fn glob(text: &str) -> String {
    let mut out = String::from("(?:^|/)");
    let text = text.strip_prefix("./").unwrap_or(text);
    let text = text.strip_prefix('/').unwrap_or(text);
    let mut chars = text.chars().peekable();
    let mut depth = 0_u32;
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.peek() == Some(&'*') => {
                while chars.next_if_eq(&'*').is_some() {}
                if chars.next_if_eq(&'/').is_some() {
                    out.push_str("(?:.*/)?");
                } else {
                    out.push_str(".*");
                }
            }
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '{' => {
                depth += 1;
                out.push_str("(?:");
            }
            '}' if depth > 0 => {
                depth -= 1;
                out.push(')');
            }
            ',' if depth > 0 => out.push('|'),
            '[' | ']' => out.push(c),
            '.' | '\\' | '^' | '$' | '|' | '+' | '(' | ')' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    for _ in 0..depth {
        out.push(')');
    }
    // A folder's name stands for what is in it.
    if out.ends_with('/') {
        out.push_str(".*");
    }
    out.push('$');
    out
}

/// A compiled expression, and the words that every text that it matches contains one of.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The program.
    pub pattern: Pattern,
    /// Lower-cased ASCII words; `None` when nothing is known.
    pub literals: Option<Vec<String>>,
}

impl Expression {
    fn new(source: &str, flags: Flags) -> Result<Self, PatternError> {
        let pattern = Pattern::compile_with(source, flags)?;
        // Case makes no difference to the words, because text and words are compared in lower case.
        let plain = source.strip_prefix("(?i)").unwrap_or(source);
        let cased = Pattern::compile_with(plain, Flags { ignore_case: false, ..flags });
        let literals = cased.as_ref().unwrap_or(&pattern).required_literals().and_then(words);
        Ok(Self { pattern, literals })
    }
}

/// Of each string the longest part that is plain ASCII without quotes: what else it holds may look different in
/// the text that is searched (other case, quoted text taken out).
fn words(strings: &[String]) -> Option<Vec<String>> {
    let plain = |c: char| c.is_ascii() && !matches!(c, '"' | '\'' | '\\');
    let mut found: Vec<String> = Vec::new();
    for string in strings {
        let longest = string.split(|c| !plain(c)).max_by_key(|part| part.len()).unwrap_or_default();
        if longest.is_empty() {
            return None;
        }
        found.push(longest.to_ascii_lowercase());
    }
    found.sort();
    found.dedup();
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sprag_pattern::MatchResult;

    fn on_path(pattern: &str, path: &str) -> bool {
        PatternText::new(pattern).as_path_pattern().unwrap().pattern.is_match(path) == MatchResult::Yes
    }

    #[test]
    fn fault_19_a_glob_is_anchored() {
        assert!(on_path("**/*.py", "/x/a.py") && on_path("**/*.py", "a.py"), "no slash is needed");
        assert!(!on_path("**/*.py", "/x/a.pyc"), "it ends where the path ends");
        assert!(on_path("src/*.rs", "/p/src/a.rs") && !on_path("src/*.rs", "/p/mysrc/a.rs"));
        assert!(!on_path("src/*.rs", "/p/src/deep/a.rs") && on_path("src/**", "/p/src/deep/a.rs"));
        assert!(on_path("Makefile", "/p/makefile"), "paths are compared without case");
        assert!(!on_path("Makefile", "/p/Makefile.am"));
        assert!(on_path("docs/", "/p/docs/a.md") && on_path("a?.md", "ab.md"));
    }

    #[test]
    fn fault_17_brace_globs_are_globs() {
        assert!(on_path("**/*.{ts,tsx}", "/p/a.tsx") && on_path("**/*.{ts,tsx}", "/p/a.ts"));
        assert!(!on_path("**/*.{ts,tsx}", "/p/a.js"));
        assert!(on_path(r"\.env(\.|$)", "/p/.env.local"), "an expression is an expression");
        assert!(on_path("a{2}b", "xaab"), "counted braces are an expression's");
        assert!(on_path("src/[ab]/**/*.{ts,tsx}", "/p/src/a/x/y.ts"));
    }

    #[test]
    fn an_invalid_pattern_is_an_error_and_not_everything() {
        for bad in ["(", "[z-a]", "(?<", "a{2,1}"] {
            assert!(PatternText::new(bad).as_text_pattern(false).is_err(), "{bad}");
        }
    }

    #[test]
    fn words_are_found_whatever_the_case() {
        let of = |source: &str, flags: &str| {
            PatternText::with_flags(source, flags).as_text_pattern(false).unwrap().literals
        };
        assert_eq!(of(r"\bgit\s+PUSH\b", "").unwrap(), ["push"]);
        assert_eq!(of(r"(?i)pytest(?!.*--timeout)", "").unwrap(), ["pytest"]);
        assert_eq!(of(r"Запуск", "i"), None, "what folds in other ways is no word");
        assert_eq!(of(r"a*", ""), None);
    }

    proptest! {
        /// The words rule nothing out that the pattern matches.
        #[test]
        fn a_matching_text_has_one_of_the_words(
            source in "(\\\\b)?[a-cA-C]{1,4}(\\\\s\\+|\\.\\*|[|])?[a-c]{0,3}(\\?|\\*)?", text in "[a-cA-C ]{0,12}", fold in any::<bool>()) {
            let flags = if fold { "i" } else { "" };
            if let Ok(expression) = PatternText::with_flags(source, flags).as_text_pattern(false)
                && expression.pattern.is_match(&text) == MatchResult::Yes
                && let Some(words) = expression.literals
            {
                let lower = text.to_ascii_lowercase();
                prop_assert!(words.iter().any(|word| lower.contains(word.as_str())), "{words:?} {text:?}");
            }
        }
    }
}
