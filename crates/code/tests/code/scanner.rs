//! The scanners and the tree give the same symbols and imports: on samples, on this project, on texts that were damaged.
//! `cargo run --release -p sprag-code --example code_bench -- compare FOLDER…` compares the files of any other folder.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use proptest::prelude::*;
use sprag_code::extract;
use sprag_code::facts::Facts;
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};
use sprag_code::scanner;
use sprag_code::source::Source;
use std::path::{Path, PathBuf};

const LANGUAGES: [Language; 6] = [
    Language::Python,
    Language::TypeScript,
    Language::Tsx,
    Language::JavaScript,
    Language::Rust,
    Language::Go,
];

/// The files of scanned languages below a folder, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(folder) = left.pop() {
        for path in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if hidden || path.is_symlink() || path.ends_with("target") {
                continue;
            }
            if path.is_dir() {
                left.push(path);
            } else if Language::of_path(&path).is_some_and(|language| LANGUAGES.contains(&language)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What came of a comparison; a difference is a panic.
#[derive(Debug, PartialEq)]
enum Outcome {
    Same,
    /// The scanner left the text to the parser.
    Refused,
    /// The text has syntax errors.
    Broken,
}

fn compare(language: Language, text: &str, name: &str) -> Outcome {
    let Ok(source) = Source::new(text.as_bytes(), Limits::PATIENT.bytes) else { return Outcome::Broken };
    let scanned = scanner::outline(language, &source);
    let Ok(parsed) = parse::text(language, text, Limits::PATIENT) else { return Outcome::Broken };
    if parsed.tree.root_node().has_error() {
        return Outcome::Broken;
    }
    let Some(scanned) = scanned else { return Outcome::Refused };
    let tree = Facts { calls: Vec::new(), ..extract::facts(&parsed) };
    for (at, symbol) in tree.symbols.iter().enumerate() {
        assert_eq!(Some(symbol), scanned.symbols.get(at), "symbol {at} of {name}");
    }
    assert_eq!(tree.symbols.len(), scanned.symbols.len(), "symbols of {name}");
    assert_eq!(tree.imports, scanned.imports, "imports of {name}");
    assert_eq!(tree, scanned, "{name}");
    Outcome::Same
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

#[test]
fn samples_are_scanned() {
    let mut languages = Vec::new();
    for path in sources(&samples()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let language = Language::of(&path, &text).unwrap();
        assert_eq!(
            compare(language, &text, &path.display().to_string()),
            Outcome::Same,
            "{}",
            path.display()
        );
        languages.push(language);
    }
    assert!(LANGUAGES.iter().all(|language| languages.contains(language)));
}

/// Nearly all of what parses is scanned: else the scanners are for nothing.
#[test]
fn this_project_gives_the_same_symbols() {
    let (mut same, mut refused) = (0, 0);
    for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Some(language) = Language::of(&path, &text) else { continue };
        match compare(language, &text, &path.display().to_string()) {
            Outcome::Same => same += 1,
            Outcome::Refused => refused += 1,
            Outcome::Broken => {}
        }
    }
    assert!(same > 500, "{same} files were scanned");
    assert!(refused * 50 <= same, "{refused} of {} files were left to the parser", same + refused);
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
        assert_eq!(compare(language, &text, "a long module"), Outcome::Same, "{}", language.name());
        let source = Source::of_text(&text).unwrap();
        let imports = scanner::outline(language, &source).unwrap().imports;
        assert_eq!(imports.len(), 500);
        assert!(imports.iter().all(|import| import.module.len() <= 1_000));
    }
}

#[test]
fn what_has_no_end_is_left_to_the_parser() {
    for (language, text) in [
        (Language::Python, "def f():\n    return (1\n"),
        (Language::Python, "x = '''a\n"),
        (Language::Python, "def f():\nx = 1\n"),
        (Language::Python, "if x:\n        a\n    b\n"),
        (Language::TypeScript, "function f() {\n"),
        (Language::TypeScript, "const a = `x${1;\n"),
        (Language::JavaScript, "const a = <b>text;\n"),
        (Language::Rust, "fn f() { ( }\n"),
        (Language::Rust, "const A: &str = \"x;\n"),
        (Language::Go, "package p\n\nfunc f() {\n"),
    ] {
        let source = Source::of_text(text).unwrap();
        assert_eq!(scanner::outline(language, &source), None, "{text}");
    }
}

/// Deep nesting takes no stack, and long texts take steps that grow with them.
#[test]
fn hostile_texts_come_to_an_end() {
    const MANY: usize = 10_000;
    for language in LANGUAGES {
        for text in [
            "(", "{", "[", "a = {b: ", "x = () => ", "class A {", "def f():\n ", "<a>", "fn f() {", "`${",
            "a<", "x ? ", "@a(", "f'{", "if x: ", "fn f ", "use a ", "a = ", "a as | ", "type a ", "impl a ",
            "interface a ",
        ] {
            let source = Source::of_text(&text.repeat(MANY)).unwrap();
            let _ = scanner::outline(language, &source);
        }
        for (open, close) in [
            ("(", ")"),
            ("{", "}"),
            ("f(() => {", "})"),
            ("{ a: ", "}"),
            ("class A { b = ", "}"),
            ("type A interface { a(", ")}"),
            ("type A[a ", "]"),
            ("use {", "}"),
        ] {
            let source = Source::of_text(&format!("{}1{}", open.repeat(390), close.repeat(390))).unwrap();
            let _ = scanner::outline(language, &source);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_comes_to_an_end(text in "[a-z(){}\\[\\]<>=:;,.'\"`#/*@!&|\\\\ \n\t0-9é]{0,200}") {
        for language in LANGUAGES {
            if let Ok(source) = Source::of_text(&text) {
                let _ = scanner::outline(language, &source);
            }
        }
    }
}
