//! Read by eye or by the parser, a text gives the same facts: on the samples, on this project, and on texts that were
//! damaged. `cargo run -p sprag-code --example skim_check` compares the files of any other folder.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use proptest::prelude::*;
use sprag_code::facts::Facts;
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};
use sprag_code::source::Source;
use sprag_code::{extract, skim};
use std::path::{Path, PathBuf};

const ENDINGS: [&str; 7] = ["py", "ts", "tsx", "js", "mjs", "rs", "go"];

/// Source files below a folder, in order, at most so many.
fn sources(folder: &Path, most: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(folder) = left.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if hidden || path.is_symlink() || path.ends_with("target") {
                continue;
            }
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
                found.push(path);
            }
        }
    }
    found.sort();
    // Spread over the whole of it, not the first ones.
    let step = found.len().div_ceil(most.max(1)).max(1);
    found.into_iter().step_by(step).collect()
}

/// How a text was read.
#[derive(Debug, PartialEq)]
enum Came {
    Same,
    Refused,
    Broken,
}

/// Reads a text both ways; panics where they differ.
fn compare(language: Language, text: &str, said: &str) -> Came {
    let Ok(source) = Source::new(text.as_bytes(), Limits::PATIENT.bytes) else { return Came::Broken };
    let skimmed = skim::facts(language, &source);
    let Ok(parsed) = parse::text(language, text, Limits::PATIENT) else { return Came::Broken };
    if parsed.tree.root_node().has_error() {
        return Came::Broken;
    }
    let Some(skimmed) = skimmed else { return Came::Refused };
    let tree: Facts = extract::facts(&parsed);
    assert_eq!(tree.symbols, skimmed.symbols, "symbols of {said}");
    assert_eq!(tree.imports, skimmed.imports, "imports of {said}");
    assert_eq!(tree.calls, skimmed.calls, "calls of {said}");
    assert_eq!(tree, skimmed, "{said}");
    Came::Same
}

/// Compares files; how many were the same, how many were left to the parser.
fn compare_all(files: &[PathBuf]) -> (usize, usize) {
    let (mut same, mut refused) = (0, 0);
    for path in files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let Some(language) = Language::of(path, &text) else { continue };
        match compare(language, &text, &path.display().to_string()) {
            Came::Same => same += 1,
            Came::Refused => refused += 1,
            Came::Broken => {}
        }
    }
    (same, refused)
}

/// Nearly all of what parses is read by eye: else the reading is for nothing.
fn mostly_read((same, refused): (usize, usize), what: &str) {
    assert!(same > 0, "{what}: nothing was read");
    assert!(refused * 20 <= same + refused, "{what}: {refused} of {} left to the parser", same + refused);
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_samples_are_read_by_eye() {
    for sample in ["python.py", "typescript.ts", "tsx.tsx", "javascript.js", "rust.rs", "go.go"] {
        let path = here().join("tests/samples").join(sample);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(compare(Language::of(&path, &text).unwrap(), &text, sample), Came::Same, "{sample}");
    }
}

#[test]
fn this_project_gives_the_same_facts() {
    mostly_read(compare_all(&sources(&here().join("../.."), usize::MAX)), "this project");
}

/// A name of a module is kept for every name that comes from it: a long one would be gigabytes.
#[test]
fn a_long_module_is_cut_before_it_is_copied() {
    let long = "é".repeat(50_000);
    let names: Vec<String> = (0..500).map(|number| format!("name{number}")).collect();
    let names = names.join(", ");
    for (language, text) in [
        (Language::Python, format!("from {long}.cart import {names}\n")),
        (Language::TypeScript, format!("import {{ {names} }} from '{long}';\n")),
        (Language::Rust, format!("use {long}::cart::{{{names}}};\n")),
    ] {
        assert_eq!(compare(language, &text, "a long module"), Came::Same, "{}", language.name());
        let source = Source::of_text(&text).unwrap();
        let imports = skim::facts(language, &source).unwrap().imports;
        assert_eq!(imports.len(), 500);
        assert!(imports.iter().all(|import| import.module.len() <= 1_000));
    }
}

/// A text with some of its lines taken out, doubled or exchanged, or cut short.
fn damaged() -> impl Strategy<Value = (Language, String)> {
    let samples: Vec<(Language, String)> =
        ["python.py", "typescript.ts", "tsx.tsx", "javascript.js", "rust.rs", "go.go"]
            .iter()
            .map(|sample| {
                let path = here().join("tests/samples").join(sample);
                let text = std::fs::read_to_string(&path).unwrap();
                (Language::of(&path, &text).unwrap(), text)
            })
            .collect();
    let cuts = proptest::collection::vec(
        (0_u8..5, any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        1..4,
    );
    (prop::sample::select(samples), cuts).prop_map(|((language, text), cuts)| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (how, one, other) in cuts {
            let at = one.index(lines.len());
            match how {
                0 if lines.len() > 1 => drop(lines.remove(at)),
                1 => {
                    let line = lines[at].clone();
                    lines.insert(other.index(lines.len()), line);
                }
                2 => {
                    let with = other.index(lines.len());
                    lines.swap(at, with);
                }
                3 => {
                    let words: Vec<&str> = lines[at].split(' ').collect();
                    let gone = other.index(words.len());
                    let kept: Vec<&str> =
                        words.iter().enumerate().filter(|(n, _)| *n != gone).map(|(_, word)| *word).collect();
                    lines[at] = kept.join(" ");
                }
                _ => {
                    let letters: Vec<char> = lines[at].chars().collect();
                    if !letters.is_empty() {
                        let gone = other.index(letters.len());
                        lines[at] =
                            letters.iter().enumerate().filter(|(n, _)| *n != gone).map(|(_, c)| *c).collect();
                    }
                }
            }
        }
        (language, lines.join("\n") + "\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_damaged_text_gives_the_same_facts_while_it_parses((language, text) in damaged()) {
        compare(language, &text, "a damaged sample");
    }

    #[test]
    fn any_text_comes_to_an_end(text in "[a-z(){}\\[\\]<>=:;,.'\"`#/*@!&|\\\\ \n\t0-9é]{0,200}") {
        for language in [Language::Python, Language::TypeScript, Language::Tsx, Language::JavaScript, Language::Rust, Language::Go] {
            if let Ok(source) = Source::of_text(&text) {
                let _ = skim::facts(language, &source);
            }
        }
    }
}
