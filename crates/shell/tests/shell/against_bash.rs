//! The commands that the analysis lists are the commands that bash runs.

use crate::oracle::{Bash, Tally, cases::CASES, generate::Scripts};

/// A folder for the recorders; none, with a word, when there is no bash.
fn bash(name: &str) -> Option<Bash> {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let found = Bash::find(&folder);
    if found.is_none() {
        eprintln!("skipped: bash, cat, env or xargs is missing");
    }
    found
}

#[test]
fn constructs_run_what_bash_runs() {
    let Some(bash) = bash("against-bash-cases") else { return };
    let mut tally = Tally::default();
    for script in CASES {
        tally.add(bash.compare(script));
    }
    assert!(tally.missing.is_empty(), "{}", tally.missing.join("\n\n"));
    assert!(tally.more.is_empty(), "{}", tally.more.join("\n\n"));
    assert_eq!(tally.broken, 0, "every case is a script");
    assert!(tally.same * 100 >= tally.compared() * 95, "{} of {} known", tally.same, tally.compared());
}

#[test]
fn generated_scripts_run_what_bash_runs() {
    let Some(bash) = bash("against-bash-generated") else { return };
    let mut scripts = Scripts::new(20);
    let mut tally = Tally::default();
    for _ in 0..150 {
        tally.add(bash.compare(&scripts.script()));
    }
    assert!(tally.missing.is_empty(), "{}", tally.missing.join("\n\n"));
    assert!(tally.compared() >= 140, "{} scripts were rejected", tally.broken);
    assert!(tally.same * 100 >= tally.compared() * 90, "{} of {} the same", tally.same, tally.compared());
}
