//! The outline of a file as a model reads it: compact, stable, within a budget, and honest about what it leaves out.
//! From the fullest to the barest form, the first that fits is taken; no symbol goes without being counted.

mod mixed;

use crate::facts::{Facts, Symbol, SymbolKind};
use crate::language::Language;
use crate::tokens::estimate;
use std::fmt::Write as _;

/// How much is said of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Head, and what is written about it.
    Documented,
    /// Head.
    Heads,
    /// Heads of types and of what matters most, with what is written about them as far as there is room; the others' names.
    Mixed,
    /// Name and names of parameters.
    Parameters,
    /// Name and line, several on a line.
    Names,
    /// Types and functions of the file by name; what is inside them by number.
    Outside,
    /// Numbers.
    Counts,
}

impl Detail {
    const ALL: [Self; 7] = [
        Self::Documented,
        Self::Heads,
        Self::Mixed,
        Self::Parameters,
        Self::Names,
        Self::Outside,
        Self::Counts,
    ];
}

/// An outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The text.
    pub text: String,
    /// Tokens of the text, estimated.
    pub tokens: u64,
    /// How much is said.
    pub detail: Detail,
    /// Symbols that are named.
    pub listed: usize,
    /// Symbols that are counted only.
    pub left_out: usize,
}

/// The outline of a file within so many tokens. The barest form may be over it; it is a few lines.
pub fn within(facts: &Facts, language: Language, budget: u64) -> Outline {
    fitting(facts, language, budget, budget)
}

/// The same with a second, larger number: it is used when within the first not every symbol could be named.
pub fn fitting(facts: &Facts, language: Language, budget: u64, stretch: u64) -> Outline {
    let stretch = stretch.max(budget);
    for detail in Detail::ALL {
        let most = if detail >= Detail::Names { stretch } else { budget };
        if detail == Detail::Mixed {
            match mixed::within(facts, language, budget, stretch) {
                Some(outline) => return outline,
                None => continue,
            }
        }
        let outline = at(facts, language, detail);
        if detail < Detail::Counts && outline.tokens <= most {
            return outline;
        }
    }
    let some = first_names(facts, language, stretch);
    if some.tokens <= stretch { some } else { at(facts, language, Detail::Counts) }
}

/// The first names that fit, and the numbers of the rest.
fn first_names(facts: &Facts, language: Language, budget: u64) -> Outline {
    // A namespace says nothing of what is in it.
    let mut is_outside: Vec<bool> = Vec::with_capacity(facts.symbols.len());
    for symbol in &facts.symbols {
        let parent =
            symbol.parent.and_then(|parent| Some((facts.symbol(parent)?, is_outside.get(parent as usize)?)));
        let outside = parent.is_none_or(|(parent, outside)| parent.kind == SymbolKind::Module && *outside);
        is_outside.push(outside);
    }
    let outside: Vec<&Symbol> = facts
        .symbols
        .iter()
        .zip(&is_outside)
        .filter(|(symbol, outside)| **outside && !symbol.kind.is_value() && symbol.kind != SymbolKind::Module)
        .map(|(symbol, _)| symbol)
        .collect();
    let mut text = String::new();
    let mut left = budget.saturating_sub(40);
    let mut listed = 0;
    for symbol in &outside {
        let one = format!("{} {}, ", dotted(symbol), symbol.line);
        let cost = estimate(&one) + 1;
        if cost > left {
            break;
        }
        left -= cost;
        listed += 1;
        text.push_str(&one);
    }
    let from = outside.get(listed).map_or(1, |symbol| symbol.line);
    let rest = Facts {
        symbols: facts
            .symbols
            .iter()
            .zip(&is_outside)
            .filter(|(symbol, outside)| {
                symbol.line >= from || !**outside || symbol.kind == SymbolKind::Module
            })
            .map(|(symbol, _)| symbol)
            .cloned()
            .collect(),
        notes: facts.notes.clone(),
        ..Facts::default()
    };
    text.push_str("and ");
    text.push_str(&at(&rest, language, Detail::Counts).text);
    Outline {
        tokens: estimate(&text),
        detail: Detail::Counts,
        listed,
        left_out: facts.symbols.len() - listed,
        text,
    }
}

