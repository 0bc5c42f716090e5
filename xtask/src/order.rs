//! `cargo xtask order`: which functions run on the event path, for the linker of `./install` (docs/adr/0074).
//!
//! Recorded events run under callgrind, which names every function that was executed. A function's symbol ends with a hash that
//! differs between compilers: it is left out where the rest of the name says enough, and kept for functions of
//! generic types, of which a program has hundreds under one name.

use crate::budget::World;
use crate::{has, root, sh};
use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Recorded events, those that come most often first: an event's functions lie behind those of the events before it.
const EVENTS: [&str; 14] = [
    "PreToolUse.Bash", "PreToolUse.Read", "PostToolUse.Bash", "PostToolUse.Read", "PreToolUse.Grep",
    "PreToolUse.Edit", "PostToolUse.Edit", "PostToolUseFailure.Bash", "UserPromptSubmit", "Stop",
    "SessionEnd.other", "SubagentStop", "PreCompact.manual", "SessionStart.startup",
];
/// Functions of one name beyond this number are told apart by their hashes.
const ALIKE: usize = 8;
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
    let alike = names(&program)?;
    anyhow::ensure!(!alike.is_empty(), "{} has no symbols: it was stripped", program.display());
    let mut runs = Vec::new();
    for event in EVENTS {
        let world = World::new(scratch.path(), &program, event)?;
        world.functions().with_context(|| format!("{event} was not measured"))?;
        let executed = world.functions().with_context(|| format!("{event} was not measured"))?;
        println!("{event}: {} functions", executed.len());
        runs.push(executed);
    }
    let list = ordered(&runs, &alike);
    let file = root().join("packaging/link/hot-functions.txt");
    std::fs::write(&file, list.join("\n") + "\n")?;
    println!("{} functions written to packaging/link/hot-functions.txt", list.len());
    Ok(())
}

/// How many functions of a program have each name, hashes left out.
fn names(program: &Path) -> anyhow::Result<BTreeMap<String, usize>> {
    let output = Command::new("nm").args(["--defined-only", "--format=posix"]).arg(program).output()?;
    let mut names = BTreeMap::new();
    for symbol in
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.split_whitespace().next())
    {
        *names.entry(without_hash(symbol).into_owned()).or_default() += 1;
    }
    Ok(names)
}

/// What most events run first, then what each event adds.
fn ordered(runs: &[BTreeSet<String>], alike: &BTreeMap<String, usize>) -> Vec<String> {
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
        .map(|(symbol, _)| {
            let name = without_hash(symbol);
            if alike.get(name.as_ref()).is_some_and(|count| *count > ALIKE) {
                symbol.to_owned()
            } else {
                name.into_owned()
            }
        })
        .filter(|line| written.insert(line.clone()))
        .collect()
}

/// `…17h0123456789abcdefE` without the hash; other symbols as they are.
fn without_hash(symbol: &str) -> std::borrow::Cow<'_, str> {
    let hash = symbol
        .strip_suffix('E')
        .and_then(|rest| rest.len().checked_sub(19).map(|at| rest.split_at_checked(at)));
    match hash.flatten() {
        Some((name, hash))
            if hash.starts_with("17h") && hash.bytes().skip(3).all(|byte| byte.is_ascii_hexdigit()) =>
        {
            format!("{name}E").into()
        }
        _ => symbol.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(functions: &[&str]) -> BTreeSet<String> {
        functions.iter().map(|function| (*function).to_owned()).collect()
    }

    #[test]
    fn a_hash_is_left_out_unless_many_functions_share_the_name() {
        assert_eq!(without_hash("_ZN4core3fmt17h0123456789abcdefE"), "_ZN4core3fmtE");
        assert_eq!(without_hash("sqlite3_step"), "sqlite3_step");
        assert_eq!(without_hash("E"), "E");
        let alike = BTreeMap::from([("_ZN3vec4dropE".to_owned(), 9), ("_ZN5guard5judgeE".to_owned(), 1)]);
        let runs = [run(&["_ZN3vec4drop17h0123456789abcdefE", "_ZN5guard5judge17h0123456789abcdefE"])];
        assert_eq!(ordered(&runs, &alike), ["_ZN3vec4drop17h0123456789abcdefE", "_ZN5guard5judgeE"]);
    }

    #[test]
    fn what_all_events_run_is_first_and_the_first_event_next() {
        let mut runs = vec![run(&["z_all", "first"])];
        runs.extend((0..COMMON_EVENTS).map(|_| run(&["z_all", "a_late"])));
        runs[1] = run(&["z_all"]);
        runs[2] = run(&["z_all", "second"]);
        let late = runs.iter().filter(|run| run.contains("a_late")).count();
        assert!(late < COMMON_EVENTS);
        assert_eq!(ordered(&runs, &BTreeMap::new()), ["z_all", "first", "second", "a_late"]);
    }
}
