//! Proves slices on real code: statements outside of the slices of everything that a function gives are taken out, and its own tests
//! must still pass. `cargo run --release -p sprag-code --example slice_proof -- [--show] [--quick] FILE|FOLDER…`
//! (`--quick`: without taking out one statement at a time)
//!
//! Python: the doctests of each function. JavaScript: the examples in the comments of a library in one file. Both are run by
//! `python3` and `node`. A function counts when its tests pass as it is and fail when it is empty.
#![allow(clippy::disallowed_methods, reason = "a tool for developers")]
#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::{Value, json};
use sprag_code::flow::ir::Role;
use sprag_code::flow::{self, Analysis, Direction, FunctionRef};
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits, Parsed};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tree_sitter::Node;

type Edit = (usize, usize, String);

/// A function whose statements are taken out.
struct Job {
    file: PathBuf,
    name: String,
    /// Empty, the slice of everything, then each statement alone.
    variants: Vec<Vec<Edit>>,
    /// Lines of each statement that is taken out alone.
    alone: Vec<(u32, u32)>,
    kept: BTreeSet<u32>,
    single: Vec<BTreeSet<u32>>,
}

#[derive(Default)]
struct Tally {
    tested: usize,
    passed: usize,
    skipped: usize,
    statements: usize,
    removable: usize,
    left_out: usize,
    single: Vec<f64>,
    failed: Vec<String>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let show = args.iter().any(|arg| arg == "--show");
    let quick = args.iter().any(|arg| arg == "--quick");
    let mut files = Vec::new();
    for arg in args.iter().filter(|arg| !arg.starts_with("--")) {
        collect(Path::new(arg), &mut files);
    }
    files.sort();
    for (language, ending) in [(Language::Python, "py"), (Language::JavaScript, "js")] {
        let of: Vec<&PathBuf> =
            files.iter().filter(|file| file.extension().is_some_and(|found| found == ending)).collect();
        if of.is_empty() {
            continue;
        }
        let mut jobs: Vec<Job> = of.into_iter().flat_map(|file| jobs(file, language)).collect();
        if quick {
            jobs.iter_mut().for_each(|job| job.variants.truncate(2));
        }
        let half = jobs.len() / 2;
        let (one, two) = jobs.split_at(half);
        let (one, two) = std::thread::scope(|scope| {
            let other = scope.spawn(|| run(language, two, show));
            (run(language, one, show), other.join().unwrap_or_default())
        });
        report(language, &[one, two]);
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_path_buf());
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !matches!(name.as_str(), "test" | "tests" | "__pycache__" | "site-packages" | "idlelib") {
            collect(&entry.path(), files);
        }
    }
}

fn jobs(file: &Path, language: Language) -> Vec<Job> {
    let Ok(bytes) = std::fs::read(file) else { return Vec::new() };
    let Ok(parsed) = parse::file(file, &bytes, Limits::PATIENT) else { return Vec::new() };
    let places = flow::functions(&parsed);
    places.iter().filter_map(|place| job(file, language, &parsed, place)).collect()
}

fn job(file: &Path, language: Language, parsed: &Parsed, place: &FunctionRef<'_>) -> Option<Job> {
    let node = place.node;
    let text = parsed.text(node);
    let body = node.child_by_field_name("body")?;
    match language {
        // A doctest, in a function that is reached by its name.
        Language::Python if place.around.is_some() || !text.contains(">>>") => return None,
        Language::Python => {}
        _ if node.kind() != "function_declaration" => return None,
        _ => {}
    }
    let project = flow::Project::new(&std::path::absolute(file).ok()?);
    let analysis = Analysis::new(parsed, place)?.with_effects(parsed, place, Some(&project));
    let gives = criteria(&analysis, parsed);
    if gives.is_empty() {
        return None;
    }
    let single: Vec<BTreeSet<u32>> = gives
        .iter()
        .filter_map(|line| analysis.slice(*line, None, Direction::Backward).ok())
        .map(|lines| lines.into_iter().collect())
        .collect();
    let kept: BTreeSet<u32> = single.iter().flatten().copied().collect();
    let mut cut = Cut { language, parsed, edits: Vec::new() };
    cut.block(body, &kept);
    let union = std::mem::take(&mut cut.edits);
    cut.block(body, &BTreeSet::new());
    let empty = std::mem::take(&mut cut.edits);
    let mut simple = Vec::new();
    leaves(body, &mut simple);
    let own: BTreeSet<u32> = gives.into_iter().collect();
    let mut variants = vec![empty, union];
    let mut alone = Vec::new();
    for node in simple {
        let lines = lines(node);
        if (lines.0..=lines.1).any(|line| own.contains(&line)) {
            continue;
        }
        cut.take_out(node);
        let edits = std::mem::take(&mut cut.edits);
        if edits.is_empty() {
            continue;
        }
        variants.push(edits);
        alone.push(lines);
    }
    Some(Job { file: file.to_path_buf(), name: place.qualified.clone(), variants, alone, kept, single })
}

