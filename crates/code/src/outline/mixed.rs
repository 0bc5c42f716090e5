//! The outline of a large file: types always by their heads, what matters most in full as far as the budget goes, the rest by
//! name in one line. Every symbol has its line.

use super::{Detail, Outline, Writer, dotted, range};
use crate::facts::{Facts, Symbol};
use crate::language::Language;
use crate::tokens::estimate;
use std::fmt::Write as _;

/// How much is said of one symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    Name,
    Head,
    Documented,
}

/// The outline that fills so many tokens; `None` when not even the names fit into the larger number.
pub(super) fn within(facts: &Facts, language: Language, budget: u64, stretch: u64) -> Option<Outline> {
    let plain: Vec<Said> = facts
        .symbols
        .iter()
        .map(|symbol| if symbol.kind.is_type() { Said::Head } else { Said::Name })
        .collect();
    let bare = written(facts, language, &plain);
    if bare.tokens > stretch {
        return None;
    }
    let upgrades = upgrades(facts, budget.saturating_sub(bare.tokens));
    // The price of a line is estimated; when all together are too dear, the last are taken back.
    let mut count = upgrades.len();
    while count > 0 {
        let mut said = plain.clone();
        for (number, wanted) in upgrades.iter().take(count) {
            if let Some(said) = said.get_mut(*number) {
                *said = *wanted;
            }
        }
        let outline = written(facts, language, &said);
        if outline.tokens <= budget {
            return Some(outline);
        }
        count -= (count / 10).max(1);
    }
    Some(bare)
}

/// What to say more of, as far as the tokens go: first heads, then what is written about them; of what is public and large first.
fn upgrades(facts: &Facts, mut tokens: u64) -> Vec<(usize, Said)> {
    let mut ranked: Vec<(usize, &Symbol)> = facts
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| !(symbol.kind.is_value() && symbol.parent.is_none()))
        .collect();
    ranked.sort_by_key(|(number, symbol)| {
        (!is_public(symbol), std::cmp::Reverse(symbol.end_line - symbol.line), *number)
    });
    let mut found = Vec::new();
    let mut pay = |cost: u64| match tokens.checked_sub(cost) {
        Some(left) => {
            tokens = left;
            true
        }
        None => false,
    };
    for (number, symbol) in ranked.iter().filter(|(_, symbol)| !symbol.kind.is_type()) {
        if !pay(estimate(&symbol.signature).saturating_sub(1)) {
            return found;
        }
        found.push((*number, Said::Head));
    }
    for (number, symbol) in ranked.iter().filter(|(_, symbol)| !symbol.doc.is_empty()) {
        if !pay(estimate(&symbol.doc) + 2) {
            break;
        }
        found.push((*number, Said::Documented));
    }
    found
}

/// By its name, or by the words before it.
fn is_public(symbol: &Symbol) -> bool {
    let hidden = symbol.name.starts_with(['_', '#']) && symbol.name != "__init__";
    !hidden && !symbol.signature.starts_with("private ") && !symbol.signature.starts_with("static ")
}

fn written(facts: &Facts, language: Language, said: &[Said]) -> Outline {
    let mut writer = Writer::new(facts, language, Detail::Mixed);
    writer.imports();
    writer.values();
    let mut names: Vec<String> = Vec::new();
    let mut deep: Vec<usize> = Vec::with_capacity(facts.symbols.len());
    let mut names_deep = 0;
    for (symbol, said) in facts.symbols.iter().zip(said) {
        let depth = symbol.parent.and_then(|parent| deep.get(parent as usize)).map_or(0, |parent| parent + 1);
        deep.push(depth);
        if writer.is_folded(symbol) {
            continue;
        }
        writer.listed += 1;
        if *said == Said::Name && (names.is_empty() || names_deep == depth) {
            names_deep = depth;
            names.push(format!("{} {}", dotted_at(symbol, depth), symbol.line));
            continue;
        }
        flush(&mut writer.text, &mut names, names_deep);
        if *said == Said::Name {
            names_deep = depth;
            names.push(format!("{} {}", dotted_at(symbol, depth), symbol.line));
            continue;
        }
        let indent = " ".repeat(depth.min(8));
        let _ = write!(writer.text, "{indent}{} {}", range(symbol.line, symbol.end_line), symbol.signature);
        if *said == Said::Documented {
            let _ = write!(writer.text, "  # {}", symbol.doc);
        }
        writer.text.push('\n');
    }
    flush(&mut writer.text, &mut names, names_deep);
    let (mut text, listed) = (writer.text, writer.listed);
    for note in &facts.notes {
        let _ = writeln!(text, "note: {note}");
    }
    Outline {
        tokens: estimate(&text),
        detail: Detail::Mixed,
        listed,
        left_out: facts.symbols.len() - listed,
        text,
    }
}

/// What is inside a type needs not say so.
fn dotted_at(symbol: &Symbol, depth: usize) -> String {
    if depth > 0 { symbol.name.clone() } else { dotted(symbol) }
}

fn flush(text: &mut String, names: &mut Vec<String>, depth: usize) {
    if !names.is_empty() {
        let _ = writeln!(text, "{}{}", " ".repeat(depth.min(8)), names.join(", "));
        names.clear();
    }
}
