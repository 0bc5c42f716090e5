//! The symbol index of a project: one flat file that is searched where it lies, one that is appended to, both checked
//! against the files at every question. Nothing is watched and no process stays.

mod ask;
mod base;
mod build;
mod calls;
pub(crate) mod content;
mod delta;
mod fresh;
mod walk;

pub(crate) use build::hash;
pub use build::{Built, build};
pub use fresh::{Mode, Refreshed};

use crate::facts::{Call, Facts, Symbol};
use crate::language::Language;
use crate::values::{Op, Values};
use base::Base;
use delta::DeltaState;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where the index of a project is.
pub fn dir(state: &Path, root: &Path) -> PathBuf {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    state.join("code").join(sprag_base::id::short_hash(root.as_os_str().as_encoded_bytes()))
}

/// What is kept of a file beside its facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// From the root, with `/`.
    path: String,
    language: Language,
    /// What tells one version from another without reading; 0 when it must be read.
    stamp: u64,
    /// 128 bits of the content's hash.
    hash: [u8; 16],
    /// Its calls are known; else it was scanned for symbols only.
    calls: bool,
}

/// A symbol of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId {
    /// The file's number.
    pub file: u32,
    /// The symbol's position in the file's list.
    pub symbol: u32,
}

/// A call in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId {
    /// The file's number.
    pub file: u32,
    /// The call's position in the file's list.
    pub call: u32,
}

/// A file that was read again, or is new.
struct Newer {
    entry: Entry,
    facts: Option<Rc<Facts>>,
}

/// A project's index, open for questions.
pub struct Index {
    root: PathBuf,
    /// Where it is kept.
    dir: PathBuf,
    base: Base,
    entries: Vec<Entry>,
    /// What the base says of these files does not hold.
    newer: HashMap<u32, Newer>,
    /// Facts that were looked up or read.
    known: RefCell<HashMap<u32, Rc<Facts>>>,
    /// Files that were parsed for their calls now.
    parsed: RefCell<HashSet<u32>>,
    /// Names whose calls are known, or cannot be.
    asked: RefCell<HashSet<String>>,
    /// Texts of files that were only scanned.
    texts: RefCell<Option<Vec<calls::Text>>>,
    delta: Cell<DeltaState>,
    /// Bytes of text that may still be parsed.
    parse_bytes: usize,
    unparsed: Cell<usize>,
    /// What came of the check against the files.
    pub refreshed: Refreshed,
}

/// Changed files that a caller in a hurry reads itself; the rest is for the background.
const READ_NOW: usize = 24;

impl Index {
    fn new(
        root: PathBuf,
        dir: PathBuf,
        base: Base,
        entries: Vec<Entry>,
        newer: HashMap<u32, Newer>,
        refreshed: Refreshed,
    ) -> Self {
        Self {
            root,
            dir,
            base,
            entries,
            newer,
            known: RefCell::default(),
            parsed: RefCell::default(),
            asked: RefCell::default(),
            texts: RefCell::default(),
            delta: Cell::default(),
            parse_bytes: usize::MAX,
            unparsed: Cell::default(),
            refreshed,
        }
    }

    /// Opens the index of the project at `root`, as it is now. `None` when there is none and `mode` makes none.
    pub fn open(state: &Path, root: &Path, mode: Mode) -> io::Result<Option<Self>> {
        fresh::open(state, root, mode)
    }

    /// The index as it is now, reading only a few changed files; and whether the background has to bring it up to date.
    pub fn open_quick(state: &Path, root: &Path) -> (Option<Self>, bool) {
        let index = Self::open(state, root, Mode::Quick(READ_NOW)).ok().flatten();
        let due = index.as_ref().is_none_or(|index| index.refreshed.due);
        (index, due)
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The numbers of all files.
    pub fn files(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.entries.len() as u32)
            .filter(|file| self.newer.get(file).is_none_or(|newer| newer.facts.is_some()))
    }

    /// A file's path from the root.
    pub fn path(&self, file: u32) -> &str {
        self.entries.get(file as usize).map_or("", |entry| &entry.path)
    }

    /// A file's language.
    pub fn language(&self, file: u32) -> Option<Language> {
        let newer = self.newer.get(&file).map(|newer| &newer.entry);
        newer.or_else(|| self.entries.get(file as usize)).map(|entry| entry.language)
    }

    /// The number of a file.
    pub fn number(&self, path: &str) -> Option<u32> {
        self.files().find(|file| self.path(*file) == path)
    }

    /// What is known of a file.
    pub fn facts(&self, file: u32) -> Option<Rc<Facts>> {
        if let Some(facts) = self.known.borrow().get(&file) {
            return Some(facts.clone());
        }
        if let Some(newer) = self.newer.get(&file) {
            return newer.facts.clone();
        }
        let facts = Rc::new(self.base.facts(file)?);
        self.known.borrow_mut().insert(file, facts.clone());
        Some(facts)
    }

    /// The same, not kept: for who looks at every file once.
    pub fn facts_once(&self, file: u32) -> Option<Rc<Facts>> {
        let known = self.known.borrow().get(&file).cloned();
        known.or_else(|| match self.newer.get(&file) {
            Some(newer) => newer.facts.clone(),
            None => self.base.facts(file).map(Rc::new),
        })
    }

    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> Option<Symbol> {
        self.facts(id.file)?.symbol(id.symbol).cloned()
    }