/// Lines with a return, throw, yield or print.
fn criteria(analysis: &Analysis, parsed: &Parsed) -> Vec<u32> {
    let mut lines = BTreeSet::new();
    for node in &analysis.graph.nodes {
        let step = &node.step;
        let text = parsed.source.text.get(step.span.0 as usize..step.span.1 as usize).unwrap_or("");
        let says = |word: &str| text.contains(word) && !text.starts_with(['"', '\'', 'r', 'R']);
        let gives = match step.role {
            // A bare `return` gives nothing: what the function did before is what it is for.
            Role::Return => node.func == 0 && (!step.accesses.is_empty() || text.contains(' ')),
            Role::Throw => true,
            Role::Entry | Role::Declared => false,
            _ => {
                node.func == 0
                    && step.makes.is_empty()
                    && (says("yield") || says("print(") || says("console."))
            }
        };
        if gives {
            lines.insert(step.line());
        }
    }
    lines.remove(&0);
    lines.into_iter().collect()
}

fn lines(node: Node<'_>) -> (u32, u32) {
    (node.start_position().row as u32 + 1, node.end_position().row as u32 + 1)
}

/// Takes statements out of a text.
struct Cut<'p> {
    language: Language,
    parsed: &'p Parsed,
    edits: Vec<Edit>,
}

impl<'p> Cut<'p> {
    /// Takes out what is not kept.
    fn block(&mut self, block: Node<'p>, kept: &BTreeSet<u32>) {
        for (number, statement) in statements(block).into_iter().enumerate() {
            let doc = number == 0 && self.parsed.text(statement).starts_with(['"', '\'', 'r']);
            let stays = matches!(
                statement.kind(),
                "comment" | "global_statement" | "nonlocal_statement" | "pass_statement" | "empty_statement"
            );
            if stays || doc && statement.kind() == "expression_statement" {
                continue;
            }
            let inner = inner_blocks(statement);
            let (first, last) = lines(statement);
            if (first..=last).any(|line| kept.contains(&line)) {
                let clause = statement.named_child(0).filter(|_| statement.kind() == "with_statement");
                if let Some(clause) = clause.filter(|_| !kept.contains(&first)) {
                    self.edits.push((statement.start_byte(), clause.end_byte(), "if True".to_owned()));
                }
                for inner in inner {
                    self.block(inner, kept);
                }
            } else {
                self.take_out(statement);
            }
        }
    }

    fn take_out(&mut self, statement: Node<'p>) {
        let range = statement.byte_range();
        let new =
            if self.language == Language::Python { "pass".to_owned() } else { self.declared(statement) };
        if !matches!(statement.kind(), "switch_case" | "switch_default" | "function_declaration") {
            self.edits.push((range.start, range.end, new));
        }
    }

    /// A declaration without its values: the names are still there.
    fn declared(&self, statement: Node<'p>) -> String {
        let mut cursor = statement.walk();
        let names: Vec<&str> = match statement.kind() {
            "lexical_declaration" | "variable_declaration" => statement
                .named_children(&mut cursor)
                .filter_map(|child| child.child_by_field_name("name"))
                .filter(|name| name.kind() == "identifier")
                .map(|name| self.parsed.text(name))
                .collect(),
            _ => Vec::new(),
        };
        let word = if statement.kind() == "variable_declaration" { "var" } else { "let" };
        if names.is_empty() { ";".to_owned() } else { format!("{word} {};", names.join(", ")) }
    }
}

/// The statements of a block, or the one that stands for it.
fn statements(block: Node<'_>) -> Vec<Node<'_>> {
    let is_block = matches!(block.kind(), "block" | "statement_block" | "switch_body");
    let mut cursor = block.walk();
    if is_block { block.named_children(&mut cursor).collect() } else { vec![block] }
}

/// Statements without others inside.
fn leaves<'n>(block: Node<'n>, found: &mut Vec<Node<'n>>) {
    for (number, statement) in statements(block).into_iter().enumerate() {
        let inner = inner_blocks(statement);
        let doc = number == 0 && statement.named_child(0).is_some_and(|child| child.kind() == "string");
        let stays = matches!(
            statement.kind(),
            "comment" | "global_statement" | "nonlocal_statement" | "pass_statement" | "empty_statement"
        );
        if inner.is_empty() && !stays && !doc {
            found.push(statement);
        }
        inner.into_iter().for_each(|inner| leaves(inner, found));
    }
}

