//! Generated programs are run for real, with tracing: every path that was taken must be in the control flow graph, and
//! every value that went from a definition to a use must be in the data flow.
//!
//! `FLOW_SEED=n` tries other programs, `FLOW_PROGRAMS=n` more of them; a failure prints the seed and the program.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "tests set up files")]

use crate::writer::Writer;
use sprag_code::flow::ir::{Role, Step};
use sprag_code::flow::{self, Analysis};
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What one run of one function did.
#[derive(Debug)]
struct Frame {
    /// The first line of the function.
    first: u32,
    /// The lines in order.
    lines: Vec<u32>,
    /// It ended by itself, not by an error.
    ended: bool,
}

struct Observed {
    frames: Vec<Frame>,
    /// Variable, line of the definition, line of the use.
    pairs: BTreeSet<(String, u32, u32)>,
}

/// What tracing may not see: no line of its own, or taken away by the compiler; the head of a handler that does not fit, where
/// programs trace themselves.
fn is_optional(language: Language, step: &Step) -> bool {
    step.lines.is_empty()
        || (step.role == Role::Catch && language != Language::Python)
        || matches!(
            step.role,
            Role::Try
                | Role::Leave
                | Role::Declared
                | Role::Break
                | Role::Continue
                | Role::Join
                | Role::Entry
        )
}