    /// The symbols with exactly this name, in the order of files and lines.
    pub fn definitions(&self, name: &str) -> Vec<SymbolId> {
        let mut found = Vec::new();
        for file in self.files_with(name, |postings| &postings.defined) {
            let Some(facts) = self.facts(file) else { continue };
            let named = facts.symbols.iter().enumerate().filter(|(_, symbol)| symbol.name == name);
            found.extend(named.map(|(symbol, _)| SymbolId { file, symbol: symbol as u32 }));
        }
        self.in_order(&mut found, |id| id.file);
        found
    }

    /// The calls of exactly this name, also under another that an import gave it.
    pub fn calls_of(&self, name: &str) -> Vec<CallId> {
        let mut found = Vec::new();
        self.read_calls(name);
        let mut files = self.files_with(name, |postings| &postings.called);
        files.extend(self.parsed.borrow().iter().filter(|file| !self.newer.contains_key(file)));
        for file in files {
            let Some(facts) = self.facts(file) else { continue };
            let calls = all_called(&facts).into_iter().enumerate().filter(|(_, called)| *called == name);
            found.extend(calls.map(|(call, _)| CallId { file, call: call as u32 }));
        }
        self.in_order(&mut found, |site| site.file);
        found
    }

    /// Files that define, call, import or read a name, or import from a module whose last word it is, as far as they were
    /// read.
    pub(crate) fn files_about(&self, name: &str) -> Vec<u32> {
        let postings = self.base.postings(name).unwrap_or_default();
        let base = [postings.defined, postings.called, postings.mentioned].into_iter().flatten();
        let mut files: Vec<u32> = base.filter(|file| !self.newer.contains_key(file)).collect();
        files.extend(self.newer.keys());
        files.extend(self.parsed.borrow().iter());
        files.sort_unstable();
        files.dedup();
        files
    }

    fn files_with(&self, name: &str, of: impl Fn(&base::Postings) -> &Vec<u32>) -> Vec<u32> {
        let postings = self.base.postings(name).unwrap_or_default();
        let mut files: Vec<u32> =
            of(&postings).iter().copied().filter(|file| !self.newer.contains_key(file)).collect();
        files.extend(self.newer.keys());
        files
    }

    /// Sorts by path: numbers of files depend on when they were read.
    fn in_order<T: Copy + Ord>(&self, list: &mut [T], file: impl Fn(&T) -> u32) {
        list.sort_by(|a, b| self.path(file(a)).cmp(self.path(file(b))).then(a.cmp(b)));
    }

    /// The names of symbols with this in them, in order, whatever the letters' case; names that exist only in calls
    /// are not among them.
    pub fn names_with(&self, part: &str) -> Vec<String> {
        let part = part.to_lowercase();
        let wanted = |name: &str| holds(name, &part);
        let mut names: Vec<String> = self.base.names(wanted);
        for newer in self.newer.values().filter_map(|newer| newer.facts.as_ref()) {
            let newer = newer.symbols.iter().map(|symbol| symbol.name.as_str());
            names.extend(newer.filter(|name| wanted(name)).map(str::to_owned));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// How many symbols.
    pub fn symbols(&self) -> usize {
        let newer: usize = self
            .newer
            .values()
            .filter_map(|newer| newer.facts.as_ref())
            .map(|facts| facts.symbols.len())
            .sum();
        let replaced: usize = self.newer.keys().map(|file| self.base.symbols_of(*file)).sum();
        self.base.symbols - replaced + newer
    }
}

/// Whether a name has a text in small letters in it.
fn holds(name: &str, small: &str) -> bool {
    if !name.is_ascii() {
        return name.to_lowercase().contains(small);
    }
    // Most names are plain: they are compared where they lie.
    let (name, small) = (name.as_bytes(), small.as_bytes());
    small.is_empty() || name.windows(small.len()).any(|window| window.eq_ignore_ascii_case(small))
}

/// The name of what a call calls, where an import gave it another.
pub fn called<'a>(facts: &'a Facts, call: &'a Call) -> &'a str {
    renamed(call, |name| facts.imports.iter().find(|import| import.alias == name).map(|import| &*import.name))
}

/// The same for every call of a file.
fn all_called(facts: &Facts) -> Vec<&str> {
    let mut imported = HashMap::new();
    for import in &facts.imports {
        imported.entry(import.alias.as_str()).or_insert(import.name.as_str());
    }
    facts.calls.iter().map(|call| renamed(call, |name| imported.get(name).copied())).collect()
}

/// Names that a file takes from others without calling them by that name: what it imports, the last parts of the modules
/// that it imports from, and attributes that it reads.
fn mentioned<'a>(facts: &'a Facts, values: Option<&'a Values>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for import in &facts.imports {
        names.push(&import.name);
        names.extend(crate::modules::last_word(&import.module));
    }
    for op in values.into_iter().flat_map(|values| &values.ops) {
        if let (Op::Get { name, .. }, Some(values)) = (op, values) {
            names.extend(values.names.get(*name as usize).map(String::as_str));
        }
    }
    names.retain(|name| !name.is_empty() && *name != "*");
    names
}

/// A call's name, or what `imported` says is behind it.
fn renamed<'a>(call: &'a Call, imported: impl Fn(&str) -> Option<&'a str>) -> &'a str {
    if call.on != crate::facts::Receiver::Nothing {
        return &call.name;
    }
    imported(&call.name).filter(|name| !matches!(*name, "" | "*" | "default")).unwrap_or(&call.name)
}

#[cfg(test)]
mod tests {
    use super::holds;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_found_whatever_their_case(name in "[a-cA-C_]{0,8}|[äÄéß]{0,3}[a-c]{0,3}", part in "[a-cA-C_äé]{0,3}") {
            let small = part.to_lowercase();
            prop_assert_eq!(holds(&name, &small), name.to_lowercase().contains(&small));
        }
    }
}