/// Blocks with statements inside of one.
fn inner_blocks(statement: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = statement.walk();
    let mut open: Vec<Node<'_>> = statement.named_children(&mut cursor).collect();
    while let Some(node) = open.pop() {
        let is_statement = node.kind().ends_with("_statement") && node.kind() != "with_statement";
        if matches!(node.kind(), "block" | "statement_block" | "switch_body") || is_statement {
            found.push(node);
            continue;
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    found
}

/// Runs the jobs; what came of them.
fn run(language: Language, jobs: &[Job], show: bool) -> Tally {
    let mut tally = Tally::default();
    if jobs.is_empty() {
        return tally;
    }
    let (program, script) = match language {
        Language::Python => ("python3", "driver.py"),
        _ => ("node", "driver.cjs"),
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/slice_proof").join(script);
    let child = Command::new(program).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("{program} cannot be started");
        return tally;
    };
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else { return tally };
    let mut output = BufReader::new(output).lines();
    for job in jobs {
        let told = json!({"file": job.file, "name": job.name, "variants": job.variants});
        if writeln!(input, "{told}").is_err() {
            break;
        }
        let Some(Ok(answer)) = output.next() else { break };
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        let Some(passed) = answer.get("passed").and_then(Value::as_array) else {
            tally.skipped += 1;
            continue;
        };
        let passed: Vec<bool> = passed.iter().map(|one| one.as_bool().unwrap_or(false)).collect();
        take(&mut tally, job, &passed, show);
    }
    drop(input);
    let _ = child.wait();
    tally
}

fn take(tally: &mut Tally, job: &Job, passed: &[bool], show: bool) {
    tally.tested += 1;
    if passed.get(1) == Some(&true) {
        tally.passed += 1;
    } else {
        tally.failed.push(format!("{}:{}", job.file.display(), job.name));
        if show {
            let out: Vec<String> = job
                .alone
                .iter()
                .zip(passed.iter().skip(2))
                .filter(|((from, to), one)| !**one && !(*from..=*to).any(|line| job.kept.contains(&line)))
                .map(|((from, _), _)| from.to_string())
                .collect();
            println!("failed {}:{} needs {}", job.file.display(), job.name, out.join(","));
        }
    }
    let outside =
        |kept: &BTreeSet<u32>, lines: &(u32, u32)| !(lines.0..=lines.1).any(|line| kept.contains(&line));
    let removable: Vec<&(u32, u32)> = job
        .alone
        .iter()
        .zip(passed.iter().skip(2))
        .filter(|(_, one)| **one)
        .map(|(lines, _)| lines)
        .collect();
    if show && !removable.is_empty() {
        let needless: Vec<String> = removable
            .iter()
            .filter(|lines| !outside(&job.kept, lines))
            .map(|lines| lines.0.to_string())
            .collect();
        println!("kept {}:{} {}", job.file.display(), job.name, needless.join(","));
    }
    tally.statements += job.alone.len();
    tally.removable += removable.len();
    tally.left_out += removable.iter().filter(|lines| outside(&job.kept, lines)).count();
    if !removable.is_empty() {
        for kept in &job.single {
            let out = removable.iter().filter(|lines| outside(kept, lines)).count();
            tally.single.push(out as f64 / removable.len() as f64);
        }
    }
}

fn report(language: Language, parts: &[Tally]) {
    let sum = |of: fn(&Tally) -> usize| parts.iter().map(of).sum::<usize>();
    let (tested, passed) = (sum(|tally| tally.tested), sum(|tally| tally.passed));
    let (removable, left_out) = (sum(|tally| tally.removable), sum(|tally| tally.left_out));
    let single: Vec<f64> = parts.iter().flat_map(|tally| tally.single.iter().copied()).collect();
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    println!(
        "{}: {tested} functions ({} skipped), {passed} pass without what is outside of the slices ({:.1} %)",
        language.name(),
        sum(|tally| tally.skipped),
        share(passed, tested)
    );
    println!(
        "  {} statements, {removable} of them can be taken out alone; the slices leave out {left_out} ({:.1} %), a slice of \
         one line {:.1} %",
        sum(|tally| tally.statements),
        share(left_out, removable),
        100.0 * single.iter().sum::<f64>() / single.len().max(1) as f64
    );
    for failed in parts.iter().flat_map(|tally| &tally.failed) {
        println!("  failed: {failed}");
    }
}
