//! Regular expressions with JavaScript's rules, compiled once into a small program that can be stored and run
//! without compiling again; and the matcher grammar of hook configurations on top of it.

mod ast;
mod charset;
mod compile;
mod escape;
mod literals;
mod matcher;
mod parse;
mod program;
mod run;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use matcher::Matcher;
use program::Program;

/// How many steps a match may take when the caller names no number.
///
/// A step is about one instruction of the program, or a short stretch of text compared in one go. Ordinary
/// patterns on ordinary lines take some hundreds; a million would still be in the range of milliseconds.
pub const DEFAULT_STEP_LIMIT: u32 = 100_000;

/// The longest pattern text that is accepted, in bytes.
pub const MAX_PATTERN_LEN: usize = 8 * 1024;

/// How deep groups may be nested.
pub const MAX_NESTING: usize = 100;

/// How many instructions the counted repetitions of one pattern may add by being written out.
pub const MAX_EXPANSION: usize = 10_000;

/// What is wrong with a pattern, in words for the person who wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at byte {offset} of the pattern)")]
pub struct PatternError {
    /// What is wrong and what to do about it.
    pub message: String,
    /// Where in the pattern, as a byte offset.
    pub offset: usize,
}

impl PatternError {
    fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), offset }
    }
}

/// The match was given up because it took more steps than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the match was given up after too many steps; make the pattern simpler")]
pub struct StepLimit;

/// The answer of a match that may be given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchResult {
    /// The pattern occurs in the text.
    Yes,
    /// The pattern does not occur in the text.
    No,
    /// Unknown: the match took too many steps and was given up.
    StepLimit,
}

/// The flags of a JavaScript regular expression that change what it matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// `i`: letters match in either case.
    pub ignore_case: bool,
    /// `m`: `^` and `$` also match at line breaks.
    pub multi_line: bool,
    /// `s`: `.` also matches line breaks.
    pub dot_all: bool,
}

/// A compiled regular expression: a program that can be stored and run, but no longer shows its text.
///
/// The rules are those of JavaScript's `RegExp` without the `u` flag, except that a character is a Unicode
/// scalar value and `\u{...}` names one. A leading `(?i)` is accepted as in other dialects.
///
/// Reading a stored pattern checks it, so a damaged one is an error then and never a crash or an endless
/// loop later. Damage that leaves a well-formed program cannot be seen here; it only gives wrong answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Program")]
pub struct Pattern(Program);

impl TryFrom<Program> for Pattern {
    type Error = program::Damaged;

    fn try_from(program: Program) -> Result<Self, Self::Error> {
        program.validate()?;
        Ok(Self(program))
    }
}

impl Pattern {
    /// Compiles a pattern without flags.
    pub fn compile(source: &str) -> Result<Self, PatternError> {
        Self::compile_with(source, Flags::default())
    }

    /// Compiles a pattern with flags.
    pub fn compile_with(source: &str, flags: Flags) -> Result<Self, PatternError> {
        let parsed = parse::parse(source, flags)?;
        compile::compile(&parsed).map(Self)
    }

    /// Whether the pattern occurs anywhere in `haystack`, within [`DEFAULT_STEP_LIMIT`] steps.
    pub fn is_match(&self, haystack: &str) -> MatchResult {
        self.is_match_within(haystack, DEFAULT_STEP_LIMIT)
    }

    /// Whether the pattern occurs anywhere in `haystack`, within `steps` steps.
    pub fn is_match_within(&self, haystack: &str, steps: u32) -> MatchResult {
        match run::search(&self.0, haystack, steps) {
            Ok(Some(_)) => MatchResult::Yes,
            Ok(None) => MatchResult::No,
            Err(StepLimit) => MatchResult::StepLimit,
        }
    }

    /// Where the pattern first occurs in `haystack`, as a byte range, within `steps` steps.
    pub fn find(&self, haystack: &str, steps: u32) -> Result<Option<Range<usize>>, StepLimit> {
        run::search(&self.0, haystack, steps)
    }

    /// Strings of which at least one occurs, with the same case, in every text that the pattern matches.
    ///
    /// `None` when the pattern demands no particular text. No string in the list is empty.
    pub fn required_literals(&self) -> Option<&[String]> {
        let literals = self.0.required.as_slice();
        (!literals.is_empty()).then_some(literals)
    }
}
