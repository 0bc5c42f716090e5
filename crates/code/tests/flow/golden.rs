//! One case for each construct of each language: what control flow, data flow and slices say about it, reviewed by hand
//! against what the language says. `UPDATE_GOLDEN=1` writes the answers again; read the difference before keeping it.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic)]

use sprag_code::flow::{self, Direction};
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};
use std::fmt::Write as _;
use std::path::Path;

/// A case: `=== name`, the code, then the answers: `--- cfg`, `--- dfg`, `--- slice LINE [forward] [var NAME]`.
struct Case {
    name: String,
    code: String,
    asked: Vec<(String, String)>,
}

fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push(Case { name: name.trim_end().to_owned(), code: String::new(), asked: Vec::new() });
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        if let Some(what) = line.strip_prefix("--- ") {
            case.asked.push((what.trim_end().to_owned(), String::new()));
        } else if let Some((_, answer)) = case.asked.last_mut() {
            answer.push_str(line);
        } else {
            case.code.push_str(line);
        }
    }
    cases
}

fn answer(language: Language, code: &str, what: &str) -> String {
    let parsed = parse::text(language, code, Limits::PATIENT).unwrap();
    let words: Vec<&str> = what.split(' ').collect();
    match words.as_slice() {
        ["cfg", name @ ..] => match flow::function(&parsed, name.first().unwrap_or(&"f")) {
            Ok(found) => found.analysis.cfg_text(&parsed.source, found.func, &found.name),
            Err(error) => error.to_string(),
        },
        ["dfg", name @ ..] => match flow::function(&parsed, name.first().unwrap_or(&"f")) {
            Ok(found) => found.analysis.dfg_text(found.func, &found.name),
            Err(error) => error.to_string(),
        },
        ["slice", line, rest @ ..] => {
            let line = line.parse().unwrap();
            let forward = rest.contains(&"forward");
            let var = rest.iter().position(|word| *word == "var").map(|at| rest[at + 1]);
            let direction = if forward { Direction::Forward } else { Direction::Backward };
            let found = match flow::around(&parsed, line, None) {
                Ok(found) => found,
                Err(error) => return error.to_string(),
            };
            match found.analysis.slice(line, var, direction) {
                Ok(lines) => format!("{}\n", flow::render::runs(&lines.into_iter().collect())),
                Err(error) => format!("{error}\n"),
            }
        }
        _ => panic!("unknown question `{what}`"),
    }
}

fn golden(language: Language, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flow/golden").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut new = String::new();
    let mut wrong = String::new();
    for case in read(&text) {
        write!(new, "=== {}\n{}", case.name, case.code).unwrap();
        for (what, expected) in &case.asked {
            let got = answer(language, &case.code, what);
            write!(new, "--- {what}\n{}\n", got.trim_end()).unwrap();
            if got.trim_end() != expected.trim_end() {
                write!(wrong, "{file}: {}: {what}\nexpected:\n{expected}got:\n{got}\n", case.name).unwrap();
            }
        }
        new.push('\n');
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, format!("{}\n", new.trim_end())).unwrap();
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}

macro_rules! languages {
    ($($name:ident: $language:ident, $file:literal;)*) => {
        $(#[test]
        fn $name() {
            golden(Language::$language, $file);
        })*
    };
}

languages! {
    python: Python, "python.txt";
    typescript: TypeScript, "typescript.txt";
    rust: Rust, "rust.txt";
    go: Go, "go.txt";
    java: Java, "java.txt";
    c: C, "c.txt";
    cpp: Cpp, "cpp.txt";
    csharp: CSharp, "csharp.txt";
    php: Php, "php.txt";
    ruby: Ruby, "ruby.txt";
}
