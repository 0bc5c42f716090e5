//! What came of the tests: read from the output of `cargo test`, told at the end with how to repeat what failed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The tests that only other tests start, as processes of their own: their reason for being ignored.
const HELPER: &str = "started by other tests";

/// A test program, as cargo selects it: `-p sprag-store --test store`.
pub(super) type Selector = String;

/// The selectors of test programs, by the name of their file.
pub(super) type Programs = BTreeMap<String, Selector>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped(String),
}

/// The outcomes of one or several runs.
#[derive(Debug, Default)]
pub(super) struct Summary {
    tests: BTreeMap<(Selector, String), Outcome>,
    /// Test programs that ended without a result, and commands that failed.
    broken: BTreeSet<String>,
    /// What is known by number only.
    counted: Counts,
    second_run: BTreeSet<String>,
}

/// How many tests ended in which way.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) skipped: usize,
}

impl Counts {
    /// `N passed, N failed, N skipped`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut parts = line.trim().split(", ");
        let mut number = |word: &str| parts.next()?.strip_suffix(word)?.trim_end().parse().ok();
        Some(Self { passed: number("passed")?, failed: number("failed")?, skipped: number("skipped")? })
    }
}

impl Summary {
    /// Takes over the outcomes of a run. Who failed in one run has failed; who passed in one was not skipped.
    pub(super) fn add(&mut self, run: Run) {
        for (test, outcome) in run.tests {
            let entry = self.tests.entry(test).or_insert_with(|| outcome.clone());
            match (&*entry, &outcome) {
                (_, Outcome::Failed) | (Outcome::Skipped(_), Outcome::Passed) => *entry = outcome,
                _ => {}
            }
        }
        self.counted.passed += run.unnamed;
        self.broken.extend(run.broken);
    }

    /// Adds what another program counted; the command is how to repeat it.
    pub(super) fn add_counts(&mut self, counts: Counts, command: &str) {
        self.counted.passed += counts.passed;
        self.counted.skipped += counts.skipped;
        if counts.failed > 0 {
            self.counted.failed += counts.failed - 1;
            self.broken.insert(command.to_owned());
        }
    }

    /// A command failed, and nothing else says so.
    pub(super) fn add_broken(&mut self, command: String) {
        self.broken.insert(command);
    }

    /// A test that failed has passed when it was run once more.
    pub(super) fn passed_in_second_run(&mut self, selector: &str, test: &str) {
        self.tests.insert((selector.to_owned(), test.to_owned()), Outcome::Passed);
        self.second_run.insert(test.to_owned());
    }

    pub(super) fn failed(&self) -> bool {
        self.counts().failed > 0
    }

    fn counts(&self) -> Counts {
        let count = |is: fn(&Outcome) -> bool| self.tests.values().filter(|outcome| is(outcome)).count();
        Counts {
            passed: self.counted.passed + count(|outcome| *outcome == Outcome::Passed),
            failed: self.counted.failed + self.broken.len() + count(|outcome| *outcome == Outcome::Failed),
            skipped: self.counted.skipped + count(|outcome| matches!(outcome, Outcome::Skipped(_))),
        }
    }

    /// The text for people; its last line has the numbers alone.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for ((selector, test), outcome) in &self.tests {
            if let Outcome::Skipped(reason) = outcome {
                reasons.entry(reason).or_default().push(format!("{selector} {test}"));
            }
        }
        for (reason, tests) in reasons {
            let _ = writeln!(text, "skipped: {reason}");
            for test in tests {
                let _ = writeln!(text, "    {test}");
            }
        }
        for test in &self.second_run {
            let _ = writeln!(text, "needed a second run: {test}");
        }
        for ((selector, test), outcome) in &self.tests {
            if *outcome == Outcome::Failed {
                let _ = writeln!(text, "failed: {test}\n    repeat: {}", repeat(selector, test));
            }
        }
        for command in &self.broken {
            let _ = writeln!(text, "failed: see above\n    repeat: {command}");
        }
        let Counts { passed, failed, skipped } = self.counts();
        let _ = writeln!(text, "{passed} passed, {failed} failed, {skipped} skipped");
        text
    }
}

