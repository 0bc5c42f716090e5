//! The map as a model reads it: files with their most used symbols, within a budget of tokens.

use super::Map;
use crate::facts::{Facts, Symbol};
use crate::index::Index;
use crate::outline::range;
use crate::tokens::estimate;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// A map in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapText {
    /// The text.
    pub text: String,
    /// Its tokens, estimated.
    pub tokens: u64,
    /// Files that are named.
    pub files: usize,
    /// Symbols that are named.
    pub symbols: usize,
}

/// Folders that are counted.
const FOLDERS: usize = 10;
/// Letters of a head that are shown.
const HEAD: usize = 160;
/// Of the budget, what documentation lines may have at least: in percent.
const FOR_DOCS: u64 = 20;
/// Symbols in order of their worth that are tried after the first that has no room.
const TRIED: usize = 40;

impl Map {
    /// The map within so many tokens.
    pub fn text(&self, index: &Index, budget: u64) -> MapText {
        let head = self.head(index);
        let mut chosen = Chosen::default();
        // The last line, and the estimate's error.
        let fixed = estimate(&head) + 45;
        let room = budget.saturating_sub(fixed);
        let for_heads = room - room * FOR_DOCS / 100;
        self.choose(index, for_heads, &mut chosen);
        self.document(index, room.saturating_sub(chosen.tokens), &mut chosen);
        // Lines together cost a little more or less than each alone.
        loop {
            let text = self.written(index, &head, &chosen);
            let tokens = estimate(&text);
            if tokens <= budget || chosen.order.is_empty() {
                let (files, symbols) = (chosen.files.len(), chosen.order.len());
                return MapText { text, tokens, files, symbols };
            }
            for _ in 0..(chosen.order.len() / 12).max(1) {
                chosen.take_back();
            }
        }
    }

