//! Words that tell of an error, and of a user who corrects.

use sprag_pattern::{Flags, MatchResult, Pattern};
use std::sync::OnceLock;

/// Patterns that are compiled once per scan.
pub(super) struct Signals {
    errors: Vec<Pattern>,
    no_errors: Vec<Pattern>,
    user: Vec<Pattern>,
    hang: Pattern,
    crash: Pattern,
}

const ERRORS_ANY_CASE: [&str; 10] = [
    r"\berrors?\b",
    r"\bexception\b",
    r"\btime(d )?-?out\b",
    r"\bhang(s|ing|ed)?\b",
    r"\bkilled\b",
    r"syntax error",
    r"non-?zero exit",
    r"command failed",
    r"command not found",
    r"process (exited|failed|killed)",
];
const ERRORS: [&str; 8] = [
    r"Traceback", r"No such file or directory", r"Permission denied", r"EACCES", r"ENOENT",
    r"Segmentation fault", r"\bOOM\b", r"[Ee]xit code:? ?[1-9]",
];
/// What counts nothing: said when all is well.
const NO_ERRORS: [&str; 2] = [r"\b(0|no|zero|without) (errors?|exceptions?|failures?)\b", r"\berrors?: ?0\b"];
const USER: [&str; 7] = [
    r"\bno, (that'?s|it'?s|you)\b",
    r"that'?s (wrong|incorrect|not (right|correct|what))",
    r"\bdon'?t (do|use|run)\b",
    r"\bstop (doing|using|running)\b",
    r"you (should not|shouldn'?t|need to|have to)\b",
    r"instead( of that)?,? (use|do|try)\b",
    r"that (broke|crashed|failed|hung)\b",
];

fn compiled(sources: &[&str], ignore_case: bool) -> Vec<Pattern> {
    let flags = Flags { ignore_case, ..Flags::default() };
    sources.iter().filter_map(|source| Pattern::compile_with(source, flags).ok()).collect()
}

fn count(patterns: &[Pattern], text: &str) -> usize {
    let steps = 200_000;
    patterns.iter().filter(|pattern| pattern.is_match_within(text, steps) == MatchResult::Yes).count()
}

/// The beginning and the end of a long text: errors stand at one of them.
pub(super) fn ends(text: &str) -> String {
    const PART: usize = 4_000;
    if text.len() <= 2 * PART {
        return text.to_owned();
    }
    let head: String = text.chars().take(PART).collect();
    let count = text.chars().count();
    let tail: String = text.chars().skip(count.saturating_sub(PART)).collect();
    format!("{head}\n{tail}")
}

impl Signals {
    pub(super) fn get() -> &'static Self {
        static SIGNALS: OnceLock<Signals> = OnceLock::new();
        SIGNALS.get_or_init(|| {
            let mut errors = compiled(&ERRORS_ANY_CASE, true);
            errors.extend(compiled(&ERRORS, false));
            let one = |source: &str| {
                let flags = Flags { ignore_case: true, ..Flags::default() };
                Pattern::compile_with(source, flags).or_else(|_| Pattern::compile("(?!)"))
            };
            #[expect(clippy::unwrap_used, reason = "fixed texts, compiled by a test")]
            let (hang, crash) = (one(r"\bhang|time(d )?-?out").unwrap(), one(r"\bOOM\b|\bkilled\b").unwrap());
            Self { errors, no_errors: compiled(&NO_ERRORS, true), user: compiled(&USER, true), hang, crash }
        })
    }

    /// How many signs of an error a result has.
    pub(super) fn errors(&self, text: &str) -> usize {
        let mut text = ends(text);
        for _ in 0..16 {
            let found = self.no_errors.iter().find_map(|pattern| pattern.find(&text, 100_000).ok().flatten());
            let Some(range) = found else { break };
            text.replace_range(range, "");
        }
        count(&self.errors, &text)
    }

    pub(super) fn user_corrections(&self, text: &str) -> usize {
        count(&self.user, &ends(text))
    }

    pub(super) fn is_hang(&self, text: &str) -> bool {
        self.hang.is_match_within(&ends(text), 200_000) == MatchResult::Yes
    }

    pub(super) fn is_crash(&self, text: &str) -> bool {
        self.crash.is_match_within(&ends(text), 200_000) == MatchResult::Yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_compiles_and_speaks() {
        let signals = Signals::get();
        assert_eq!((signals.errors.len(), signals.user.len()), (18, 7));
        for text in [
            "Error: x", "command timed out", "it hangs", "Killed", "zsh: command not found: x",
            "Exit code 2", "ENOENT",
        ] {
            assert!(signals.errors(text) > 0, "{text}");
        }
        for text in ["0 errors", "no errors found", "all good", "exit code 0", "errors: 0", "terror"] {
            assert_eq!(signals.errors(text), 0, "{text}");
        }
        for text in ["No, that's not it", "don't use sed", "stop running the tests", "that broke it"] {
            assert!(signals.user_corrections(text) > 0, "{text}");
        }
        assert!(signals.is_hang("hanging") && signals.is_crash("OOM") && !signals.is_crash("zoom"));
    }
}
