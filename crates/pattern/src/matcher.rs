//! The matcher of a hook registration: everything, a list of names, or a regular expression.
//! Which of the three a text means follows the agent's own rules.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Flags, MatchResult, Pattern, PatternError, parse};

/// A compiled hook matcher.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Matcher {
    /// Matches every value.
    #[default]
    All,
    /// Matches a value that is equal to one of these.
    Exact(Vec<String>),
    /// Matches a value in which the regular expression occurs.
    Regex {
        /// The text of the expression.
        source: String,
        /// The compiled expression.
        pattern: Pattern,
    },
}

impl Matcher {
    /// Reads a matcher as most events do.
    ///
    /// `*` and the empty text match everything. Text of only ASCII letters, digits, `_`, `-`, blanks, `,` and
    /// `|` is a list of names, separated by `|` or `,`, with blanks around them ignored. Anything else is an
    /// unanchored, case-sensitive regular expression. An absent matcher is [`Matcher::All`], the default.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let name_char =
            |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | ' ' | ',' | '|');
        Self::parse_by(text, name_char, &['|', ','])
    }

    /// Reads a matcher as the events with the narrower grammar do (`FileChanged`, `StopFailure`): only text of
    /// ASCII letters, digits, `_` and `|` is a list of names, and only `|` separates them.
    pub fn parse_narrow(text: &str) -> Result<Self, PatternError> {
        let name_char = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '|');
        Self::parse_by(text, name_char, &['|'])
    }

    fn parse_by(text: &str, name_char: fn(char) -> bool, separators: &[char]) -> Result<Self, PatternError> {
        if text.is_empty() || text == "*" {
            return Ok(Self::All);
        }
        if text.chars().all(name_char) {
            let mut names = Vec::new();
            for name in text.split(separators) {
                push_new(&mut names, name.trim_matches(' '));
            }
            return Ok(Self::Exact(names));
        }
        Self::regex(text.to_owned())
    }

    fn regex(source: String) -> Result<Self, PatternError> {
        let pattern = Pattern::compile(&source)?;
        Ok(Self::Regex { source, pattern })
    }

    /// Whether the matcher matches `value`.
    ///
    /// A regular expression that takes too many steps on `value` counts as a match: a guard must not be
    /// escaped by a value that makes its own matcher give up.
    pub fn matches(&self, value: &str) -> bool {
        match self {
            Self::All => true,
            Self::Exact(names) => names.iter().any(|name| name == value),
            Self::Regex { pattern, .. } => pattern.is_match(value) != MatchResult::No,
        }
    }

    /// The matcher as text that [`Matcher::parse`] reads back with the same meaning.
    pub fn source(&self) -> Cow<'_, str> {
        match self {
            Self::All => Cow::Borrowed("*"),
            Self::Exact(names) => {
                let listable = |name: &String| {
                    name.trim_matches(' ') == name
                        && name
                            .chars()
                            .all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | ' '))
                };
                match names.as_slice() {
                    // The empty text would mean everything.
                    [] => Cow::Borrowed("(?!)"),
                    [name] if name.is_empty() => Cow::Borrowed("^$"),
                    [name] if listable(name) => Cow::Borrowed(name),
                    names if names.iter().all(listable) => Cow::Owned(names.join("|")),
                    names => Cow::Owned(anchored(names)),
                }
            }
            Self::Regex { source, .. } => Cow::Borrowed(source),
        }
    }

    /// One matcher that matches whatever any of `matchers` does, as narrow as one text can say it.
    ///
    /// It is meant for registering with the agent, so its text must mean the same to the agent's engine.
    /// Where it cannot be relied on to do that, the answer is [`Matcher::All`]: for syntax that engine may not
    /// know, for expressions that would change their meaning by being joined, and for a text that becomes too
    /// long. No matchers at all give `All`, too.
    #[must_use]
    pub fn union(matchers: &[&Matcher]) -> Matcher {
        let mut names: Vec<String> = Vec::new();
        let mut sources: Vec<&str> = Vec::new();
        for matcher in matchers {
            match matcher {
                Self::All => return Self::All,
                Self::Exact(list) => list.iter().for_each(|name| push_new(&mut names, name)),
                Self::Regex { source, .. } if sources.contains(&source.as_str()) => {}
                Self::Regex { source, .. } => sources.push(source),
            }
        }
        if sources.is_empty() {
            return if matchers.is_empty() { Self::All } else { Self::Exact(names) };
        }
        let joined = sources.len() > 1;
        let keeps_meaning = |source: &&str| {
            parse::parse(source, Flags::default()).is_ok_and(|parsed| {
                let features = parsed.features;
                !features.unportable && !(joined && (features.numbered || features.named))
            })
        };
        if !sources.iter().all(keeps_meaning) {
            return Self::All;
        }
        let source = if let ([], [source]) = (names.as_slice(), sources.as_slice()) {
            (*source).to_owned()
        } else {
            let names = (!names.is_empty()).then(|| anchored(&names));
            let sources = sources.iter().map(|source| format!("(?:{source})"));
            names.into_iter().chain(sources).collect::<Vec<String>>().join("|")
        };
        Self::regex(source).unwrap_or_default()
    }
}

fn push_new(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// A regular expression for exactly these names.
fn anchored(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| escaped(name)).collect();
    format!("^(?:{})$", names.join("|"))
}

/// `name` as a regular expression that matches only itself.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for char in name.chars() {
        if matches!(char, '\\' | '^' | '$' | '.' | '|' | '?' | '*' | '+' | '(' | ')' | '[' | ']' | '{' | '}')
        {
            text.push('\\');
        }
        text.push(char);
    }
    text
}