/// The outline of a file with so much detail.
pub fn at(facts: &Facts, language: Language, detail: Detail) -> Outline {
    let mut writer = Writer::new(facts, language, detail);
    writer.imports();
    writer.values();
    writer.rest();
    let mut text = writer.text;
    let listed = writer.listed;
    for note in &facts.notes {
        let _ = writeln!(text, "note: {note}");
    }
    Outline { tokens: estimate(&text), detail, listed, left_out: facts.symbols.len() - listed, text }
}

struct Writer<'a> {
    facts: &'a Facts,
    language: Language,
    detail: Detail,
    text: String,
    listed: usize,
    /// Values of the file have lines of their own.
    values_apart: bool,
    /// What is inside each symbol, in the order of the text; only for symbols that are in none.
    inside: Vec<Vec<u32>>,
}

/// The most modules that are named.
const MODULES: usize = 12;

impl<'a> Writer<'a> {
    fn new(facts: &'a Facts, language: Language, detail: Detail) -> Self {
        let values = facts.symbols.iter().filter(|s| s.kind.is_value() && s.parent.is_none()).count();
        let values_apart = detail == Detail::Documented && values <= 8;
        let mut inside = vec![Vec::new(); facts.symbols.len()];
        let mut root: Vec<u32> = Vec::with_capacity(facts.symbols.len());
        for (number, symbol) in facts.symbols.iter().enumerate() {
            let above = symbol.parent.and_then(|parent| root.get(parent as usize).copied());
            root.push(above.unwrap_or(number as u32));
            if let Some(list) = above.and_then(|above| inside.get_mut(above as usize)) {
                list.push(number as u32);
            }
        }
        Self { facts, language, detail, text: String::new(), listed: 0, values_apart, inside }
    }

    fn imports(&mut self) {
        let mut modules: Vec<&str> = self.facts.imports.iter().map(|import| import.module.as_str()).collect();
        modules.dedup();
        if modules.is_empty() || self.detail >= Detail::Names {
            return;
        }
        let shown = if self.detail >= Detail::Parameters { MODULES / 2 } else { MODULES };
        let more = modules.len().saturating_sub(shown);
        let shown: Vec<&str> = modules.into_iter().take(shown).collect();
        let _ = write!(self.text, "imports {}", shown.join(", "));
        if more > 0 {
            let _ = write!(self.text, " and {more} more");
        }
        self.text.push('\n');
    }

    /// Constants and variables outside of types, on one line; with room, each with its value.
    fn values(&mut self) {
        let values: Vec<&Symbol> = self
            .facts
            .symbols
            .iter()
            .filter(|symbol| symbol.kind.is_value() && symbol.parent.is_none())
            .collect();
        let (Some(first), Some(last)) = (values.first(), values.last()) else { return };
        let range = range(first.line, last.end_line);
        if self.values_apart {
            return;
        }
        if self.detail >= Detail::Names || values.len() > 40 {
            let (s, ss) = if values.len() == 1 { ("", "") } else { ("s", "s") };
            let _ = writeln!(self.text, "{} value{s}, line{ss} {range}", values.len());
            return;
        }
        let names: Vec<String> =
            values.iter().map(|value| format!("{} {}", value.name, value.line)).collect();
        let _ = writeln!(self.text, "values {}", names.join(", "));
        self.listed += values.len();
    }

    /// Values that have no line of their own.
    fn is_folded(&self, symbol: &Symbol) -> bool {
        symbol.kind.is_value() && symbol.parent.is_none() && !self.values_apart
    }

    fn rest(&mut self) {
        match self.detail {
            Detail::Counts => self.counts(),
            Detail::Outside => self.outside(),
            Detail::Names => self.names(),
            _ => self.lines(),
        }
    }

    fn children(&self, of: Option<u32>) -> Vec<u32> {
        (0..self.facts.symbols.len() as u32)
            .filter(|number| self.facts.symbol(*number).is_some_and(|symbol| symbol.parent == of))
            .collect()
    }

