//! The map of a project: its most important files and symbols. Files are ranked over who calls and imports whom, as a random reader
//! would meet them (PageRank); a symbol gets the share of those who use it. A session's own files draw the reader to what they use.

mod render;

pub use render::MapText;

use crate::facts::{Facts, SymbolKind};
use crate::graph::{Certainty, Graph};
use crate::index::{Index, SymbolId};
use crate::language::Language;
use std::collections::{BTreeMap, HashSet};

/// How often the reader goes on to what a file uses, instead of starting again.
const DAMPING: f64 = 0.85;
const ROUNDS: usize = 40;
/// Of the starts, so many are in the session's own files.
const NEAR: f64 = 0.6;
/// What a test counts, where other code counts one.
const TEST: f64 = 0.1;
/// What a call within the file counts for the symbol.
const WITHIN: f64 = 0.25;
/// What an import without a call counts.
const IMPORTED: f64 = 0.5;
/// What a link by name alone counts.
const BY_NAME: f64 = 0.25;
/// What everything in a file that nobody uses shares: programs begin somewhere.
const UNUSED: f64 = 0.2;
/// What is hidden counts less: it explains less.
const HIDDEN: f64 = 0.3;

/// A file with its rank.
#[derive(Clone, Debug)]
pub struct RankedFile {
    /// Its number in the index.
    pub file: u32,
    /// Its share of all readers, without those that started there.
    pub score: f64,
    /// Its symbols by number, the most used first, each with its share.
    pub symbols: Vec<(u32, f64)>,
}

/// A project's files, the most important first.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// The files.
    pub files: Vec<RankedFile>,
    /// Symbols of all files.
    pub symbols: usize,
    /// Lines of all files.
    pub lines: u64,
    /// Files of each language.
    pub languages: BTreeMap<&'static str, usize>,
    /// Files whose calls are not read yet: they are ranked by their imports.
    pub unread: usize,
}

/// Ranks everything in an index. `near` are the files of a session, from the root. An index that was opened for a hook
/// reads no more text for it than a hook may.
pub fn rank(index: &Index, near: &[String]) -> Map {
    let all: Vec<u32> = index.files().collect();
    let (_, unread) = index.read_calls_of_all(&all, index.parse_bytes());
    let mut map = Map { unread, ..Map::default() };
    let links = links(index, &all, &mut map);
    let near: HashSet<u32> =
        all.iter().copied().filter(|file| near.iter().any(|path| path == index.path(*file))).collect();
    let readers = readers(index, &all, &links, &near);
    let mut shares: BTreeMap<SymbolId, f64> = BTreeMap::new();
    let mut arriving: BTreeMap<u32, f64> = BTreeMap::new();
    for (from, of) in &links {
        let rank = readers.get(from).copied().unwrap_or_default();
        for (to, weight) in &of.symbols {
            *shares.entry(*to).or_default() += rank * weight / of.sum.max(1.0);
        }
        for (to, weight) in &of.files {
            *arriving.entry(*to).or_default() += rank * weight / of.sum.max(1.0);
        }
    }
    let start = 1.0 / all.len().max(1) as f64;
    for file in all {
        let Some(facts) = index.facts(file) else { continue };
        let test = if is_test(index.path(file)) { TEST } else { 1.0 };
        let base = start * UNUSED * test;
        let score = (arriving.get(&file).copied().unwrap_or_default() + base) * test;
        let symbols = symbols(file, &facts, &shares, base);
        map.files.push(RankedFile { file, score, symbols });
    }
    map.files
        .sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| index.path(a.file).cmp(index.path(b.file))));
    map
}

/// What a file uses of others.
#[derive(Default)]
struct Links {
    /// How much of each file.
    files: BTreeMap<u32, f64>,
    /// How much of each symbol, its own among them.
    symbols: BTreeMap<SymbolId, f64>,
    sum: f64,
}

impl Links {
    fn add(&mut self, here: u32, to: SymbolId, weight: f64) {
        if to.file == here {
            *self.symbols.entry(to).or_default() += weight * WITHIN;
        } else {
            *self.symbols.entry(to).or_default() += weight;
            *self.files.entry(to.file).or_default() += weight;
            self.sum += weight;
        }
    }
}

