//! `cargo xtask order`: which functions run on the event path, for the linker of `./install` (docs/adr/0074).
//!
//! Recorded events run under callgrind, which names every function that was executed. `./install` builds with symbols that spell out a
//! function's types, so that a name says which of a generic function's hundreds of instances it is. What differs
//! between builds of the same function is left out of it.

use crate::budget::World;
use crate::{has, root, sh};
use anyhow::Context as _;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

/// Recorded events, those that come most often first: an event's functions lie behind those of the events before it.
const EVENTS: [&str; 14] = [
    "PreToolUse.Bash", "PreToolUse.Read", "PostToolUse.Bash", "PostToolUse.Read", "PreToolUse.Grep",
    "PreToolUse.Edit", "PostToolUse.Edit", "PostToolUseFailure.Bash", "UserPromptSubmit", "Stop",
    "SessionEnd.other", "SubagentStop", "PreCompact.manual", "SessionStart.startup",
];
/// A function that so many events run belongs to all of them.
const COMMON_EVENTS: usize = 10;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    anyhow::ensure!(has("valgrind") && has("nm"), "it needs valgrind and nm");
    let scratch = tempfile::tempdir()?;
    let given = args.iter().position(|arg| arg == "--bin").and_then(|at| args.get(at + 1));
    let program = if let Some(path) = given {
        PathBuf::from(path)
    } else {
        sh(Command::new(root().join("install"))
            .env("CARGO_PROFILE_INSTALLED_STRIP", "none")
            .arg("--prefix")
            .arg(scratch.path().join("installed")))?;
        scratch.path().join("installed/bin/sprag")
    };
    let symbols = Command::new("nm").arg("--defined-only").arg(&program).output()?.stdout;
    anyhow::ensure!(!symbols.is_empty(), "{} has no symbols: it was stripped", program.display());
    let mut runs = Vec::new();
    for event in EVENTS {
        let world = World::new(scratch.path(), &program, event)?;
        world.functions().with_context(|| format!("{event} was not measured"))?;
        let executed = world.functions().with_context(|| format!("{event} was not measured"))?;
        println!("{event}: {} functions", executed.len());
        runs.push(executed);
    }
    let list = ordered(&runs);
    let file = root().join("packaging/link/hot-functions.txt");
    std::fs::write(&file, list.join("\n") + "\n")?;
    println!("{} functions written to packaging/link/hot-functions.txt", list.len());
    Ok(())
}

/// What most events run first, then what each event adds.
fn ordered(runs: &[BTreeSet<String>]) -> Vec<String> {
    let mut events: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (event, run) in runs.iter().enumerate() {
        for function in run {
            events.entry(function).or_default().push(event);
        }
    }
    let mut functions: Vec<(&str, Vec<usize>)> = events.into_iter().collect();
    functions.sort_by_key(|(_, events)| {
        let common = events.len() >= COMMON_EVENTS;
        (
            !common,
            if common { 0 } else { events.first().copied().unwrap_or_default() },
            usize::MAX - events.len(),
        )
    });
    let mut written = BTreeSet::new();
    functions
        .into_iter()
        .map(|(symbol, _)| without_hashes(symbol))
        .filter(|line| written.insert(line.clone()))
        .collect()
}

/// A symbol of Rust without the hashes of crates (`Cs7BliBxkEZsN_4core` → `C4core`) and without the targets of its references into
/// itself (`B1t_` → `B_`), which move with the length of those. `packaging/link/hot-first` does the same.
fn without_hashes(symbol: &str) -> String {
    if !symbol.starts_with("_R") {
        return symbol.to_owned();
    }
    let (crates, references) = (Regex::new("Cs[0-9A-Za-z]+_"), Regex::new("B[0-9A-Za-z]*_"));
    let (Ok(crates), Ok(references)) = (crates, references) else { return symbol.to_owned() };
    let name = crates.replace_all(symbol, "C");
    references.replace_all(&name, "B_").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(functions: &[&str]) -> BTreeSet<String> {
        functions.iter().map(|function| (*function).to_owned()).collect()
    }

    #[test]
    fn two_builds_of_a_function_have_one_name() {
        let one = "_RINvNtCs7BliBxkEZsN_4core3ptr13drop_in_placeNtNtNtCsaz6eC2DG7lh_3std2io5error5ErrorEBM_";
        let other = "_RINvNtCs7Bli_4core3ptr13drop_in_placeNtNtNtCsQ_3std2io5error5ErrorEBx_";
        assert_eq!(without_hashes(one), "_RINvNtC4core3ptr13drop_in_placeNtNtNtC3std2io5error5ErrorEB_");
        assert_eq!(without_hashes(one), without_hashes(other));
        assert_eq!(without_hashes("sqlite3_Cs1_B2_step"), "sqlite3_Cs1_B2_step");
    }

    /// The script of the linker says it a second time, in another language.
    #[test]
    fn the_linker_takes_the_same_names() {
        let script = std::fs::read_to_string(root().join("packaging/link/hot-first")).unwrap();
        assert!(script.contains(r#"gsub(/Cs[0-9A-Za-z]+_/, "C", name); gsub(/B[0-9A-Za-z]*_/, "B_", name)"#));
    }

    #[test]
    fn what_all_events_run_is_first_and_the_first_event_next() {
        let mut runs = vec![run(&["z_all", "first"])];
        runs.extend((0..COMMON_EVENTS).map(|_| run(&["z_all", "a_late"])));
        runs[1] = run(&["z_all"]);
        runs[2] = run(&["z_all", "second"]);
        let late = runs.iter().filter(|run| run.contains("a_late")).count();
        assert!(late < COMMON_EVENTS);
        assert_eq!(ordered(&runs), ["z_all", "first", "second", "a_late"]);
    }
}
