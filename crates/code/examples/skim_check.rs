//! Reads folders with the scanners and with the parser: says where the two differ, which files need the parser, and how
//! long each takes.
//!
//! `cargo run --release -p sprag-code --example skim_check -- [--refused] [--ending rs] FOLDER…`
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::print_stdout, reason = "it is a report")]

use sprag_code::facts::Facts;
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};
use sprag_code::source::Source;
use sprag_code::{extract, skim};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Sum {
    files: usize,
    bytes: usize,
    broken: usize,
    broken_read: usize,
    refused: usize,
    differ: usize,
    tree: Duration,
    skim: Duration,
}

fn main() {
    let mut folders = Vec::new();
    let (mut refused, mut ending) = (false, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--refused" => refused = true,
            "--ending" => ending = words.next(),
            _ => folders.push(PathBuf::from(word)),
        }
    }
    let mut files = Vec::new();
    while let Some(path) = folders.pop() {
        if path.is_symlink() {
            continue;
        }
        match std::fs::read_dir(&path) {
            Ok(entries) => folders.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.push(path),
        }
    }
    files.sort();
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for path in &files {
        if ending.as_ref().is_some_and(|ending| path.extension().is_none_or(|e| e != ending.as_str())) {
            continue;
        }
        one(path, refused, &mut sums);
    }
    println!("language    files  broken (read)  refused  differ     bytes   tree ms   scan ms");
    for (language, sum) in sums {
        println!(
            "{language:<11}{:>6}{:>8} ({:>4}){:>9}{:>8}{:>10}{:>10.1}{:>10.1}",
            sum.files,
            sum.broken,
            sum.broken_read,
            sum.refused,
            sum.differ,
            sum.bytes,
            sum.tree.as_secs_f64() * 1000.0,
            sum.skim.as_secs_f64() * 1000.0,
        );
    }
}

fn one(path: &Path, refused: bool, sums: &mut BTreeMap<&str, Sum>) {
    let Some(language) = Language::of_path(path) else { return };
    if !matches!(
        language,
        Language::Python
            | Language::TypeScript
            | Language::Tsx
            | Language::JavaScript
            | Language::Rust
            | Language::Go
    ) {
        return;
    }
    let Ok(bytes) = std::fs::read(path) else { return };
    let Ok(source) = Source::new(&bytes, Limits::PATIENT.bytes) else { return };
    let sum = sums.entry(language.name()).or_default();
    let began = Instant::now();
    let skimmed = skim::facts(language, &source);
    let skim_took = began.elapsed();
    let began = Instant::now();
    let Ok(parsed) = parse::text(language, &source.text, Limits::PATIENT) else { return };
    let facts = extract::facts(&parsed);
    let tree_took = began.elapsed();
    if parsed.tree.root_node().has_error() {
        sum.broken += 1;
        sum.broken_read += usize::from(skimmed.is_some());
        return;
    }
    sum.files += 1;
    sum.bytes += bytes.len();
    sum.tree += tree_took;
    sum.skim += skim_took;
    match skimmed {
        None => {
            sum.refused += 1;
            if refused {
                println!("refused: {}", path.display());
            }
        }
        Some(skimmed) if skimmed != facts => {
            sum.differ += 1;
            if sum.differ <= 12 {
                println!("differs: {}\n{}", path.display(), first_difference(&facts, &skimmed));
            }
        }
        Some(_) => {}
    }
}

/// The first thing that the two do not agree on.
fn first_difference(tree: &Facts, skim: &Facts) -> String {
    fn of<T: PartialEq + std::fmt::Debug>(what: &str, tree: &[T], skim: &[T]) -> Option<String> {
        let at = (0..tree.len().max(skim.len())).find(|at| tree.get(*at) != skim.get(*at))?;
        Some(format!("  {what} {at}\n    tree {:?}\n    skim {:?}", tree.get(at), skim.get(at)))
    }
    of("symbol", &tree.symbols, &skim.symbols)
        .or_else(|| of("import", &tree.imports, &skim.imports))
        .or_else(|| of("call", &tree.calls, &skim.calls))
        .or_else(|| of("note", &tree.notes, &skim.notes))
        .unwrap_or_else(|| format!("  lines: tree {}, skim {}", tree.lines, skim.lines))
}
