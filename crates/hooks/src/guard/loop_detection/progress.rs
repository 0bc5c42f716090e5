//! What counts as progress: a build, a test, a linter or a commit that passed, as far as the agent tells.

use serde_json::Value;
use sprag_config::settings::Texts;
use sprag_protocol::outcome::exit_code;
use sprag_shell::{Analysis, Cmd};

/// Builds, tests, linters and type checkers of the usual languages; a commit.
pub(super) const CHECKS: &[&str] = &[
    "cargo build|b|check|c|test|t|clippy|nextest|run|r",
    "go build|test|vet|run",
    "golangci-lint|staticcheck",
    "npm|pnpm|yarn|bun|deno test|t|*build*|*lint*|*check*|*test*|*tsc*",
    "tsc|vue-tsc|eslint|oxlint|biome|jest|vitest|mocha|ava|playwright|cypress|vite|next|webpack",
    "pytest|tox|nox|mypy|pyright|basedpyright|ruff|flake8|pylint|pyre|ty",
    "python|python3 pytest|unittest|mypy|py_compile|compileall|*test*",
    "make|just|task|ninja|rake $",
    "make|just|task|ninja|rake *test*|*check*|*build*|*lint*|all|ci|spec",
    "cmake --build",
    "ctest|meson|bazel|buck2|pants",
    "gradle|gradlew|mvn|mvnw|sbt|ant build|test|check|assemble|verify|package|compile|install",
    "dotnet|swift|zig|mix|cabal|stack|flutter|dart build|test|compile|analyze|format|check",
    "xcodebuild|rspec|rubocop|phpunit|phpstan|psalm|pest|credo|shellcheck|hadolint|terraform",
    "composer|php *test*|*lint*|*check*",
    "pre-commit run",
    "git commit",
];

/// True when a command is a check or a commit and it passed.
pub(super) fn progress(line: &Analysis, response: Option<&Value>, checks: Texts<'_>) -> bool {
    let is_check = |command: &&Cmd| checks.iter().any(|pattern| command.matches(pattern));
    let Some(check) = line.local_commands().filter(is_check).min_by_key(|command| command.decides) else {
        return false;
    };
    let response = response.unwrap_or(&Value::Null);
    let field = |key: &str| response.get(key).filter(|value| !value.is_null());
    let running = field("backgroundTaskId").is_some() || field("timedOutAfterMs").is_some();
    if running || field("interrupted") == Some(&Value::Bool(true)) {
        return false;
    }
    let text = |key: &str| field(key).and_then(Value::as_str);
    let output = response.as_str().or_else(|| text("stdout")).or_else(|| text("llmContent"));
    let output = output.unwrap_or_default();
    // Some agents tell a failure apart by the event or the text, one not at all.
    match (exit_code(output), text("stdout").is_some() || text("llmContent").is_some()) {
        (Some(code), _) if code != 0 => false,
        (Some(_), _) | (None, true) if check.decides => true,
        // The exit code is unknown or another command's: the words of the check decide.
        (_, known) => !looks_failed(output) && (!known && check.decides || looks_passed(output)),
    }
}

/// The most output that is looked at for words: the end, where checks say how they went.
const TAIL: usize = 8 * 1024;

fn tail(output: &str) -> String {
    let mut from = output.len().saturating_sub(TAIL);
    while !output.is_char_boundary(from) {
        from += 1;
    }
    output.get(from..).unwrap_or_default().to_ascii_lowercase()
}

/// A word of failure that is not counted zero (`0 failed`, `no errors`, `errors: 0`).
fn looks_failed(output: &str) -> bool {
    let text = tail(output);
    ["fail", "error", "panicked", "traceback", "not found", "exception"].iter().any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default().trim_end();
            let none = before.ends_with("no")
                || before.ends_with("without")
                || before.rsplit(|c: char| !c.is_ascii_digit()).next() == Some("0");
            let after = text.get(at + word.len()..).unwrap_or_default();
            let after = after
                .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .trim_start_matches([':', '=', ' ', '"']);
            let zero = after.starts_with('0') && !after.starts_with("0.");
            !(none || zero)
        })
    })
}

fn looks_passed(output: &str) -> bool {
    let text = tail(output);
    ["passed", "result: ok", "success", "finished", "0 errors", "no issues", "no errors", "all checks"]
        .iter()
        .any(|word| text.contains(word))
        || text.lines().any(|line| line.trim() == "ok" || line.starts_with("ok "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sprag_shell::Context;

    fn progress(line: &str, response: Option<&Value>, checks: Texts<'_>) -> bool {
        let context = Context { cwd: "/p".into(), home: "/h".into(), project_root: "/p".into() };
        let passed = super::progress(&sprag_shell::analyse(line, &context), response, checks);
        assert!(!passed || sprag_shell::may_match(line, checks.iter()), "{line}");
        passed
    }

    #[test]
    fn a_check_that_passed_is_progress_and_one_that_did_not_is_none() {
        let claude =
            |line: &str, output: &str| progress(line, Some(&json!({"stdout": output})), Texts::fixed(CHECKS));
        assert!(claude("cd a && cargo test -p x", "ok"));
        assert!(claude("npm run lint", "") && claude("git commit -am x", "") && claude("npx tsc", ""));
        assert!(!claude("ls", "passed") && !claude("echo cargo test", "passed"));
        // The exit code of a pipe is the last command's.
        assert!(!claude("cargo test 2>&1 | tail -3", "test result: FAILED. 3 passed; 1 failed"));
        assert!(claude("cargo test 2>&1 | tail -3", "test result: ok. 3 passed; 0 failed; 0 ignored"));
        assert!(!claude("pytest || true", "2 failed, 10 passed"));
        assert!(!claude("cargo build | tail -1", ""), "nothing says that it passed");
        assert!(!claude("! cargo test", ""), "it failed");
        assert!(claude("if [ -f a ]; then cargo test; fi", ""));
        assert!(!claude("ssh host cargo test", "passed"), "of another machine");
        // No exit code at all: the text decides.
        let codex = |line: &str, output: &str| progress(line, Some(&json!(output)), Texts::fixed(CHECKS));
        assert!(codex("tsc --noEmit", "") && !codex("tsc --noEmit", "a.ts(1,2): error TS2304: x"));
        assert!(!codex("cargo test", "Process exited with code 101\nOutput:\nx"));
        let gemini =
            |text: &str| progress("make test", Some(&json!({"llmContent": text})), Texts::fixed(CHECKS));
        assert!(gemini("Output: fine") && !gemini("Output: (empty)\nExit Code: 2"));
        let running = json!({"stdout": "", "backgroundTaskId": "b1"});
        assert!(!progress("cargo test", Some(&running), Texts::fixed(CHECKS)));
        let stopped = json!({"stdout": "", "interrupted": true});
        assert!(!progress("cargo test", Some(&stopped), Texts::fixed(CHECKS)));
    }
}
