//! A test that cannot run here says so: in the summary of `cargo xtask test`, else on standard error.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// The variable that names the file which skipped tests are listed in: program, test and reason, separated by tabs.
pub const SKIPS: &str = "SPRAG_TEST_SKIPS";

/// Notes that the calling test does not run, or not all of it, and why. The test returns afterwards, or goes on with the rest.
pub fn skip(reason: impl Display) {
    // The harness names the thread of a test after it.
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    let noted = match std::env::var_os(SKIPS).filter(|file| !file.is_empty()) {
        Some(file) => note(Path::new(&file), test, &reason.to_string()),
        // Past the test harness, which would hide it.
        None => writeln!(io::stderr(), "SKIPPED {test}: {reason}"),
    };
    if let Err(error) = noted {
        panic!("{test} is skipped ({reason}), and that cannot be noted: {error}");
    }
}

/// One line with one write: test programs may run at the same time.
fn note(file: &Path, test: &str, reason: &str) -> io::Result<()> {
    let program = std::env::current_exe()?;
    let program = program.file_name().unwrap_or_default().to_string_lossy();
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut file = File::options().create(true).append(true).open(file)?;
    file.write_all(format!("{program}\t{test}\t{reason}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_line_with_program_test_and_reason() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("skips");
        note(&file, "a::test", "no such\n\ttool").unwrap();
        note(&file, "b", "x").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
        assert!(lines[0][0].starts_with("sprag_testkit-"), "{text}");
        assert_eq!((&lines[0][1..], &lines[1][1..]), (&["a::test", "no such tool"][..], &["b", "x"][..]));
    }
}
