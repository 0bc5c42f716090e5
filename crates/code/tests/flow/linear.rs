//! The analysis of a function grows with its length, whatever its form. Steps are counted, not time: the same everywhere.
#![allow(clippy::unwrap_used)]

use crate::forms::FORMS;
use sprag_code::flow::{self, Analysis};
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};

/// Steps of the analysis, and the length of what is told.
fn measured(language: Language, text: &str) -> (u64, usize) {
    let parsed = parse::text(language, text, Limits::PATIENT).unwrap();
    let places = flow::functions(&parsed);
    let analysis = Analysis::new(&parsed, places.first().unwrap()).unwrap();
    assert!(analysis.graph.nodes.len() > 100);
    let told = analysis.cfg_text(&parsed.source, 0, "long").len() + analysis.dfg_text(0, "long").len();
    (analysis.steps(), told)
}

#[test]
fn twice_the_lines_are_twice_the_work() {
    for (name, language, form) in FORMS.iter().filter(|form| flow::is_supported(form.1)) {
        let (half, half_told) = measured(*language, &form(2_500));
        let (whole, whole_told) = measured(*language, &form(5_000));
        assert!(half > 2_500, "{name}: nothing was counted");
        assert!(whole * 10 <= half * 22, "{name}: {half} steps for 2,500 lines, {whole} for 5,000");
        assert!(whole_told * 10 <= half_told * 25, "{name}: {half_told} bytes told, then {whole_told}");
    }
}
