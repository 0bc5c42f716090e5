//! The line of an output that tells what went wrong, and what makes it the same error the next time: paths, numbers,
//! versions and hashes are masked, names stay.

use sprag_base::id::short_hash;
use sprag_base::text::cut;
use sprag_protocol::outcome::printed;

/// What kind of error a line tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Something that is needed is not there, not set or not allowed; or the kind is not known.
    Setting,
    /// A compiler, a type checker or a linter about a place in the code.
    Diagnostic,
    /// A test that did not hold.
    Test,
}

/// The telling line of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorText {
    /// As it was printed, without decoration, cut.
    pub line: String,
    /// The same for the same error on another day: a hash of the masked line.
    pub key: String,
    /// What kind of error it is.
    pub kind: ErrorKind,
}

/// The most of an output that is looked at, at its beginning and at its end.
const PART: usize = 16 << 10;
/// The most lines that are looked at.
const MAX_LINES: usize = 400;
/// The longest line that is shown.
const MAX_CHARS: usize = 180;
/// Fewer letters outside of masks could be any error.
const LEAST_LETTERS: usize = 10;

/// Words whose line says what is wrong, without naming a kind of error.
const WORDS: [&str; 34] = [
    "not found", "no such", "cannot ", "can't ", "could not", "couldn't", "unable to", "denied", "refused",
    "missing", "is not set", "not installed", "required", "requires", "must be", "not allowed", "does not",
    "doesn't", "did not", "unknown", "unsupported", "incompatible", "invalid", "already in use",
    "already exists", "out of memory", "no space left", "exhausted", "unrecognized", "not available",
    "please run", "pending", "mismatch", "failed",
];

/// Lines that say only that something failed. What is said beside them is better.
const GENERIC: [&str; 43] = [
    "build failed",
    "failure: build failed",
    "could not compile",
    "error: test failed",
    "failed to push some refs",
    "command failed",
    "npm error code",
    "npm err! code",
    "a complete log of this run",
    "error: process completed",
    "exited with",
    "exit status",
    "exit code",
    "subprocess-exited-with-error",
    "error in 0",
    "errors in 0",
    "during collection",
    "interrupted:",
    "error: recipe",
    "elifecycle",
    "compilation terminated",
    "traceback (most recent",
    "this error originates",
    "importerror while importing",
    "importerror while loading",
    "error collecting",
    "test suite failed",
    "aborted!",
    "did not run successfully",
    "failed to solve: process",
    "to see the full stack trace",
    "re-run maven",
    "errors ====",
    "error ====",
    "short test summary",
    "aborting due to",
    "failed to build installable wheels",
    "error response from",
    "unhandled error",
    "execution failed for task",
    "a failure occurred while executing",
    "what went wrong",
    "could not be resolved to an installable",
];

/// What a check of code or style says about a place.
const PLACED: [&str; 10] = [
    "error ts", "error[e", ": error:", ": error ", ": warning:", "cannot find symbol", "undefined:",
    "[warn]", "diff in ", "would reformat",
];

/// What a test says that did not hold.
const TESTS: [&str; 12] = [
    "assertion", "assert ", "expect(", "test result: failed", "--- fail", "failed tests/", "tests failed",
    "expected:", "failures:", "failing", "1 failed", "panicked at",
];

/// The telling line of what a failed call printed; `None` when nothing in it is telling.
pub fn read(output: &str) -> Option<ErrorText> {
    best(output, true)
}

/// The same where it is not known that the call failed: only a line that has the form of an error counts.
pub fn read_strict(output: &str) -> Option<ErrorText> {
    // Most outputs have none of these, and most calls work.
    const PARTS: [&str; 9] =
        ["rror", "RROR", "atal", "ATAL", "not found", "o module", "xception", "panic", "***"];
    PARTS.iter().any(|part| output.contains(part)).then(|| best(output, false)).flatten()
}

