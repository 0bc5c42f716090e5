//! Every operation of every scenario fails once in every way that such an operation can. After each: the agent got a
//! valid answer, what was acknowledged before is still there, and the same run without a fault does all of its work.
//!
//! The suite runs a sample; `cargo xtask faults` runs all of it and prints the figures.

use crate::scenario::{Run, SCENARIOS, Scenario, World};
use serde_json::Value;
use sprag_testkit::Output;
use std::collections::BTreeMap;

/// What can happen to an operation.
fn faults_of(operation: &str) -> &'static [&'static str] {
    match operation {
        "Open" => &["eio", "enospc", "eintr", "eacces"],
        "Read" => &["eio", "eintr"],
        "Write" => &["eio", "enospc", "eintr", "short", "crash-before", "crash-after"],
        "Sync" | "Rename" => &["eio", "enospc", "eacces", "crash-before", "crash-after"],
        "Remove" | "MakeDir" => &["eio", "enospc", "eacces", "crash-after"],
        "Statement" => &["eio", "enospc", "eacces", "crash-before", "crash-after"],
        _ => &["eio", "eacces"],
    }
}

/// The operations that a run has.
fn operations(out: &Output) -> Vec<String> {
    let named = out.stderr.lines().filter_map(|line| line.strip_prefix("fault: operation "));
    named.filter_map(|line| Some(line.split_once('(')?.1.trim_end_matches(')').to_owned())).collect()
}

