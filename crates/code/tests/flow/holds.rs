//! What must hold for any code: slices have the line they begin at and stay small, what is told is smaller than the code,
//! broken or endless code gives an answer that says what it lacks, and nothing makes the analysis fail.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test"
)]

use proptest::prelude::*;
use sprag_code::flow::{self, Analysis, Direction};
use sprag_code::language::{Language, TABLE};
use sprag_code::parse::{self, Limits};
use std::path::{Path, PathBuf};

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            files(&entry.unwrap().path(), found);
        }
    } else if Language::of_path(path).is_some_and(flow::is_supported) {
        found.push(path.to_owned());
    }
}

/// This crate's own code and the samples of every language.
#[test]
fn slices_are_never_empty_and_small_and_texts_are_smaller_than_the_code() {
    let mut list = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    files(&root.join("src/extract"), &mut list);
    files(&root.join("src/index"), &mut list);
    files(&root.join("src/flow/lower"), &mut list);
    files(&root.join("tests/samples"), &mut list);
    let (mut parts, mut cfg, mut dfg) = (Vec::new(), Vec::new(), Vec::new());
    for file in list {
        let parsed = parse::file(&file, &std::fs::read(&file).unwrap(), Limits::PATIENT).unwrap();
        for place in flow::functions(&parsed).iter().filter(|place| place.around.is_none()) {
            let analysis = Analysis::new(&parsed, place).unwrap();
            let code = analysis.lines();
            for line in &code {
                let slice = analysis.slice(*line, None, Direction::Backward).unwrap();
                assert!(slice.contains(line), "{}:{line}", file.display());
                assert!(slice.iter().all(|other| code.contains(other)), "{}:{line}", file.display());
                let forward = analysis.slice(*line, None, Direction::Forward).unwrap();
                assert!(forward.contains(line), "{}:{line}", file.display());
                if place.lines.1 - place.lines.0 >= 14 {
                    parts.push(slice.len() as f64 / code.len() as f64);
                }
            }
            if place.lines.1 - place.lines.0 >= 4 {
                let text = place.node.byte_range().len() as f64;
                cfg.push(analysis.cfg_text(&parsed.source, 0, &place.name).len() as f64 / text);
                dfg.push(analysis.dfg_text(0, &place.name).len() as f64 / text);
            }
        }
    }
    let mean = parts.iter().sum::<f64>() / parts.len() as f64;
    let median = |list: &mut Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    let (cfg, dfg) = (median(&mut cfg), median(&mut dfg));
    println!("{} slices, mean {mean:.2} of the code; cfg {cfg:.2}, dfg {dfg:.2} (median)", parts.len());
    assert!(parts.len() > 2_000);
    assert!(mean < 0.5, "{mean}");
    assert!(cfg < 1.0 && dfg < 1.0, "{cfg} {dfg}");
}

/// The reference's slice of this was every line.
#[test]
fn a_slice_leaves_out_what_does_not_matter() {
    let text = "def f(a, b):\n    x = a\n    y = b\n    print(y)\n    z = x * 2\n    return z\n";
    let parsed = parse::text(Language::Python, text, Limits::QUICK).unwrap();
    let analysis = flow::around(&parsed, 6, None).unwrap().analysis;
    assert_eq!(analysis.slice(6, None, Direction::Backward).unwrap(), [1, 2, 5, 6]);
    assert_eq!(analysis.slice(2, None, Direction::Forward).unwrap(), [2, 5, 6]);
}

#[test]
fn what_is_nested_too_deeply_is_told_and_not_followed() {
    let open = "if (a) { ".repeat(3_000);
    let text = format!("function f(a) {{ {open} b = a; {} return b; }}\n", "}".repeat(3_000));
    let parsed = parse::text(Language::JavaScript, &text, Limits::QUICK).unwrap();
    let found = flow::function(&parsed, "f").unwrap();
    assert!(!found.analysis.is_complete());
    assert!(found.analysis.unit.notes.iter().any(|note| note.contains("nested too deeply")));
    let chain = format!("def f(a):\n    return a{}\n", " + a".repeat(5_000));
    let parsed = parse::text(Language::Python, &chain, Limits::QUICK).unwrap();
    assert!(flow::function(&parsed, "f").is_ok());
}