fn best(output: &str, failed: bool) -> Option<ErrorText> {
    let plain = without_escapes(&ends(output));
    let text = printed(&plain);
    let trace = text.contains("Traceback (most recent call last)") || text.contains("Caused by: ");
    let mut found: Option<(u8, String)> = None;
    let mut cause = false;
    for raw in text.lines().take(MAX_LINES) {
        let line = undecorated(raw);
        let lower = line.to_ascii_lowercase();
        // Gradle tells the cause below this line, the deepest last.
        cause = (cause || lower == "what went wrong:") && lower != "try:";
        if letters(&line) < LEAST_LETTERS {
            continue;
        }
        let mut rank = rank(&line, &lower, failed);
        if cause && raw.trim_start().starts_with("> ") && !is_generic(&lower) {
            rank = 85;
        }
        let later_is_better = (trace && rank == 80) || rank == 85;
        let better =
            found.as_ref().is_none_or(|(known, _)| rank > *known || (rank == *known && later_is_better));
        if rank > 0 && better {
            found = Some((rank, line));
        }
    }
    let (rank, line) = found?;
    let masked = masked(&line);
    if letters(&masked) < LEAST_LETTERS {
        return None;
    }
    let kind = kind_of(&line.to_ascii_lowercase(), &text.to_ascii_lowercase(), rank);
    Some(ErrorText { line: cut(&line, MAX_CHARS), key: key(&masked), kind })
}

/// Short enough to be typed.
fn key(masked: &str) -> String {
    let mut hash = short_hash(masked.as_bytes());
    hash.truncate(12);
    hash
}

fn is_generic(lower: &str) -> bool {
    GENERIC.iter().any(|words| lower.contains(words))
}

/// How much a line tells; 0 is nothing.
fn rank(line: &str, lower: &str, failed: bool) -> u8 {
    let named = lower.contains("command not found")
        || lower.contains("no module named")
        || lower.contains("cannot find module")
        || lower.contains("executable not found")
        || lower.contains("executable file not found")
        || (lower.ends_with(": not found") && line.len() < 120)
        || (lower.contains("fatal error:") && lower.contains("no such file"));
    if named {
        return 90;
    }
    if is_generic(lower) {
        return u8::from(failed && lower.contains("error")) * 10;
    }
    if is_exception(line) {
        return 80;
    }
    let begins = ["error:", "error[", "fatal:", "fatal error", "error ", "err!", "panic:", "e: ", "***"];
    if begins.iter().any(|begin| lower.starts_with(begin))
        || lower.contains(": error:")
        || lower.contains(": fatal:")
    {
        return 75;
    }
    if lower.contains(" error ")
        || lower.contains("error:")
        || lower.contains("fatal:")
        || lower.contains(": *** ")
    {
        return 70;
    }
    if !failed {
        return 0;
    }
    if lower.split(|c: char| !c.is_alphanumeric()).any(|word| word == "error") {
        return 65;
    }
    if WORDS.iter().any(|word| lower.contains(word)) {
        return if lower.starts_with("make") && lower.contains("] error ") { 10 } else { 60 };
    }
    // A short output that says it in words of its own.
    u8::from(letters(line) >= LEAST_LETTERS && line.contains(' ')) * 5
}

/// `ValueError: …`, `django.db.utils.OperationalError: …`, `ActiveRecord::PendingMigrationError: …`.
fn is_exception(line: &str) -> bool {
    let line = line.strip_prefix("Caused by: ").unwrap_or(line);
    let name: &str = line.split([':', ' ', '(']).next().unwrap_or_default();
    let name = line.get(..line.find(": ").unwrap_or(name.len())).unwrap_or(name);
    let whole = name.chars().all(|c| c.is_ascii_alphanumeric() || "._:$".contains(c));
    let last = name.rsplit(['.', ':']).next().unwrap_or_default();
    let ends = ["Error", "Exception", "Failure", "Fault", "Timeout", "NotFound", "Interrupt"];
    whole
        && last.starts_with(|c: char| c.is_ascii_uppercase())
        && ends.iter().any(|end| last.ends_with(end))
        && last.len() > 5
}

fn kind_of(line: &str, text: &str, rank: u8) -> ErrorKind {
    if rank >= 90 {
        return ErrorKind::Setting;
    }
    let has = |words: &[&str], text: &str| words.iter().any(|word| text.contains(word));
    if has(&["assertionerror", "assertion "], line) {
        return ErrorKind::Test;
    }
    if has(&PLACED, line) && (has_place(line) || line.starts_with("error[e") || line.contains("undefined:")) {
        return ErrorKind::Diagnostic;
    }
    // An exception below a test's name is the test's; its own kind is told by its line.
    if rank < 80 && has(&TESTS, text) {
        return ErrorKind::Test;
    }
    ErrorKind::Setting
}