    /// A line for each symbol, indented by how deep it is.
    fn lines(&mut self) {
        let mut depth: Vec<usize> = Vec::with_capacity(self.facts.symbols.len());
        for symbol in &self.facts.symbols {
            let deep =
                symbol.parent.and_then(|parent| depth.get(parent as usize)).map_or(0, |parent| parent + 1);
            depth.push(deep);
            if self.is_folded(symbol) {
                continue;
            }
            self.listed += 1;
            let head = match self.detail {
                Detail::Parameters => short(symbol, self.language),
                _ => symbol.signature.clone(),
            };
            let indent = " ".repeat(deep.min(8));
            let _ = write!(self.text, "{indent}{} {head}", range(symbol.line, symbol.end_line));
            if self.detail == Detail::Documented && !symbol.doc.is_empty() {
                let _ = write!(self.text, "  # {}", symbol.doc);
            }
            self.text.push('\n');
        }
    }

    /// A line for each type with its members, one for the functions outside.
    fn names(&mut self) {
        let mut outside = Vec::new();
        let mut lines = Vec::new();
        for number in self.children(None) {
            let Some(symbol) = self.facts.symbol(number) else { continue };
            if self.is_folded(symbol) {
                continue;
            }
            let inner = self.below(number).to_vec();
            self.listed += 1 + inner.len();
            if inner.is_empty() {
                outside.push(format!("{} {}", dotted(symbol), symbol.line));
                continue;
            }
            let inner: Vec<String> = inner
                .iter()
                .filter_map(|number| self.facts.symbol(*number))
                .map(|symbol| format!("{} {}", symbol.name, symbol.line))
                .collect();
            lines.push(format!(
                "{} {} {}: {}",
                range(symbol.line, symbol.end_line),
                word(symbol.kind),
                symbol.name,
                inner.join(", ")
            ));
        }
        for line in lines {
            let _ = writeln!(self.text, "{line}");
        }
        if !outside.is_empty() {
            let _ = writeln!(self.text, "{}", outside.join(", "));
        }
    }

    fn outside(&mut self) {
        let mut parts = Vec::new();
        for number in self.children(None) {
            let Some(symbol) = self.facts.symbol(number) else { continue };
            if self.is_folded(symbol) {
                continue;
            }
            self.listed += 1;
            let inner = self.below(number).len();
            parts.push(match inner {
                0 => format!("{} {}", symbol.name, symbol.line),
                some => format!("{} {} ({some} inside)", symbol.name, range(symbol.line, symbol.end_line)),
            });
        }
        let _ = writeln!(self.text, "{}", parts.join(", "));
    }

    fn counts(&mut self) {
        let mut parts = Vec::new();
        for kind in SymbolKind::ALL {
            let of: Vec<&Symbol> = self.facts.symbols.iter().filter(|symbol| symbol.kind == kind).collect();
            if let (Some(first), Some(last)) = (of.first(), of.last()) {
                let name = plural(kind, of.len());
                parts.push(format!("{} {name} (lines {})", of.len(), range(first.line, last.end_line)));
            }
        }
        let _ = writeln!(self.text, "{}", parts.join(", "));
    }

    /// Everything inside a symbol, in the order of the text.
    fn below(&self, number: u32) -> &[u32] {
        self.inside.get(number as usize).map_or(&[], Vec::as_slice)
    }
}

/// `12-40`, or `12` for one line.
pub(crate) fn range(from: u32, to: u32) -> String {
    if from == to { from.to_string() } else { format!("{from}-{to}") }
}

/// A method that is written outside of its type says whose it is.
fn dotted(symbol: &Symbol) -> String {
    if symbol.container.is_empty() || symbol.kind == SymbolKind::Impl {
        symbol.name.clone()
    } else {
        format!("{}.{}", symbol.container, symbol.name)
    }
}

fn word(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Function | SymbolKind::Method => "fn",
        SymbolKind::Module => "mod",
        other => other.name(),
    }
}

fn plural(kind: SymbolKind, count: usize) -> String {
    match (kind, count) {
        (kind, 1) => kind.name().to_owned(),
        (SymbolKind::Class, _) => "classes".to_owned(),
        (SymbolKind::Property, _) => "properties".to_owned(),
        (kind, _) => format!("{}s", kind.name()),
    }
}