#[test]
fn a_long_chain_of_branches_is_not_nested() {
    let mut text = "fn f(a: u32) -> u32 {\n    if a == 0 { 0 }\n".to_owned();
    (1..2_000).for_each(|n| text.push_str(&format!("    else if a == {n} {{ {n} }}\n")));
    text.push_str("    else { 1 }\n}\n");
    let parsed = parse::text(Language::Rust, &text, Limits::PATIENT).unwrap();
    let found = flow::function(&parsed, "f").unwrap();
    assert!(found.analysis.is_complete(), "{:?}", found.analysis.unit.notes);
    assert_eq!(found.analysis.blocks(found.func).complexity, 2_001);
}

/// Many changes of one variable: the flows are not the square of them.
#[test]
fn long_functions_have_few_flows() {
    let count = |changes: usize| {
        let mut text = "def f(x, y):\n".to_owned();
        (0..changes).for_each(|_| text.push_str("    if x:\n        y += x\n"));
        text.push_str("    return y\n");
        let parsed = parse::text(Language::Python, &text, Limits::PATIENT).unwrap();
        let analysis = flow::function(&parsed, "f").unwrap().analysis;
        let last = (changes * 2 + 2) as u32;
        assert_eq!(analysis.slice(last, Some("y"), Direction::Backward).unwrap().len(), changes * 2 + 2);
        let mut forward = analysis.reach.forward();
        let mut reaches = |def: u32| forward.uses(def, usize::MAX).list.iter().any(|(_, line)| *line == last);
        let reaching = analysis.reach.defs.each().filter(|(def, _)| reaches(*def)).count();
        assert_eq!(reaching, changes + 1, "every change may be the last");
        analysis.reach.flows.len()
    };
    let (few, many) = (count(100), count(400));
    assert!(many < few * 5, "{few} {many}");
}

#[test]
fn languages_without_a_lowering_say_so() {
    for row in TABLE.iter().filter(|row| !flow::is_supported(row.language)) {
        match parse::text(row.language, "f() {\n  x=1\n}\n", Limits::QUICK) {
            Ok(parsed) => {
                assert!(flow::function(&parsed, "f").is_err());
                assert!(flow::around(&parsed, 2, None).is_err());
            }
            Err(error) => assert!(matches!(error, parse::ParseError::NoGrammar), "{error}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Samples with bytes cut out or put in: an answer, never a failure; and where a function does not parse, a note.
    #[test]
    fn broken_code_gives_an_answer_with_a_note(which in 0_usize..20, at in 0_usize..10_000, cut in 0_usize..60, put in "[(){}:;=a \n]{0,4}") {
        let mut list = Vec::new();
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples"), &mut list);
        list.sort();
        let file = &list[which % list.len()];
        let text = std::fs::read_to_string(file).unwrap();
        let mut from = at % text.len();
        while !text.is_char_boundary(from) { from -= 1; }
        let mut to = (from + cut).min(text.len());
        while !text.is_char_boundary(to) { to -= 1; }
        let broken = format!("{}{put}{}", &text[..from], &text[to.max(from)..]);
        if let Ok(parsed) = parse::file(file, broken.as_bytes(), Limits::QUICK) {
            for place in flow::functions(&parsed).iter().filter(|place| place.around.is_none()) {
                let analysis = Analysis::new(&parsed, place).unwrap();
                prop_assert!(!place.node.has_error() || !analysis.is_complete());
                for line in analysis.lines() {
                    prop_assert!(analysis.slice(line, None, Direction::Backward).unwrap().contains(&line));
                }
                let _ = analysis.cfg_text(&parsed.source, 0, &place.name);
                let _ = analysis.dfg_text(0, &place.name);
            }
        }
    }
}