/// `src/cart.ts(14,10)`, `src/cart.rs:9:14`, `Invoice.java:[21,9]`.
fn has_place(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.windows(2).any(|pair| matches!(pair, [b':' | b'(' | b'[', digit] if digit.is_ascii_digit()))
}

/// The beginning and the end of a long output.
fn ends(text: &str) -> String {
    if text.len() <= 2 * PART {
        return text.to_owned();
    }
    let (mut head, mut tail) = (PART, text.len() - PART);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}\n{}", text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default())
}

/// Colours and other escapes of a terminal are removed.
fn without_escapes(text: &str) -> String {
    if !text.contains('\u{1b}') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        if chars.next() == Some('[') {
            chars.by_ref().find(char::is_ascii_alphabetic);
        }
    }
    out
}

/// A line without what programs put before it: boxes, bullets, step numbers, `npm error`, `E   `, a time.
fn undecorated(line: &str) -> String {
    let mut rest = line.trim();
    loop {
        let before = rest;
        rest = rest.trim_start_matches(|c: char| {
            c.is_whitespace() || "│|╷╵╰╭─×✗✖✘●•>*".contains(c) && !rest.starts_with("***")
        });
        for begin in ["npm error ", "npm ERR! ", "[ERROR] ", "remote: ", "E   ", "E  ", "error  ", "- "] {
            rest = rest.strip_prefix(begin).unwrap_or(rest);
        }
        // `#5 0.312 …` of a container's build.
        if let Some((step, after)) = rest.split_once(' ')
            && step
                .strip_prefix('#')
                .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty())
        {
            let timed = after
                .split_once(' ')
                .filter(|(time, _)| time.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
            rest = timed.map_or(after, |(_, text)| text);
        }
        if rest == before {
            return rest.trim_end_matches(['│', '║', ' ']).to_owned();
        }
    }
}

/// Letters outside of masks.
fn letters(masked: &str) -> usize {
    masked.chars().filter(|c| c.is_alphabetic()).count()
}

/// The line with everything masked that differs from day to day and from machine to machine.
pub fn masked(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let line = without_asides(line);
    for word in line.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        mask_word(word, &mut out);
    }
    out
}