fn links(index: &Index, all: &[u32], map: &mut Map) -> BTreeMap<u32, Links> {
    let graph = Graph::new(index);
    let mut links = BTreeMap::new();
    for file in all {
        let Some(facts) = index.facts(*file) else { continue };
        map.symbols += facts.symbols.len();
        map.lines += u64::from(facts.lines);
        *map.languages.entry(index.language(*file).map_or("", Language::name)).or_default() += 1;
        let mut of = Links::default();
        // The same call twice is linked once, and counts for less than two.
        let mut calls: BTreeMap<(&str, &crate::facts::Receiver), (usize, usize)> = BTreeMap::new();
        for (number, call) in facts.calls.iter().enumerate() {
            calls.entry((&call.name, &call.on)).or_insert((number, 0)).1 += 1;
        }
        for (first, count) in calls.into_values() {
            let Some(call) = facts.calls.get(first) else { continue };
            let targets = graph.targets_of(*file, &facts, call);
            for (to, how) in &targets {
                let sure = if *how == Certainty::ByName { BY_NAME } else { 1.0 };
                of.add(*file, *to, sure * (count as f64).sqrt() / targets.len() as f64);
            }
        }
        imports(index, &graph, *file, &facts, &mut of);
        links.insert(*file, of);
    }
    links
}

fn imports(index: &Index, graph: &Graph<'_>, file: u32, facts: &Facts, of: &mut Links) {
    for import in &facts.imports {
        let files = graph.exporters(file, &import.module, &import.name);
        for to in files.iter().filter(|to| **to != file) {
            let Some(theirs) = index.facts(*to) else { continue };
            let weight = IMPORTED / files.len() as f64;
            let named = theirs
                .symbols
                .iter()
                .position(|symbol| symbol.parent.is_none() && symbol.name == import.name);
            if let Some(symbol) = named {
                of.add(file, SymbolId { file: *to, symbol: symbol as u32 }, weight);
            } else {
                *of.files.entry(*to).or_default() += weight;
                of.sum += weight;
            }
        }
    }
}

/// How many of all readers are in each file.
fn readers(
    index: &Index,
    all: &[u32],
    links: &BTreeMap<u32, Links>,
    near: &HashSet<u32>,
) -> BTreeMap<u32, f64> {
    let weight = |file: &u32| if is_test(index.path(*file)) { TEST } else { 1.0 };
    let sum: f64 = all.iter().map(weight).sum::<f64>().max(1.0);
    let near_share = if near.is_empty() { 0.0 } else { NEAR };
    let starts: BTreeMap<u32, f64> = all
        .iter()
        .map(|file| {
            let own = if near.contains(file) { near_share / near.len() as f64 } else { 0.0 };
            (*file, (1.0 - near_share) * weight(file) / sum + own)
        })
        .collect();
    let mut readers = starts.clone();
    for _ in 0..ROUNDS {
        let mut next: BTreeMap<u32, f64> = BTreeMap::new();
        let mut lost = 0.0;
        for (file, rank) in &readers {
            match links.get(file).filter(|of| of.sum > 0.0) {
                Some(of) => {
                    for (to, weight) in &of.files {
                        *next.entry(*to).or_default() += DAMPING * rank * weight / of.sum;
                    }
                }
                None => lost += rank,
            }
        }
        for (file, start) in &starts {
            *next.entry(*file).or_default() += start * (1.0 - DAMPING + DAMPING * lost);
        }
        readers = next;
    }
    readers
}

/// A file's symbols with their shares, the largest first. What is inside a type counts for the type, too.
fn symbols(file: u32, facts: &Facts, shares: &BTreeMap<SymbolId, f64>, base: f64) -> Vec<(u32, f64)> {
    let mut scores: Vec<f64> = facts
        .symbols
        .iter()
        .enumerate()
        .map(|(number, symbol)| {
            let id = SymbolId { file, symbol: number as u32 };
            let lines = f64::from(symbol.end_line - symbol.line + 1);
            let hidden = if symbol.name.starts_with(['_', '#']) { HIDDEN } else { 1.0 };
            let value = if symbol.kind.is_value() { 0.1 } else { 1.0 };
            let size = base * (lines / f64::from(facts.lines.max(1))).min(1.0);
            (shares.get(&id).copied().unwrap_or_default() + size) * hidden * value
        })
        .collect();
    for (number, symbol) in facts.symbols.iter().enumerate().rev() {
        let own = scores.get(number).copied().unwrap_or_default();
        let is_type = |parent: &&u32| facts.symbol(**parent).is_some_and(|parent| parent.kind.is_type());
        if let Some(parent) = symbol.parent.as_ref().filter(is_type)
            && let Some(of) = scores.get_mut(*parent as usize)
        {
            *of += own / 2.0;
        }
    }
    let inside_function = |number: usize| {
        let parent = facts.symbols.get(number).and_then(|symbol| symbol.parent);
        parent.and_then(|parent| facts.symbol(parent)).is_some_and(|parent| parent.kind.is_function())
    };
    let mut ranked: Vec<(u32, f64)> = scores
        .into_iter()
        .enumerate()
        .filter(|(number, _)| {
            let kind = facts.symbols.get(*number).map(|symbol| symbol.kind);
            !inside_function(*number) && !matches!(kind, Some(SymbolKind::Impl | SymbolKind::Module))
        })
        .map(|(number, score)| (number as u32, score))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}