    /// Symbols by what they are worth; the more of a file are shown, the less the next is worth.
    fn choose(&self, index: &Index, room: u64, chosen: &mut Chosen) {
        let mut all: Vec<(f64, u32, u32)> = Vec::new();
        for of in &self.files {
            for (place, (symbol, score)) in of.symbols.iter().enumerate() {
                all.push((score / (1.0 + place as f64 / 5.0), of.file, *symbol));
            }
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        let mut failed = 0;
        for (_, file, number) in all {
            let Some(facts) = index.facts(file) else { continue };
            let Some(symbol) = facts.symbol(number) else { continue };
            let mut cost = estimate(&line(symbol, 1)) + 1;
            let known = chosen.files.get(&file);
            if known.is_none() {
                cost += estimate(&file_line(index, file, &facts)) + 1;
            }
            for parent in around(&facts, symbol) {
                if known.is_none_or(|known| !known.shown.contains(&parent)) {
                    cost += facts.symbol(parent).map_or(0, |parent| estimate(&line(parent, 1)) + 1);
                }
            }
            if chosen.tokens + cost > room {
                failed += 1;
                if failed > TRIED {
                    break;
                }
                continue;
            }
            chosen.tokens += cost;
            chosen.order.push((file, number));
            let shown = &mut chosen.files.entry(file).or_default().shown;
            shown.extend(around(&facts, symbol));
            shown.insert(number);
        }
    }

    /// What is written about the symbols, as far as there is room.
    fn document(&self, index: &Index, mut room: u64, chosen: &mut Chosen) {
        for (file, number) in &chosen.order {
            let Some(facts) = index.facts(*file) else { continue };
            let Some(symbol) = facts.symbol(*number).filter(|symbol| !symbol.doc.is_empty()) else {
                continue;
            };
            let cost = estimate(&symbol.doc) + 2;
            let Some(left) = room.checked_sub(cost) else { break };
            room = left;
            if let Some(known) = chosen.files.get_mut(file) {
                known.documented.insert(*number);
            }
        }
    }

    fn written(&self, index: &Index, head: &str, chosen: &Chosen) -> String {
        let mut text = head.to_owned();
        for of in &self.files {
            let Some(shown) = chosen.files.get(&of.file) else { continue };
            let Some(facts) = index.facts(of.file) else { continue };
            text.push_str(&file_line(index, of.file, &facts));
            text.push('\n');
            for number in &shown.shown {
                let Some(symbol) = facts.symbol(*number) else { continue };
                text.push_str(&line(symbol, 1 + around(&facts, symbol).len()));
                if shown.documented.contains(number) {
                    let _ = write!(text, "  # {}", symbol.doc);
                }
                text.push('\n');
            }
        }
        let _ = writeln!(
            text,
            "{} of {} files, {} of {} symbols; `sprag code outline FILE` shows the rest of a file.",
            chosen.files.len(),
            self.files.len(),
            chosen.order.len(),
            self.symbols
        );
        if self.unread > 0 {
            let _ = writeln!(text, "Incomplete: the calls of {} files are still being read.", self.unread);
        }
        text
    }

    /// How large the project is, and where its code lies.
    fn head(&self, index: &Index) -> String {
        let mut languages: Vec<(&str, usize)> =
            self.languages.iter().map(|(name, count)| (*name, *count)).collect();
        languages.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
        let languages: Vec<String> =
            languages.iter().take(4).map(|(name, count)| format!("{name} {count}")).collect();
        let mut text =
            format!("{} files, {} lines ({})\n", self.files.len(), self.lines, languages.join(", "));
        let mut folders = self.folders(index, 1);
        if folders.len() < 3 {
            folders = self.folders(index, 2);
        }
        if folders.len() > 1 {
            let told: Vec<String> =
                folders.iter().take(FOLDERS).map(|(name, count)| format!("{name}/ {count}")).collect();
            let more = folders.len().saturating_sub(FOLDERS);
            let more = if more > 0 { format!(", {more} more folders") } else { String::new() };
            let _ = writeln!(text, "files in {}{more}", told.join(", "));
        }
        text
    }

    /// Folders so deep, with the number of files in them.
    fn folders(&self, index: &Index, depth: usize) -> Vec<(String, usize)> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for of in &self.files {
            let Some((folder, _)) = index.path(of.file).rsplit_once('/') else { continue };
            let top: Vec<&str> = folder.split('/').take(depth).collect();
            *counts.entry(top.join("/")).or_default() += 1;
        }
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }
}

/// What is shown.
#[derive(Default)]
struct Chosen {
    files: BTreeMap<u32, ChosenFile>,
    /// Symbols that were chosen, the most important first; not those that are only around one.
    order: Vec<(u32, u32)>,
    tokens: u64,
}

#[derive(Default)]
struct ChosenFile {
    /// Symbols in the order of the text.
    shown: BTreeSet<u32>,
    documented: BTreeSet<u32>,
}

impl Chosen {
    /// Takes the least important one back, and what was shown for it alone stays: it is a line at most.
    fn take_back(&mut self) {
        let Some((file, number)) = self.order.pop() else { return };
        let Some(of) = self.files.get_mut(&file) else { return };
        of.shown.remove(&number);
        of.documented.remove(&number);
        if !self.order.iter().any(|(other, _)| *other == file) {
            self.files.remove(&file);
        }
    }
}

/// The symbols around one, from outside.
fn around(facts: &Facts, symbol: &Symbol) -> Vec<u32> {
    let mut found = Vec::new();
    let mut up = symbol.parent;
    while let Some(number) = up.filter(|_| found.len() < 8) {
        found.push(number);
        up = facts.symbol(number).and_then(|symbol| symbol.parent);
    }
    found.reverse();
    found
}

fn file_line(index: &Index, file: u32, facts: &Facts) -> String {
    format!("{} ({} lines)", index.path(file), facts.lines)
}

fn line(symbol: &Symbol, depth: usize) -> String {
    let head = &symbol.signature;
    let shown: String = head.chars().take(HEAD).collect();
    let cut = if shown.len() < head.len() { "…" } else { "" };
    format!("{}{} {shown}{cut}", " ".repeat(depth.min(8)), range(symbol.line, symbol.end_line))
}