/// Parentheses with a path, a number or a version say where and which, not what.
fn without_asides(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('(') {
        let (before, from) = rest.split_at(open);
        let Some(close) = from.find(')') else { break };
        let inside = from.get(1..close).unwrap_or_default();
        out.push_str(before);
        // `main(3)` is part of a name.
        let aside = before.ends_with(' ') && inside.contains(|c: char| c.is_ascii_digit() || c == '/');
        if !aside {
            out.push_str(from.get(..=close).unwrap_or_default());
        }
        rest = from.get(close + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn mask_word(word: &str, out: &mut String) {
    let begin = word.find(|c: char| !"'\"`([{<".contains(c)).unwrap_or(word.len());
    let (open, inner) = word.split_at(begin);
    let end = inner
        .rfind(|c: char| !"'\"`)]}>,.;:".contains(c))
        .map_or(0, |at| at + inner.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8));
    let (core, close) = inner.split_at(end);
    out.push_str(open);
    if core.contains("://") {
        out.push_str("<url>");
    } else if is_absolute(core) {
        out.push_str("<path>");
    } else if is_hash(core) {
        out.push_str("<hash>");
    } else if is_placed(core) {
        out.push_str("<place>");
    } else {
        mask_numbers(core, out);
    }
    out.push_str(close);
}

fn is_absolute(word: &str) -> bool {
    let drive = word.as_bytes().get(1..3) == Some(b":\\");
    drive || word.starts_with("~/") || (word.starts_with('/') && word.len() > 1)
}

fn is_hash(word: &str) -> bool {
    let hex = word.bytes().filter(u8::is_ascii_hexdigit).count();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    word.len() >= 7 && digits >= 2 && hex + word.bytes().filter(|b| *b == b'-').count() == word.len()
}

/// `src/orders.rs:44:17`, `src/cart.ts(14,10)`.
fn is_placed(word: &str) -> bool {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit() || ":,()[]".contains(c));
    stem.len() < word.len()
        && stem.contains('.')
        && word.get(stem.len()..).is_some_and(|end| end.starts_with([':', '(']))
}

/// Runs of digits, dotted ones as one; those of a code (`E0433`, `TS2322`) stay.
fn mask_numbers(word: &str, out: &mut String) {
    let code = word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "[]_".contains(c));
    if code || !word.contains(|c: char| c.is_ascii_digit()) {
        out.push_str(word);
        return;
    }
    // `error[E0433]` holds a code.
    if let Some((name, code)) = word.split_once("[E") {
        out.push_str(name);
        out.push_str("[E");
        out.push_str(code);
        return;
    }
    let mut number = false;
    for c in word.chars() {
        if c.is_ascii_digit() {
            if !number {
                out.push('#');
            }
            number = true;
        } else if c == '.' && number {
            // The next digits belong to the same number.
        } else {
            number = false;
            out.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(output: &str) -> String {
        read(output).map(|error| error.line).unwrap_or_default()
    }

    #[test]
    fn the_telling_line_is_found_behind_what_agents_and_tools_put_around_it() {
        for (output, wanted) in [
            (
                "Exit code 2\ngrep: src/cart.py: No such file or directory",
                "grep: src/cart.py: No such file or directory",
            ),
            ("Exit code 127\nsh: 1: pnpm: not found", "sh: 1: pnpm: not found"),
            (
                "Chunk ID: 7\nProcess exited with code 1\nOutput:\nfatal: no such ref: x",
                "fatal: no such ref: x",
            ),
            (
                "<untrusted_context>\nOutput: error: nothing to do here\nExit Code: 3\nProcess Group PGID: 12",
                "error: nothing to do here",
            ),
            (
                "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree",
                "ERESOLVE unable to resolve dependency tree",
            ),
            ("\u{1b}[31merror\u{1b}[0m: it is \u{1b}[1mred\u{1b}[0m here", "error: it is red here"),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'a'\nValueError: the second one",
                "ValueError: the second one",
            ),
            ("│ Error: Inconsistent dependency lock file │", "Error: Inconsistent dependency lock file"),
            (
                "#5 0.312 exec /bin/sh: exec format error\nERROR: failed to solve: process x",
                "exec /bin/sh: exec format error",
            ),
        ] {
            assert_eq!(line(output), wanted, "{output}");
        }
        for nothing in ["", "Exit code 1", "Exit code 1\n\n", "ok\n12\n"] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn the_same_error_has_the_same_key_and_another_name_is_another_error() {
        let key = |text: &str| read(text).unwrap().key;
        for (a, b) in [
            ("error: x at /home/a/b.rs went wrong", "error: x at /srv/c.rs went wrong"),
            ("error: openssl-sys v0.9.102 is too old", "error: openssl-sys v0.10.1 is too old"),
            ("src/a.rs:4:2: error: no such macro here", "src/b.rs:40:21: error: no such macro here"),
            ("fatal: bad object 4f1c2aa9", "fatal: bad object 77bc012f"),
            ("error: port 3000 is already in use", "error: port 8080 is already in use"),
        ] {
            assert_eq!(key(a), key(b), "{a} / {b}");
        }
        for (a, b) in [
            (
                "ModuleNotFoundError: No module named 'shop'",
                "ModuleNotFoundError: No module named 'requests'",
            ),
            ("error[E0433]: failed to resolve it", "error[E0432]: failed to resolve it"),
            ("role \"dev\" does not exist", "role \"root\" does not exist"),
        ] {
            assert_ne!(key(a), key(b), "{a} / {b}");
        }
    }

    #[test]
    fn without_a_known_failure_only_the_form_of_an_error_counts() {
        assert!(read_strict("3 files could not be formatted").is_none());
        assert!(read_strict("error: pathspec 'x' did not match any file(s)").is_some());
        assert!(read_strict("sh: 1: pnpm: not found").is_some());
        assert!(read_strict("error: POND_FILE is not set, see docs/ponds.md\n").is_some());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(error: |[a-z/.:0-9'\"(\\[é\\x1b]|\\n| |Exit code 1\\n){0,60}") {
            if let Some(error) = read(&text) {
                prop_assert!(!error.line.is_empty());
                prop_assert_eq!(error.key.len(), 12);
            }
        }
    }
}