/// Follows the lines of a run through the graph, from every node that fits; the number of the first line that does not.
fn follow(language: Language, analysis: &Analysis, frame: &Frame) -> Result<(), String> {
    let function = analysis.unit.functions.each().find(|(_, function)| function.lines.0 == frame.first);
    let Some((func, _)) = function else { return Err(format!("no function begins at line {}", frame.first)) };
    let ends = analysis.graph.ends[func];
    let mut at: BTreeSet<u32> = BTreeSet::from([ends.entry]);
    let mut current = 0;
    let reach = |from: &BTreeSet<u32>, current: u32, fits: &dyn Fn(u32) -> bool| {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<u32> = from.iter().copied().collect();
        while let Some(node) = open.pop() {
            for edge in analysis.graph.next[node].iter().filter(|edge| edge.flow) {
                let step = &analysis.graph.nodes[edge.to].step;
                if fits(edge.to) {
                    found.insert(edge.to);
                }
                if (is_optional(language, step) || step.on(current)) && seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        found
    };
    for (number, line) in frame.lines.iter().enumerate() {
        let next = reach(&at, current, &|node| analysis.graph.nodes[node].step.on(*line));
        if next.is_empty() {
            return Err(format!("line {line} after line {current} (event {number}) is not in the graph"));
        }
        at = next;
        current = *line;
    }
    if frame.ended && reach(&at, current, &|node| node == ends.exit).is_empty() && !at.contains(&ends.exit) {
        return Err(format!("the end after line {current} is not in the graph"));
    }
    Ok(())
}

/// Variable, line of the definition, line of the use: everything that the data flow says.
fn known_pairs(analysis: &Analysis) -> BTreeSet<(String, u32, u32)> {
    let mut forward = analysis.reach.forward();
    let mut pairs = BTreeSet::new();
    for (id, def) in analysis.reach.defs.each() {
        let name = analysis.unit.vars[def.var].name.trim_start_matches('$').to_owned();
        let uses = forward.uses(id, usize::MAX).list;
        pairs.extend(uses.into_iter().map(|(_, line)| (name.clone(), def.line, line)));
    }
    pairs
}

fn check(language: Language, seed: u64, text: &str, observed: &Observed) -> (usize, usize) {
    let parsed = parse::text(language, text, Limits::PATIENT).unwrap();
    let found = flow::function(&parsed, "program").unwrap();
    let analysis = &found.analysis;
    let numbered =
        || -> String { text.lines().enumerate().map(|(n, line)| format!("{:3} {line}\n", n + 1)).collect() };
    assert!(analysis.is_complete(), "seed {seed}: {:?}\n{}", analysis.unit.notes, numbered());
    let mut steps = 0;
    for frame in &observed.frames {
        steps += frame.lines.len();
        if let Err(error) = follow(language, analysis, frame) {
            panic!("FLOW_SEED={seed} {}: {error}\nran: {:?}\n{}", language.name(), frame.lines, numbered());
        }
    }
    let known = known_pairs(analysis);
    for pair in &observed.pairs {
        assert!(
            known.contains(pair),
            "FLOW_SEED={seed} {}: {} went from line {} to line {}, which is not in the data flow\n{}",
            language.name(),
            pair.0,
            pair.1,
            pair.2,
            numbered()
        );
    }
    (steps, observed.pairs.len())
}

fn number_from(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs all programs in one process; one JSON line for each comes back.
fn run(command: &mut Command, count: usize) -> Option<Vec<Observed>> {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            // A machine without the interpreter cannot run it; the others do.
            sprag_testkit::skip(format!("{}: {error}", command.get_program().display()));
            return None;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}{}", text.chars().take(2_000).collect::<String>());
    let list: Vec<Observed> =
        text.lines()
            .map(|line| {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                let number = |value: &serde_json::Value| value.as_u64().unwrap() as u32;
                let frames = value["frames"].as_array().unwrap().iter().map(|frame| Frame {
                    first: number(&frame["first"]),
                    lines: frame["lines"].as_array().unwrap().iter().map(number).collect(),
                    ended: frame["ended"].as_bool().unwrap(),
                });
                let pairs =
                    value["pairs"].as_array().unwrap().iter().map(|pair| {
                        (pair[0].as_str().unwrap().to_owned(), number(&pair[1]), number(&pair[2]))
                    });
                Observed { frames: frames.collect(), pairs: pairs.collect() }
            })
            .collect();
    assert_eq!(list.len(), count, "{}", String::from_utf8_lossy(&output.stderr));
    Some(list)
}

fn compare(language: Language, programs: &[(u64, Writer)], observed: &[Observed]) {
    let (mut steps, mut pairs) = (0, 0);
    for ((seed, program), observed) in programs.iter().zip(observed) {
        let text = format!("{}\n", program.plain.join("\n"));
        let (more_steps, more_pairs) = check(language, *seed, &text, observed);
        steps += more_steps;
        pairs += more_pairs;
    }
    println!("{}: {} programs, {steps} steps, {pairs} pairs", language.name(), programs.len());
    // Programs that do nothing would prove nothing.
    assert!(steps > programs.len() * 10 && pairs > programs.len() * 5);
}

fn programs(language: Language) -> Vec<(u64, Writer)> {
    let first = number_from("FLOW_SEED", 1);
    let count = number_from("FLOW_PROGRAMS", 60);
    (first..first + count).map(|seed| (seed, Writer::program(seed, language))).collect()
}

/// Writes programs, as they are and tracing themselves, runs them, and compares.
fn differs_in_nothing(language: Language, interpreter: &str, ending: &str) {
    let programs = programs(language);
    let home = tempfile::tempdir().unwrap();
    for (seed, program) in &programs {
        let (plain, traced) = (program.plain.join("\n") + "\n", program.traced.join("\n") + "\n");
        let itself = if language == Language::Python { &plain } else { &traced };
        std::fs::write(home.path().join(format!("{seed}.{ending}")), itself).unwrap();
        std::fs::write(home.path().join(format!("{seed}.plain.{ending}")), &plain).unwrap();
    }
    let seeds = programs.iter().map(|(seed, _)| seed.to_string());
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flow").join(format!("trace.{ending}"));
    let mut command = Command::new(interpreter);
    command.arg(driver).arg(home.path()).args(seeds);
    if let Some(observed) = run(&mut command, programs.len()) {
        compare(language, &programs, &observed);
    }
}

#[test]
fn python_does_what_the_graph_says() {
    differs_in_nothing(Language::Python, "python3", "py");
}

#[test]
fn javascript_does_what_the_graph_says() {
    differs_in_nothing(Language::JavaScript, "node", "js");
}

#[test]
fn ruby_does_what_the_graph_says() {
    differs_in_nothing(Language::Ruby, "ruby", "rb");
}

#[test]
fn php_does_what_the_graph_says() {
    differs_in_nothing(Language::Php, "php", "php");
}