/// What an event was answered: the decision.
fn decision(out: &Output) -> String {
    let answer: Value = serde_json::from_str(&out.stdout).unwrap_or_default();
    let decisions = [&answer["hookSpecificOutput"]["permissionDecision"], &answer["decision"]];
    decisions.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

/// What came of one scenario.
#[derive(Default)]
struct Figures {
    operations: usize,
    failed: BTreeMap<&'static str, u64>,
}

/// Operations that change nothing. A scenario may have hundreds, as when the processes of the machine are looked at.
fn only_looks(operation: &str) -> bool {
    matches!(operation, "Open" | "Stat" | "Read")
}

/// Fails the operations of a scenario that `chosen` picks by their number, each in every way; of those that only look,
/// so many, evenly spread.
fn walk(scenario: &Scenario, looks: usize, chosen: impl Fn(usize) -> bool) -> Option<Figures> {
    let world = World::new(scenario.begin);
    let before = world.records();
    let whole = world.run(scenario.run, "list");
    if whole.code != Some(0) {
        // Inside an agent, for example, nothing is unregistered.
        sprag_testkit::skip(format!(
            "faults: {}: {}",
            scenario.name,
            whole.stderr.lines().last().unwrap_or("")
        ));
        return None;
    }
    let operations = operations(&whole);
    assert!(operations.len() > 3, "{}: the program names no operations", scenario.name);
    let after = After {
        decision: decision(&whole),
        settings: std::fs::read(world.settings()).unwrap(),
        memories: world.records().count("memories"),
        dead: world.jobs("dead"),
    };
    let mut figures = Figures { operations: operations.len(), ..Figures::default() };
    let stride = operations.iter().filter(|operation| only_looks(operation)).count() / looks + 1;
    let mut number = 0;
    for (index, operation) in operations.iter().enumerate() {
        if only_looks(operation) && index % stride != 0 {
            continue;
        }
        for fault in faults_of(operation) {
            number += 1;
            if !chosen(number) {
                continue;
            }
            world.restore();
            let what = format!("{}: {}:{fault} ({operation})", scenario.name, index + 1);
            let out = world.run(scenario.run, &format!("{}:{fault}", index + 1));
            // The number of operations may differ by some from run to run.
            if !out.stderr.contains("fault: operation") {
                continue;
            }
            *figures.failed.entry(fault).or_default() += 1;
            let crashed = fault.starts_with("crash");
            answered(scenario, &after, &out, crashed, &what);
            let then = world.records();
            before.outlived_by(&then, &what);
            if matches!(scenario.run, Run::Command(["memory", ..])) && out.code == Some(0) {
                assert_eq!(then.count("memories"), after.memories, "{what}: said to be there, and is not");
            }
            if !crashed && operation != "Remove" {
                assert!(world.scratch().is_empty(), "{what}: {:?} is left", world.scratch());
            }
            repaired(scenario, &world, &after, &what);
            before.outlived_by(&world.records(), &what);
        }
    }
    Some(figures)
}

/// What the run without a fault leaves.
struct After {
    decision: String,
    settings: Vec<u8>,
    memories: i64,
    dead: usize,
}

/// The agent, or the person, got an answer.
fn answered(scenario: &Scenario, after: &After, out: &Output, crashed: bool, what: &str) {
    assert!(!out.stderr.contains("panicked"), "{what}: {}", out.stderr);
    if crashed {
        return;
    }
    match scenario.run {
        Run::Event(..) => {
            assert_eq!(out.code, Some(0), "{what}: {}", out.stderr);
            let whole = out.stdout.is_empty()
                || serde_json::from_str::<Value>(&out.stdout).is_ok_and(|answer| answer.is_object());
            assert!(whole, "{what}: {}", out.stdout);
            if after.decision == "deny" {
                assert_eq!(decision(out), "deny", "{what}: {}", out.stdout);
            }
        }
        Run::Command(_) => assert!(matches!(out.code, Some(0 | 1)), "{what}: {:?} {}", out.code, out.stderr),
    }
}

/// The same again, and nothing fails: it does all of its work.
fn repaired(scenario: &Scenario, world: &World, after: &After, what: &str) {
    let again = world.run(scenario.run, "");
    assert_eq!(again.code, Some(0), "{what}: the next run: {}", again.stderr);
    match scenario.run {
        Run::Event(..) => assert_eq!(decision(&again), after.decision, "{what}: {}", again.stdout),
        Run::Command(["worker", ..]) => {
            let left = (world.jobs("waiting"), world.jobs("running"), world.jobs("dead"));
            assert_eq!(left, (0, 0, after.dead), "{what}: jobs that wait, run and were given up");
        }
        Run::Command(["memory", ..]) => {
            assert_eq!(world.records().count("memories"), after.memories, "{what}: once, and not twice");
        }
        Run::Command(_) => {
            let settings = std::fs::read(world.settings()).unwrap();
            assert!(settings == after.settings, "{what}: {}", String::from_utf8_lossy(&settings));
        }
    }
}

#[test]
fn a_sample_of_the_operations_of_every_scenario_fails_and_nothing_is_lost() {
    /// Every so many of some two thousand.
    const STEP: usize = 97;
    for (offset, scenario) in SCENARIOS.iter().enumerate() {
        walk(scenario, 100, |number| number % STEP == offset);
    }
}

#[test]
#[ignore = "minutes: cargo xtask faults"]
fn every_operation_of_every_scenario_fails_and_nothing_is_lost() {
    let only = std::env::var("SPRAG_FAULT_SCENARIO").unwrap_or_default();
    let looks = std::env::var("SPRAG_FAULT_LOOKS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut total = 0;
    println!("| scenario | operations | failed | of them crashes |\n|---|---:|---:|---:|");
    for scenario in SCENARIOS.iter().filter(|scenario| scenario.name.contains(&only)) {
        let Some(Figures { operations, failed }) = walk(scenario, looks, |_| true) else { continue };
        let sum: u64 = failed.values().sum();
        let crashes: u64 =
            failed.iter().filter(|(fault, _)| fault.starts_with("crash")).map(|(_, count)| count).sum();
        total += sum;
        println!("| {} | {operations} | {sum} | {crashes} |", scenario.name);
    }
    println!("{total} operations failed, each in a home of its own");
}
