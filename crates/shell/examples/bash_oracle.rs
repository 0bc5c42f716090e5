//! Compares the analysis with real bash on generated scripts:
//! `cargo run --release -p sprag-shell --example bash_oracle -- [SCRIPTS] [SEED]`.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::indexing_slicing,
    reason = "a tool, not the library"
)]
#![expect(clippy::print_stdout, reason = "a tool, not the library")]

#[path = "../tests/oracle/mod.rs"]
mod oracle;

use oracle::{Bash, Tally, cases::CASES, generate::Scripts};

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<u64>().ok());
    let count = numbers.next().unwrap_or(1000);
    let seed = numbers.next().unwrap_or(1);
    let folder = std::env::temp_dir().join(format!("sprag-oracle-{}", std::process::id()));
    let Some(bash) = Bash::find(&folder) else {
        println!("bash, cat, env or xargs is missing");
        return;
    };
    let mut written = Tally::default();
    for script in CASES {
        written.add(bash.compare(script));
    }
    report("written by hand", &written);
    let mut scripts = Scripts::new(seed);
    let mut generated = Tally::default();
    for _ in 0..count {
        generated.add(bash.compare(&scripts.script()));
    }
    report("generated", &generated);
    let _ = std::fs::remove_dir_all(&folder);
}

fn report(name: &str, tally: &Tally) {
    for text in tally.missing.iter().take(20) {
        println!("MISSING\n{text}\n");
    }
    for text in tally.unknown.iter().take(20) {
        println!("UNKNOWN\n{text}\n");
    }
    for text in tally.more.iter().take(20) {
        println!("MORE\n{text}\n");
    }
    println!(
        "{name}: {} compared, {} the same, {} with an unknown word, {} with more, {} with a call missing, {} rejected",
        tally.compared(),
        tally.same,
        tally.unknown.len(),
        tally.more.len(),
        tally.missing.len(),
        tally.broken
    );
}
