//! The table of languages, cell by cell: what it claims, a sample shows; what it does not claim, the sample does not.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test")]

use sprag_code::extract::Depth;
use sprag_code::facts::PackedValues;
use sprag_code::flow::{self, Direction};
use sprag_code::language::TABLE;
use sprag_code::{Facts, Language, Layer, Limits, Receiver, Support, extract, parse};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn sample(language: Language) -> PathBuf {
    let row = language.row();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| Language::of_path(path) == Some(language))
        .unwrap_or_else(|| panic!("no sample for {}", row.name))
}

fn facts(language: Language) -> Facts {
    let path = sample(language);
    let read = extract::file(&path, &std::fs::read(&path).unwrap(), Limits::QUICK, Depth::Calls).unwrap();
    assert_eq!(read.language, language);
    Facts { values: PackedValues::default(), ..read.facts }
}

fn is(name: &str, wanted: &str) -> bool {
    name.eq_ignore_ascii_case(wanted)
}

/// A call from one function to another.
fn calls(facts: &Facts, from: &str, to: &str, on: impl Fn(&Receiver) -> bool) -> bool {
    facts.calls.iter().any(|call| {
        let caller = call.caller.and_then(|caller| facts.symbol(caller)).map_or("", |symbol| &symbol.name);
        is(caller, from) && is(&call.name, to) && on(&call.on)
    })
}

fn shows(language: Language, facts: &Facts, layer: Layer) -> bool {
    match layer {
        Layer::Outline => ["add", "main"].iter().all(|name| facts.symbols.iter().any(|s| is(&s.name, name))),
        Layer::Docs => facts.symbols.iter().any(|s| is(&s.name, "add") && s.doc == "Adds an item."),
        Layer::Imports => facts.imports.iter().any(|import| import.module.to_lowercase().contains("stock")),
        Layer::Calls => {
            calls(facts, "main", "pay", |on| *on == Receiver::Nothing)
                || calls(facts, "main", "add", |on| *on == Receiver::Nothing)
        }
        Layer::OwnMethods => calls(facts, "total", "add", |on| {
            *on == Receiver::Own || *on == Receiver::Type("Cart".to_owned())
        }),
        Layer::TypedMethods => calls(facts, "pay", "add", |on| *on == Receiver::Type("Cart".to_owned())),
        // Shown with whole projects, in `tests/projects.rs`.
        Layer::CrossFile => true,
        Layer::Flow => flows(language),
    }
}

/// The sample's functions have a control flow, a data flow and slices; constructs are in `tests/flow/golden`.
fn flows(language: Language) -> bool {
    let path = sample(language);
    let Ok(parsed) = parse::file(&path, &std::fs::read(&path).unwrap(), Limits::QUICK) else { return false };
    let named = |names: &[&str]| names.iter().find_map(|name| flow::function(&parsed, name).ok());
    let (Some(found), Some(adding)) = (named(&["main", "Main"]), named(&["add", "Add"])) else {
        return false;
    };
    assert!(found.analysis.is_complete(), "{:?}", found.analysis.unit.notes);
    let data = adding.analysis.dfg_text(adding.func, "add");
    let lines = found.analysis.lines();
    data.lines().count() > 1
        && lines.iter().all(|line| found.analysis.slice(*line, None, Direction::Backward).is_ok())
}

#[test]
fn every_cell_of_the_table_is_shown_by_a_sample() {
    let mut wrong = String::new();
    for row in TABLE {
        let facts = facts(row.language);
        assert!(facts.notes.is_empty(), "{}: {:?}", row.name, facts.notes);
        for layer in Layer::ALL {
            let claimed = row.language.support(layer) != Support::No;
            if shows(row.language, &facts, layer) != claimed {
                let _ = writeln!(wrong, "{} {}: claimed {claimed}", row.name, layer.name());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Every symbol of every sample, with its lines and its head.
#[test]
fn the_outlines_of_the_samples() {
    let mut text = String::new();
    for row in TABLE {
        let _ = writeln!(text, "# {}", row.name);
        let facts = facts(row.language);
        for (number, symbol) in facts.symbols.iter().enumerate() {
            let bases = symbol.bases.join(" ");
            let _ = writeln!(
                text,
                "{}-{} {} {} | {} | {} | {bases}",
                symbol.line,
                symbol.end_line,
                symbol.kind.name(),
                facts.path(number as u32),
                symbol.signature,
                symbol.doc
            );
        }
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/outlines.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&golden).unwrap_or_default());
}

/// Languages without a tree: the forms that were written before the scanners, symbol by symbol and call by call.
#[test]
fn the_forms_of_languages_without_a_tree() {
    let mut text = String::new();
    for row in TABLE.iter().filter(|row| !row.language.has_tree()) {
        let name = format!("tests/samples/forms/forms.{}", row.extensions[0]);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let read = extract::file(&path, &std::fs::read(&path).unwrap(), Limits::QUICK, Depth::Calls).unwrap();
        assert!(read.facts.notes.is_empty(), "{}: {:?}", row.name, read.facts.notes);
        let _ = writeln!(text, "# {}", row.name);
        for (number, symbol) in read.facts.symbols.iter().enumerate() {
            let _ = writeln!(
                text,
                "{}-{} {} {} | {} | {} | {}",
                symbol.line,
                symbol.end_line,
                symbol.kind.name(),
                read.facts.path(number as u32),
                symbol.signature,
                symbol.doc,
                symbol.bases.join(" ")
            );
        }
        for import in &read.facts.imports {
            let _ = writeln!(text, "import {} {} {}", import.module, import.name, import.alias);
        }
        for call in &read.facts.calls {
            let caller = call.caller.map_or_else(String::new, |caller| read.facts.path(caller));
            let _ = writeln!(text, "{} {caller} calls {} on {:?}", call.line, call.name, call.on);
        }
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/forms/forms.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&golden).unwrap_or_default());
}