/// The head with the names of the parameters alone.
fn short(symbol: &Symbol, language: Language) -> String {
    if !symbol.kind.is_function() {
        let word = word(symbol.kind);
        return format!("{word} {}", symbol.name);
    }
    let names = parameters(&symbol.signature, &symbol.name, language);
    let names: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !matches!(*name, "self" | "cls" | "this")).collect();
    format!("{}({})", dotted_outside(symbol), names.join(", "))
}

fn dotted_outside(symbol: &Symbol) -> String {
    if symbol.parent.is_none() { dotted(symbol) } else { symbol.name.clone() }
}

/// The names of a head's parameters.
pub(crate) fn parameters(signature: &str, name: &str, language: Language) -> Vec<String> {
    let after = signature.find(name).map_or(0, |at| at + name.len());
    let tail = signature.get(after..).unwrap_or("");
    let Some(open) = tail.find('(') else { return Vec::new() };
    let mut depth = 0_i32;
    let mut part = String::new();
    let mut parts = Vec::new();
    for c in tail.get(open..).unwrap_or("").chars() {
        match c {
            '(' | '[' | '{' | '<' => {
                depth += 1;
                if depth > 1 {
                    part.push(c);
                }
            }
            ')' | ']' | '}' | '>' if depth <= 1 && c == ')' => break,
            ')' | ']' | '}' => {
                depth -= 1;
                part.push(c);
            }
            // `->` and `=>` close nothing.
            '>' if part.ends_with(['-', '=']) => part.push(c),
            '>' => {
                depth -= 1;
                part.push(c);
            }
            ',' if depth == 1 => parts.push(std::mem::take(&mut part)),
            c => part.push(c),
        }
    }
    parts.push(part);
    parts.iter().map(|part| parameter(part.trim(), language)).filter(|name| !name.is_empty()).collect()
}