/// By its path: a test, an example, a benchmark.
pub fn is_test(path: &str) -> bool {
    const FOLDERS: [&str; 14] = [
        "test", "tests", "testing", "__tests__", "spec", "specs", "e2e", "fixtures", "examples", "example",
        "benches", "bench", "benchmarks", "mocks",
    ];
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    folder.split('/').any(|part| FOLDERS.contains(&part))
        || [".test.", ".spec.", ".stories."].iter().any(|part| name.contains(part))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || matches!(stem, "conftest" | "tests" | "test")
        || stem.len() > 4 && (stem.ends_with("Test") || stem.ends_with("Tests"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Mode;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, tempfile::TempDir) {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        (root, state)
    }

    const SHOP: [(&str, &str); 5] = [
        (
            "shop/core.py",
            "class Cart:\n    \"\"\"What a customer wants.\"\"\"\n    def pay(self, amount):\n        return amount\n\n    def _hidden(self):\n        return 1\n",
        ),
        ("shop/web.py", "from shop.core import Cart\n\ndef handle(request):\n    return Cart().pay(1)\n"),
        ("shop/admin.py", "from shop.core import Cart\n\ndef report():\n    return Cart().pay(2)\n"),
        ("shop/tools.py", "def slug(text):\n    return text.lower()\n"),
        (
            "tests/test_tools.py",
            "from shop.tools import slug\n\ndef test_slug():\n    assert slug('A') == 'a'\n\ndef test_two():\n    assert slug('B') == 'b'\n",
        ),
    ];

    fn order(map: &Map, index: &Index) -> Vec<String> {
        map.files.iter().map(|file| index.path(file.file).to_owned()).collect()
    }

    #[test]
    fn what_is_used_comes_first_and_tests_count_little() {
        let (root, state) = project(&SHOP);
        let index = Index::open(state.path(), root.path(), Mode::Patient).unwrap().unwrap();
        let map = rank(&index, &[]);
        let order = order(&map, &index);
        assert_eq!(order.first().map(String::as_str), Some("shop/core.py"), "{order:?}");
        assert_eq!(order.last().map(String::as_str), Some("tests/test_tools.py"), "{order:?}");
        let first = map.files.first().unwrap();
        let facts = index.facts(first.file).unwrap();
        let names: Vec<&str> =
            first.symbols.iter().map(|(number, _)| facts.symbol(*number).unwrap().name.as_str()).collect();
        assert_eq!(names, ["Cart", "pay", "_hidden"]);
        assert_eq!((map.symbols, map.unread), (8, 0));
    }

    #[test]
    fn a_sessions_files_draw_what_they_use_to_the_front() {
        let mut files = SHOP.to_vec();
        files.push(("shop/text.py", "from shop.tools import slug\n\ndef title(x):\n    return slug(x)\n"));
        let (root, state) = project(&files);
        let index = Index::open(state.path(), root.path(), Mode::Patient).unwrap().unwrap();
        let place = |near: &[String]| {
            let map = rank(&index, near);
            order(&map, &index).iter().position(|path| path == "shop/tools.py")
        };
        assert_eq!(place(&[]), Some(1));
        assert_eq!(place(&["shop/text.py".to_owned()]), Some(0));
    }

    #[test]
    fn the_text_keeps_to_its_budget_and_says_what_is_left_out() {
        let (root, state) = project(&SHOP);
        let index = Index::open(state.path(), root.path(), Mode::Patient).unwrap().unwrap();
        let map = rank(&index, &[]);
        let whole = map.text(&index, 2_000);
        assert!(whole.text.contains("shop/core.py (7 lines)\n 1-7 class Cart  # What a customer wants.\n  3-4 def pay(self, amount)\n"), "{}", whole.text);
        assert!(whole.text.contains("5 of 5 files"), "{}", whole.text);
        let mut last = 0;
        for budget in [60, 90, 120, 200, 400] {
            let small = map.text(&index, budget);
            assert!(small.tokens <= budget, "{budget}: {}", small.text);
            assert!(small.symbols >= last);
            last = small.symbols;
        }
        assert!(map.text(&index, 90).files < 5);
    }

    #[test]
    fn tests_by_their_paths() {
        for path in
            ["tests/a.py", "a/test_b.py", "a/b_test.go", "a/b.spec.ts", "A/CartTest.java", "conftest.py"]
        {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/contest.py", "src/latest.rs", "attest/a.go", "src/Test.java"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
