//! Compares the call graph of small programs with a truth that was made by hand, in the layout of PyCG's benchmark: a folder
//! for each program, with its files and `callgraph.json`, which lists for each function those that it calls.
//!
//! What is not of the project (`<builtin>.len`) and functions without a name (`<lambda1>`) are no targets; calls inside a
//! function without a name count for the function around it. A call of a class counts as one of its constructor when it
//! has one of its own.

use sprag_code::graph::Graph;
use sprag_code::index::{Index, Mode};
use sprag_code::{Language, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Edges = BTreeSet<(String, String)>;

/// What was found, of what there is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    pub(crate) programs: usize,
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) missed: usize,
}

impl Score {
    pub(crate) fn recall(self) -> f64 {
        self.right as f64 / (self.right + self.missed).max(1) as f64
    }

    pub(crate) fn precision(self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }
}

/// All programs in a folder; `tell` gets what is wrong and what was missed in each.
pub(crate) fn folder(dir: &Path, tell: &mut dyn FnMut(&Path, &Edges, &Edges)) -> Score {
    let mut score = Score::default();
    let mut left = vec![dir.to_path_buf()];
    while let Some(dir) = left.pop() {
        if dir.join("callgraph.json").is_file() {
            let truth: BTreeMap<String, Vec<String>> =
                serde_json::from_slice(&fs::read(dir.join("callgraph.json")).unwrap()).unwrap();
            let (wanted, found) = (wanted(&truth), found(&dir, &truth));
            let wrong: Edges = found.difference(&wanted).cloned().collect();
            let missed: Edges = wanted.difference(&found).cloned().collect();
            score.programs += 1;
            score.right += found.intersection(&wanted).count();
            score.wrong += wrong.len();
            score.missed += missed.len();
            if !wrong.is_empty() || !missed.is_empty() {
                tell(&dir, &wrong, &missed);
            }
            continue;
        }
        let mut inside: Vec<PathBuf> =
            fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
        inside.retain(|path| path.is_dir());
        inside.sort();
        left.extend(inside.into_iter().rev());
    }
    score
}

fn wanted(truth: &BTreeMap<String, Vec<String>>) -> Edges {
    let mut edges = Edges::new();
    for (from, all) in truth {
        let from = from.split(".<").next().unwrap().to_owned();
        edges.extend(all.iter().filter(|to| !to.contains('<')).map(|to| (from.clone(), to.clone())));
    }
    edges
}

fn found(dir: &Path, truth: &BTreeMap<String, Vec<String>>) -> Edges {
    let state = tempfile::tempdir().unwrap();
    let index = Index::open(state.path(), dir, Mode::Patient).unwrap().unwrap();
    let graph = Graph::new(&index);
    let mut edges = Edges::new();
    for file in index.files().collect::<Vec<_>>() {
        let constructor =
            if index.language(file) == Some(Language::Python) { "__init__" } else { "constructor" };
        for edge in graph.of_file(file) {
            let path = |file: u32, symbol: Option<u32>| {
                let inside = symbol.map(|symbol| index.facts(file).unwrap().path(symbol)).unwrap_or_default();
                let module = module(index.path(file));
                if inside.is_empty() { module } else { format!("{module}.{inside}") }
            };
            let mut from = path(file, edge.from.map(|from| from.symbol));
            // A value of the file is no function: its calls are the file's.
            while !truth.contains_key(&from) && from.contains('.') {
                from.truncate(from.rfind('.').unwrap());
            }
            let mut to = path(edge.to.file, Some(edge.to.symbol));
            if index.symbol(edge.to).unwrap().kind == SymbolKind::Class {
                to = format!("{to}.{constructor}");
                if !truth.contains_key(&to) {
                    continue;
                }
            }
            edges.insert((from, to));
        }
    }
    edges
}

fn module(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    stem.strip_suffix("/__init__").unwrap_or(stem).replace('/', ".")
}