/// The name of one parameter.
fn parameter(text: &str, language: Language) -> String {
    let head = text.split('=').next().unwrap_or(text).trim();
    let name = match language {
        Language::C | Language::Cpp | Language::Java | Language::CSharp => {
            head.rsplit([' ', '*', '&']).next().unwrap_or(head).trim_end_matches("[]")
        }
        Language::Php => head.rsplit('$').next().unwrap_or(head),
        Language::Go => head.split_whitespace().next().unwrap_or(head),
        _ => {
            let head = head.split(':').next().unwrap_or(head).trim();
            head.rsplit(' ').next().unwrap_or(head)
        }
    };
    name.trim_matches(['&', '?', ' ', '@']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::facts;
    use crate::parse::{self, Limits};
    use proptest::prelude::*;

    fn python(text: &str) -> Facts {
        facts(&parse::text(Language::Python, text, Limits::QUICK).unwrap())
    }

    const SHOP: &str = "import os\nfrom a import b\n\nLIMIT = 10\n\nclass Cart(Base):\n    \"\"\"A cart.\"\"\"\n    def add(self, item: Item, count=1) -> int:\n        return 1\n\ndef pay(cart, *, tax: float = 0.2):\n    def inner():\n        pass\n";

    #[test]
    fn from_the_fullest_to_the_barest() {
        let facts = python(SHOP);
        let text = |detail| at(&facts, Language::Python, detail).text;
        assert_eq!(
            text(Detail::Documented),
            "imports os, a\n4 LIMIT = 10\n6-9 class Cart(Base)  # A cart.\n 8-9 def add(self, item: Item, count=1) -> int\n11-13 def pay(cart, *, tax: float = 0.2)\n 12-13 def inner()\n"
        );
        assert_eq!(
            text(Detail::Parameters),
            "imports os, a\nvalues LIMIT 4\n6-9 class Cart\n 8-9 add(item, count)\n11-13 pay(cart, *, tax)\n 12-13 inner()\n"
        );
        assert_eq!(text(Detail::Names), "1 value, line 4\n6-9 class Cart: add 8\n11-13 fn pay: inner 12\n");
        assert_eq!(text(Detail::Outside), "1 value, line 4\nCart 6-9 (1 inside), pay 11-13 (1 inside)\n");
        assert!(text(Detail::Counts).contains("2 functions (lines 11-13), 1 method (lines 8-9), 1 class"));
    }

    /// The reference dropped what came after the thirtieth function without a word.
    #[test]
    fn no_symbol_goes_uncounted_in_a_long_file() {
        let text: String =
            (0..500).map(|n| format!("def handler_number_{n}(request, response):\n    pass\n")).collect();
        let facts = python(&text);
        for budget in [100_000, 5_000, 2_000, 100, 0] {
            let outline = within(&facts, Language::Python, budget);
            assert_eq!(outline.listed + outline.left_out, 500);
            if outline.left_out == 0 {
                assert!(outline.text.contains("handler_number_499"));
            } else {
                let rest = format!("{} functions (lines {}-1000)", outline.left_out, outline.listed * 2 + 1);
                assert!(outline.text.contains(&rest), "{}", outline.text);
                assert!(budget < 100 || outline.text.starts_with("handler_number_0 1, "), "{}", outline.text);
            }
        }
    }

    /// The outline of a file of 20,000 tokens was bare names, and half of its budget was left.
    #[test]
    fn a_large_file_fills_its_budget() {
        let mut text = String::from("class Parser(Base, Mixin):\n    \"\"\"Parses.\"\"\"\n");
        for n in 0..60 {
            text.push_str(&format!("    def _small_{n}(self): pass\n"));
            text.push_str(&format!(
                "    def parse_{n}(self, text, default=None):\n        \"\"\"Parses number {n}.\"\"\"\n        a = 1\n        return a\n"
            ));
        }
        let facts = python(&text);
        let all = at(&facts, Language::Python, Detail::Heads).tokens;
        for budget in [all - 1, all * 3 / 4, all * 2 / 3] {
            let outline = within(&facts, Language::Python, budget);
            assert_eq!((outline.detail, outline.left_out), (Detail::Mixed, 0));
            assert!(outline.text.starts_with("1-302 class Parser(Base, Mixin)"), "{}", outline.text);
            assert!(outline.text.contains(" 4-7 def parse_0(self, text, default=None)"), "{}", outline.text);
            assert!(
                outline.tokens <= budget && outline.tokens * 10 >= budget * 8,
                "{} {budget}",
                outline.tokens
            );
        }
    }

    #[test]
    fn the_first_names_are_those_of_types_not_of_namespaces() {
        let text: String = (0..300).map(|n| format!("namespace N{n} {{ class C{n} {{}} }}\n")).collect();
        let parsed = parse::text(Language::Php, &format!("<?php\n{text}"), Limits::QUICK).unwrap();
        let outline = within(&facts(&parsed), Language::Php, 200);
        assert!(outline.text.starts_with("C0 2, C1 3, "), "{}", outline.text);
    }

    #[test]
    fn parameters_of_every_kind() {
        let of = |signature: &str, name: &str, language| parameters(signature, name, language).join(" ");
        assert_eq!(
            of("fn a(&self, x: Vec<(u8, u8)>, f: impl Fn(u8) -> u8) -> R", "a", Language::Rust),
            "self x f"
        );
        assert_eq!(of("int a(struct b *c, int d[])", "a", Language::C), "c d");
        assert_eq!(of("func (c *Cart) Add(item st.Item, n int) int", "Add", Language::Go), "item n");
        assert_eq!(of("function pay(Cart $cart, int $n = 1): int", "pay", Language::Php), "cart n");
        assert_eq!(
            of("add(item: Map<string, number>, n?: number): void", "add", Language::TypeScript),
            "item n"
        );
        assert_eq!(of("def f", "f", Language::Ruby), "");
    }

    proptest! {
        #[test]
        fn every_symbol_is_listed_or_counted(text in "(def [a-c]\\(x\\):|class [A-C]:|    def [d-f]\\(self\\): pass|X = 1|    pass|\n){0,40}", budget in 0_u64..200) {
            if let Ok(parsed) = parse::text(Language::Python, &text, Limits::QUICK) {
                let facts = facts(&parsed);
                let outline = within(&facts, Language::Python, budget);
                prop_assert_eq!(outline.listed + outline.left_out, facts.symbols.len());
                prop_assert!(outline.tokens <= budget || outline.detail == Detail::Counts);
            }
        }
    }
}