/// The command that runs one test again.
fn repeat(selector: &str, test: &str) -> String {
    let quoted = test.contains(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
    let test = if quoted { format!("'{test}'") } else { test.to_owned() };
    format!("cargo xtask test {selector} -- --exact {test}")
}

/// Reads the output of one `cargo test`, line by line.
pub(super) struct Run {
    programs: Programs,
    tests: BTreeMap<(Selector, String), Outcome>,
    unnamed: usize,
    broken: BTreeSet<String>,
    current: Option<Current>,
}

/// The test program that runs.
struct Current {
    selector: Selector,
    outcomes: BTreeMap<String, Outcome>,
    in_failures: bool,
}

impl Run {
    pub(super) fn new(programs: Programs) -> Self {
        Self { programs, tests: BTreeMap::new(), unnamed: 0, broken: BTreeSet::new(), current: None }
    }

    pub(super) fn line(&mut self, line: &str) {
        if let Some(selector) = self.started(line.trim_start()) {
            self.end_program(None);
            self.current = Some(Current { selector, outcomes: BTreeMap::new(), in_failures: false });
        } else if let Some(result) = line.strip_prefix("test result: ") {
            self.end_program(Some(result));
        } else if let Some(current) = &mut self.current {
            current.line(line);
        }
    }

    /// The program that this line says is started.
    fn started(&self, line: &str) -> Option<Selector> {
        if let Some(name) = line.strip_prefix("Doc-tests ") {
            return Some(format!("-p {} --doc", name.trim().replace('_', "-")));
        }
        let path = line.strip_prefix("Running ")?.split_once('(')?.1.split_once(')')?.0;
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        Some(self.programs.get(file).cloned().unwrap_or_else(|| format!("`{file}`")))
    }

    /// A program has ended: with a result, or before it could give one.
    fn end_program(&mut self, result: Option<&str>) {
        let Some(current) = self.current.take() else { return };
        let Some(result) = result else {
            self.broken.insert(format!("cargo xtask test {}", current.selector));
            return;
        };
        // Output of a test can fall into the line that names it; the result counts it all the same.
        let stated = |word: &str| {
            let part = result.split(['.', ';']).find_map(|part| part.trim().strip_suffix(word))?;
            part.trim().parse::<usize>().ok()
        };
        let named = current.outcomes.values().filter(|outcome| **outcome == Outcome::Passed).count();
        self.unnamed += stated(" passed").unwrap_or_default().saturating_sub(named);
        let failed = current.outcomes.values().filter(|outcome| **outcome == Outcome::Failed).count();
        if failed == 0 && !result.starts_with("ok") {
            self.broken.insert(format!("cargo xtask test {}", current.selector));
        }
        let tests = current.outcomes.into_iter();
        self.tests.extend(tests.map(|(test, outcome)| ((current.selector.clone(), test), outcome)));
    }

    /// The tests that noted themselves as skipped, as `sprag_testkit::skip` writes it.
    pub(super) fn skips(&mut self, notes: &str) {
        for note in notes.lines() {
            let mut parts = note.splitn(3, '\t');
            let (Some(file), Some(test), Some(reason)) = (parts.next(), parts.next(), parts.next()) else {
                continue;
            };
            let selector = self.programs.get(file).cloned().unwrap_or_else(|| format!("`{file}`"));
            // The harness says `ok` of a test that returned early. One that failed afterwards has failed.
            let entry = self.tests.entry((selector, test.to_owned())).or_insert(Outcome::Passed);
            match entry {
                Outcome::Passed => *entry = Outcome::Skipped(reason.to_owned()),
                Outcome::Skipped(known) if !known.contains(reason) => {
                    known.push_str("; ");
                    known.push_str(reason);
                }
                _ => {}
            }
        }
    }

    /// The end of the output: the tests that failed, with their programs.
    pub(super) fn end(&mut self) -> Vec<(Selector, String)> {
        self.end_program(None);
        let failed = self.tests.iter().filter(|(_, outcome)| **outcome == Outcome::Failed);
        failed.map(|(test, _)| test.clone()).collect()
    }

    pub(super) fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }
}

