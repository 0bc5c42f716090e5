//! Symbols as documents, and how well their words fit a question: BM25 with weights for where a word stands.

use crate::words;
use sprag_code::Facts;
use sprag_code::facts::{Symbol, SymbolKind};
use sprag_code::index::{Index, SymbolId};
use sprag_code::map::is_test;
use std::collections::HashMap;

/// A symbol to be found.
pub(crate) struct Document {
    pub(crate) id: SymbolId,
    /// What its vector is kept under.
    pub(crate) key: [u8; 8],
    /// What it counts beside others: tests less, declarations without code a little less.
    pub(crate) weight: f64,
    /// Overloads have the same.
    group: (u32, u64),
    /// How often each word is there, weighted.
    terms: HashMap<u32, f64>,
    length: f64,
}

/// How much a word counts where it stands.
const NAME: f64 = 4.0;
const DOC: f64 = 2.5;
const AROUND: f64 = 1.5;
const HEAD: f64 = 0.8;
const PATH: f64 = 1.0;
const BODY: f64 = 0.4;
/// The parameters of BM25.
const K: f64 = 1.4;
const B: f64 = 0.6;

/// Every symbol of a project with its words.
#[derive(Default)]
pub(crate) struct Ranker {
    pub(crate) documents: Vec<Document>,
    words: HashMap<String, u32>,
    /// Documents that have a word.
    counts: Vec<f64>,
    mean: f64,
}

/// What can be found: what is done and what it is done with.
pub(crate) fn is_document(symbol: &Symbol) -> bool {
    !symbol.kind.is_value() && !matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Module)
}

/// What a symbol's vector is made of: its name in words, whose it is, what is written about it.
pub(crate) fn sentence(facts: &Facts, symbol: &Symbol, path: &str) -> String {
    let plain = |name: &str| {
        let mut text = String::new();
        let mut last = ' ';
        for c in name.chars() {
            if c == '_' {
                text.push(' ');
            } else {
                if c.is_uppercase() && last.is_lowercase() {
                    text.push(' ');
                }
                text.extend(c.to_lowercase());
            }
            last = c;
        }
        text.trim().to_owned()
    };
    let of = symbol.parent.and_then(|parent| facts.symbol(parent)).map(|parent| plain(&parent.name));
    let of = of.or_else(|| Some(plain(&symbol.container))).filter(|of| !of.is_empty());
    let of = of.unwrap_or_else(|| {
        let name = path.rsplit('/').next().unwrap_or(path);
        plain(name.split('.').next().unwrap_or(name))
    });
    format!("{} {of}. {}", plain(&symbol.name), symbol.doc)
}

/// The key of a sentence's vector.
pub(crate) fn key(sentence: &str) -> [u8; 8] {
    let mut key = [0; 8];
    for (to, from) in key.iter_mut().zip(blake3::hash(sentence.as_bytes()).as_bytes()) {
        *to = *from;
    }
    key
}

/// What a test counts, and what a type without code does.
const TEST: f64 = 0.6;
const DECLARED: f64 = 0.85;

fn weight(facts: &Facts, symbol: &Symbol, path: &str) -> f64 {
    let parent = symbol.parent.and_then(|parent| facts.symbol(parent));
    let in_tests =
        parent.is_some_and(|parent| parent.kind == SymbolKind::Module && parent.name.contains("test"));
    let declared = matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Type);
    let test = if in_tests || is_test(path) { TEST } else { 1.0 };
    if declared { test * DECLARED } else { test }
}

fn hash(text: &str) -> u64 {
    u64::from_le_bytes(key(text))
}

impl Ranker {
    pub(crate) fn new(index: &Index) -> Self {
        let mut ranker = Self::default();
        for file in index.files() {
            let Some(facts) = index.facts_once(file) else { continue };
            let path = index.path(file);
            let mut bodies: HashMap<u32, Vec<&str>> = HashMap::new();
            for call in &facts.calls {
                if let Some(caller) = call.caller {
                    bodies.entry(caller).or_default().push(&call.name);
                }
            }
            for (number, symbol) in facts.symbols.iter().enumerate().filter(|(_, symbol)| is_document(symbol))
            {
                let id = SymbolId { file, symbol: number as u32 };
                let key = key(&sentence(&facts, symbol, path));
                let mut document = Document {
                    id,
                    key,
                    weight: weight(&facts, symbol, path),
                    group: (file, hash(&facts.path(id.symbol))),
                    terms: HashMap::new(),
                    length: 0.0,
                };
                ranker.add(&mut document, &symbol.name, NAME);
                ranker.add(&mut document, &symbol.doc, DOC);
                ranker.add(&mut document, &symbol.signature, HEAD);
                ranker.add(&mut document, &symbol.container, AROUND);
                if let Some(parent) = symbol.parent.and_then(|parent| facts.symbol(parent)) {
                    ranker.add(&mut document, &parent.name, AROUND / 2.0);
                }
                ranker.add(&mut document, path.rsplit('/').next().unwrap_or(path), PATH);
                for name in bodies.get(&(number as u32)).into_iter().flatten() {
                    ranker.add(&mut document, name, BODY);
                }
                ranker.documents.push(document);
            }
        }
        ranker.counts = vec![0.0; ranker.words.len()];
        for document in &ranker.documents {
            for word in document.terms.keys() {
                if let Some(count) = ranker.counts.get_mut(*word as usize) {
                    *count += 1.0;
                }
            }
        }
        let sum: f64 = ranker.documents.iter().map(|document| document.length).sum();
        ranker.mean = sum / ranker.documents.len().max(1) as f64;
        ranker
    }

    fn add(&mut self, document: &mut Document, text: &str, weight: f64) {
        for word in words::of(text) {
            let next = self.words.len() as u32;
            let word = *self.words.entry(word).or_insert(next);
            *document.terms.entry(word).or_default() += weight;
            document.length += weight;
        }
    }

    /// What overloads of a symbol share.
    pub(crate) fn group(&self, id: SymbolId) -> (u32, u64) {
        let at = self.documents.binary_search_by_key(&id, |document| document.id);
        at.ok().and_then(|at| self.documents.get(at)).map_or((id.file, u64::from(id.symbol)), |of| of.group)
    }

    /// Symbols with words of the question, the best first.
    pub(crate) fn by_words(&self, question: &str) -> Vec<(usize, f64)> {
        let asked: Vec<u32> =
            words::of(question).iter().filter_map(|word| self.words.get(word)).copied().collect();
        let all = self.documents.len() as f64;
        let mut found: Vec<(usize, f64)> = Vec::new();
        for (number, document) in self.documents.iter().enumerate() {
            let mut score = 0.0;
            for word in &asked {
                let Some(often) = document.terms.get(word) else { continue };
                let count = self.counts.get(*word as usize).copied().unwrap_or(1.0);
                let rare = (1.0 + (all - count + 0.5) / (count + 0.5)).ln();
                let length = 1.0 - B + B * document.length / self.mean.max(1.0);
                score += rare * often * (K + 1.0) / (often + K * length);
            }
            if score > 0.0 {
                found.push((number, score));
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    }
}