impl Current {
    fn line(&mut self, line: &str) {
        if line == "failures:" {
            self.in_failures = true;
        } else if self.in_failures {
            // The names come right below, the outputs after an empty line.
            match line.strip_prefix("    ") {
                Some(test) => drop(self.outcomes.insert(test.to_owned(), Outcome::Failed)),
                None => self.in_failures = false,
            }
        } else if let Some((test, word)) =
            line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
        {
            let test = test.strip_suffix(" - should panic").unwrap_or(test);
            let outcome = match word.split_once(", ").unwrap_or((word, "ignored")) {
                ("ok", _) => Outcome::Passed,
                ("FAILED", _) => Outcome::Failed,
                ("ignored", HELPER) => return,
                ("ignored", reason) => Outcome::Skipped(reason.to_owned()),
                _ => return,
            };
            self.outcomes.insert(test.to_owned(), outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;

    const OUTPUT: &str = "
   Compiling sprag-store v0.1.0
     Running unittests src/lib.rs (target/debug/deps/sprag_store-0a)

running 2 tests
test a::one ... ok
test a::two ... some output of a child
ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/store/main.rs (target/debug/deps/store-0b)

running 5 tests
test claims::child ... ignored, started by other tests
test figures ... ignored, prints figures
test needs_a_tool ... ok
test boom - should panic ... ok
test broken ... FAILED

failures:

---- broken stdout ----
    not_a_test

failures:
    broken

test result: FAILED. 2 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.01s

     Running tests/crash/main.rs (target/debug/deps/crash-0c)

running 1 test
error: test failed, to rerun pass `-p sprag --test crash`
   Doc-tests sprag_testkit

running 1 test
test crates/testkit/src/lib.rs - (line 4) - compile ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    fn run(output: &str) -> Run {
        let programs = [
            ("sprag_store-0a", "-p sprag-store --lib"),
            ("store-0b", "-p sprag-store --test store"),
            ("crash-0c", "-p sprag --test crash"),
        ];
        let mut run =
            Run::new(programs.map(|(file, selector)| (file.to_owned(), selector.to_owned())).into());
        output.lines().for_each(|line| run.line(line));
        run
    }

    #[test]
    fn passed_failed_and_skipped_are_told_with_the_commands_to_repeat() {
        let mut run = run(OUTPUT);
        let failed = run.end();
        assert_eq!(failed, [("-p sprag-store --test store".to_owned(), "broken".to_owned())]);
        run.skips("store-0b\tneeds_a_tool\tno such tool\n");
        let mut summary = Summary::default();
        summary.add(run);
        assert_eq!(
            summary.text(),
            "skipped: no such tool\n    -p sprag-store --test store needs_a_tool\n\
             skipped: prints figures\n    -p sprag-store --test store figures\n\
             failed: broken\n    repeat: cargo xtask test -p sprag-store --test store -- --exact broken\n\
             failed: see above\n    repeat: cargo xtask test -p sprag --test crash\n\
             4 passed, 2 failed, 2 skipped\n"
        );
        assert!(summary.failed());
    }

    #[test]
    fn a_later_run_counts_where_an_earlier_one_was_skipped_and_never_hides_a_failure() {
        let output = |word: &str| {
            format!(
                "Running tests/store/main.rs (target/store-0b)\ntest t ... {word}\n\
                 test result: ok. 1 passed; 0 failed; 0 ignored\n"
            )
        };
        let mut summary = Summary::default();
        let mut first = run(&output("ok"));
        first.end();
        first.skips("store-0b\tt\tno pgvector\n");
        summary.add(first);
        assert_eq!(summary.counts(), Counts { passed: 0, failed: 0, skipped: 1 });
        summary.add(run(&output("ok")));
        assert_eq!(summary.counts(), Counts { passed: 1, failed: 0, skipped: 0 });
        summary.add(run(&output("FAILED")));
        summary.add(run(&output("ok")));
        assert_eq!(summary.counts().failed, 1);
        summary.passed_in_second_run("-p sprag-store --test store", "t");
        assert!(!summary.failed() && summary.text().contains("needed a second run: t\n"));
    }

    #[test]
    fn the_numbers_of_other_programs_are_added() {
        assert_eq!(
            Counts::parse("12 passed, 1 failed, 0 skipped"),
            Some(Counts { passed: 12, failed: 1, skipped: 0 })
        );
        assert_eq!(Counts::parse("12 passed"), None);
        let mut summary = Summary::default();
        summary.add_counts(Counts { passed: 12, failed: 3, skipped: 1 }, "sprag test");
        assert!(summary.text().ends_with("repeat: sprag test\n12 passed, 3 failed, 1 skipped\n"));
    }
}
